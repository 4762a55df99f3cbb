import type { JSX } from 'preact'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { RichText } from '#design/reading'
import { versionOf } from '#http/legal-texts'
import { siteNav } from '#http/site-menu'
import type { TextDocument } from '#platform/documents'

/** A legal text with its version and date. */
export function LegalPage(facts: { text: TextDocument; url: string }): JSX.Element {
  const { title, clean_html } = facts.text
  return (
    <SiteLayout title={`${title} · Purser`} canonical_url={facts.url} site_nav={siteNav()} listed>
      <Heading title={title}>{versionOf(facts.text)}</Heading>
      <RichText clean_html={clean_html} />
    </SiteLayout>
  )
}
