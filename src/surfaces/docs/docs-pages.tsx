import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { DocText } from '#design/reading'
import { siteNav } from '#http/site-menu'
import type { FoundSection } from '#platform/section-search'
import type { Changelog } from './changelog.ts'
import { DocsLayout, type DocsLayoutFacts } from './layout.tsx'
import type { DocsPageFacts } from './library.ts'

/** A page of the documentation. */
export function DocsPage({ layout, clean_html }: DocsPageFacts): JSX.Element {
  return (
    <DocsLayout {...layout}>
      <DocText clean_html={clean_html} />
    </DocsLayout>
  )
}

/** The results of a search, for browsers without scripts and for links to a search. */
export function DocsSearchPage(facts: {
  layout: DocsLayoutFacts
  query: string
  found: FoundSection[]
}): JSX.Element {
  const { layout, query, found } = facts
  return (
    <DocsLayout {...layout} query={query}>
      {query !== '' && found.length === 0 && (
        <p>No results. Try fewer words, or an error code as it appears in the response.</p>
      )}
      <ol class="grid max-w-2xl gap-5">
        {found.map(({ path, page, heading, excerpt }) => (
          <li key={path} class="grid gap-1">
            <TextLink href={path}>{heading === page ? page : `${page}: ${heading}`}</TextLink>
            <p class="text-sm text-muted">{excerpt}</p>
          </li>
        ))}
      </ol>
    </DocsLayout>
  )
}

/** What changed in each version, from CHANGELOG.md. */
export function ChangelogPage(facts: Changelog & { base_url: string }): JSX.Element {
  return (
    <SiteLayout
      title="Changelog · Purser"
      description="What changed in each version of Purser."
      canonical_url={`${facts.base_url}/changelog/`}
      listed
      site_nav={siteNav('docs')}
    >
      <Heading title="Changelog" />
      <VersionList versions={facts.versions} />
      <DocText clean_html={facts.clean_html} />
    </SiteLayout>
  )
}

function VersionList({ versions }: Pick<Changelog, 'versions'>): JSX.Element {
  return (
    <nav aria-label="Versions">
      <ul class="grid gap-3 text-sm">
        {versions.map(({ id, title, sections }) => (
          <li key={id}>
            <p class="font-semibold">
              <TextLink href={`#${id}`}>{title}</TextLink>
            </p>
            <ul class="flex flex-wrap gap-x-4">
              {sections.map((section) => (
                <li key={section.id} class="py-1">
                  <TextLink href={`#${section.id}`}>{section.title}</TextLink>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  )
}
