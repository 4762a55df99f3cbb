import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { DocText } from '#design/reading'
import { siteNav } from '#http/site-menu'
import type { FoundSection } from '#platform/section-search'
import type { Changelog, ChangelogSection } from './changelog.ts'
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
          <li key={id} class="grid gap-1">
            <p class="font-semibold">
              <TextLink href={`#${id}`}>{title}</TextLink>
            </p>
            <ul class="grid gap-1">
              {sections.map((section) => (
                <SectionLinks key={section.id} section={section} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function SectionLinks({ section }: { section: ChangelogSection }): JSX.Element {
  return (
    <li class="grid grid-cols-[5rem_1fr] gap-x-3">
      <p class="py-1 font-semibold">
        <TextLink href={`#${section.id}`}>{section.title}</TextLink>
      </p>
      {section.subjects.length > 0 && (
        <ul class="flex flex-wrap gap-x-4">
          {section.subjects.map(({ id, title }) => (
            <li key={id} class="py-1">
              <TextLink href={`#${id}`}>{title}</TextLink>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
