import type { ComponentChildren, JSX } from 'preact'
import { Icon } from '#design/icons'
import { SiteLayout } from '#design/layout'
import type { Link } from '#design/menu'
import { siteNav } from '#http/site-menu'
import type { PageHeading } from './markdown.ts'

/** A group of links of the side navigation. */
export interface NavSection {
  title: string
  links: Link[]
}

/** What a page of the documentation shows around its content. */
export interface DocsLayoutFacts {
  base_url: string
  path: string
  title: string
  description: string
  sections: NavSection[]
  headings: PageHeading[]
  /** The page above one that the navigation does not list. */
  above?: Link | undefined
  previous?: Link | undefined
  next?: Link | undefined
  query?: string
}

/** A page of the documentation: side navigation, content and table of contents. */
export function DocsLayout(facts: DocsLayoutFacts & { children: ComponentChildren }): JSX.Element {
  const { base_url, path, title, headings } = facts
  return (
    <SiteLayout
      title={path === '/docs/' ? 'Docs · Purser' : `${title} · Purser docs`}
      description={facts.description}
      canonical_url={`${base_url}${path}`}
      script="docs.js"
      listed={path !== '/docs/search/'}
      site_nav={siteNav(menuOf(path))}
      wide
    >
      <div class="grid grid-cols-1 items-start gap-x-10 gap-y-6 lg:grid-cols-[14rem_minmax(0,1fr)] xl:grid-cols-[14rem_minmax(0,1fr)_12rem]">
        <div class="flex flex-col gap-4 lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)]">
          <SearchForm query={facts.query ?? ''} />
          <SideNav sections={facts.sections} />
        </div>
        <article class="grid min-w-0 grid-cols-1 gap-8">
          <header class="grid max-w-2xl gap-2">
            {facts.above && (
              <p class="text-sm">
                <a class="textlink" href={facts.above.href}>
                  {facts.above.label}
                </a>
              </p>
            )}
            <h1 class="text-3xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
            <p class="text-lg text-muted">{facts.description}</p>
          </header>
          {facts.children}
          <PreviousAndNext {...facts} />
        </article>
        {headings.length > 1 ? <OnThisPage headings={headings} /> : null}
      </div>
    </SiteLayout>
  )
}

function menuOf(path: string): 'docs' | 'api' | 'sign-in' | 'agents' {
  if (path.startsWith('/docs/api/')) return 'api'
  if (path.startsWith('/docs/sign-in/')) return 'sign-in'
  return path === '/docs/agents/' ? 'agents' : 'docs'
}

function SearchForm({ query }: { query: string }): JSX.Element {
  return (
    <search class="relative lg:p-0.5">
      <form action="/docs/search/" method="get" class="grid grid-cols-1" data-docs-search>
        <label class="sr-only" for="docs-search">
          Search the docs
        </label>
        <input
          class="input control"
          id="docs-search"
          type="search"
          name="q"
          value={query}
          placeholder="Search"
          maxlength={200}
          autocomplete="off"
          spellcheck={false}
          aria-keyshortcuts="/"
        />
        <div
          class="absolute start-0 top-full z-20 hidden max-h-[70dvh] w-full overflow-y-auto rounded-box border border-edge bg-base-100 p-1 lg:w-96"
          data-docs-results
        />
        <template data-docs-entry>
          <a
            class="grid gap-0.5 rounded-field px-3 py-2 hover:bg-wash focus:bg-wash"
            href="/docs/search/"
          >
            <span class="text-sm font-medium" />
            <span class="line-clamp-2 text-xs text-muted" />
          </a>
          <p class="px-3 py-2 text-sm text-muted">No results.</p>
        </template>
        <p class="sr-only" role="status" data-docs-status />
      </form>
    </search>
  )
}

function SideNav({ sections }: { sections: NavSection[] }): JSX.Element {
  return (
    <div data-docs-side class="relative min-h-0 lg:overflow-y-auto lg:p-0.5">
      <details class="group peer lg:hidden">
        <summary class="btn btn-block justify-between border-edge bg-base-100 text-sm font-medium">
          All pages
          <span class="group-open:rotate-180">
            <Icon name="chevron" size="size-4" />
          </span>
        </summary>
      </details>
      <nav
        data-docs-nav
        aria-label="Documentation"
        class="hidden gap-5 pt-3 peer-open:grid lg:grid lg:pt-0"
      >
        {sections.map(({ title, links }) => (
          <div key={title} class="grid gap-1">
            <p class="text-xs font-semibold">{title}</p>
            <ul class="border-s border-base-300">
              {links.map(({ href, label, current }) => (
                <li key={href}>
                  <a
                    class="-ms-px flex min-h-8 items-center hiddenedge border-s py-1 ps-3 text-sm text-muted hover:border-edge hover:text-base-content aria-[current=page]:border-primary aria-[current=page]:font-semibold aria-[current=page]:text-base-content"
                    href={href}
                    aria-current={current ? 'page' : undefined}
                  >
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  )
}

function OnThisPage({ headings }: { headings: PageHeading[] }): JSX.Element {
  return (
    <nav
      aria-labelledby="on-this-page"
      class="hidden gap-2 text-xs xl:sticky xl:top-6 xl:grid xl:max-h-[calc(100dvh-3rem)] xl:overflow-y-auto"
    >
      <p id="on-this-page" class="font-semibold">
        On this page
      </p>
      <ul class="grid">
        {headings
          .filter(({ depth }) => depth <= 3)
          .map(({ id, depth, title }) => (
            <li key={id} class={depth === 3 ? 'ps-3' : undefined}>
              <a
                class="flex min-h-7 items-center py-0.5 text-muted hover:text-base-content"
                href={`#${id}`}
              >
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

function PreviousAndNext({
  previous,
  next,
}: Pick<DocsLayoutFacts, 'previous' | 'next'>): JSX.Element | null {
  if (!previous && !next) return null
  return (
    <nav
      aria-label="Previous and next page"
      class="flex flex-wrap justify-between gap-4 border-t border-base-300 pt-5 text-sm"
    >
      {previous && (
        <a class="grid min-h-11 content-center" href={previous.href} rel="prev">
          <span class="text-xs text-muted">Previous</span>
          <span class="font-medium">{previous.label}</span>
        </a>
      )}
      {next && (
        <a class="ms-auto grid min-h-11 content-center text-end" href={next.href} rel="next">
          <span class="text-xs text-muted">Next</span>
          <span class="font-medium">{next.label}</span>
        </a>
      )}
    </nav>
  )
}
