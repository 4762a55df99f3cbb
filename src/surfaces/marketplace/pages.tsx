import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { siteNav } from '#surfaces/site-nav'

/** The visitor's corner of the header. */
export interface Visitor {
  email: string | undefined
}

/** The visitor's corner as a link. */
export function accountLink({ email }: Visitor) {
  return email === undefined
    ? { label: 'Sign in', href: '/signin/' }
    : { label: 'Your purchases', href: '/account/' }
}

/** A page of plain words: terms, privacy, refunds, help. */
export function WordsPage(facts: { title: string; paragraphs: string[] }): JSX.Element {
  return (
    <SiteLayout
      title={`${facts.title} · Purser`}
      nav={siteNav()}
      account={accountLink({ email: undefined })}
    >
      <Heading title={facts.title} />
      <div class="grid max-w-prose gap-4">
        {facts.paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <p>
        <Button href="/">Go to the home page</Button>
      </p>
    </SiteLayout>
  )
}
