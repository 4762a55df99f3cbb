import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { AppIcon } from '#design/brand'
import { Field } from '#design/forms'
import { Icon, type IconName } from '#design/icons'
import { type Link, SiteLayout } from '#design/layout'
import { LinkRow, PageNav } from '#design/navigation'
import { EmptyState } from '#design/panels'
import type { Paging } from '#http/pagination'
import { siteNav } from '#http/site-menu'
import { counted } from '#platform/text'
import { FirstStaff } from './first-staff.tsx'

/** An app on the home page. */
export interface MarketplaceCard {
  name: string
  tagline: string
  /** The path of the icon; undefined if the app has none. */
  icon: string | undefined
  /** The product page, or the seller's site for an app listed as external. */
  href: string
}

/** The apps that match a visitor's search, one page at a time. */
export interface AppResults {
  /** The words of the search; empty for all apps. */
  words: string
  /** The name of the chosen category. */
  category: string | undefined
  cards: MarketplaceCard[]
  /** The categories; the current one is marked. */
  filters: Link[]
  paging: Paging
  hrefOf(page: number): string
}

/** The home page: apps and categories, and what buyers and sellers get. */
export function HomePage(facts: {
  /** True for a service without staff. */
  needs_staff: boolean
  base_url: string
  structured_data: object[]
  results: AppResults
}): JSX.Element {
  return (
    <SiteLayout
      title="Purser · Web apps, sold by the people who make them"
      description="Purser sells web apps for independent sellers: checkout, tax, refunds and licenses."
      canonical_url={`${facts.base_url}/`}
      structured_data={facts.structured_data}
      listed
      site_nav={siteNav()}
    >
      {facts.needs_staff && <FirstStaff />}
      <header class="grid max-w-2xl gap-4 pt-4 sm:pt-8">
        <h1 class="text-3xl font-semibold tracking-tight">
          Web apps, sold by the people who make them
        </h1>
        <p class="text-lg text-muted">
          Purser is the merchant of record: it processes payments, collects and remits sales tax,
          and issues your license. Your license is active when you return to the app.
        </p>
      </header>
      <Apps {...facts} />
      <Promises />
      <ForSellers />
    </SiteLayout>
  )
}

function Apps({ results }: { results: AppResults }): JSX.Element {
  const { words, category, cards, filters, paging, hrefOf } = results
  return (
    <section aria-labelledby="apps" class="grid gap-4">
      <h2 id="apps" class="text-xl font-semibold">
        Apps
      </h2>
      <Search words={words} category={category} />
      {filters.length > 0 && <Filters filters={filters} />}
      {words !== '' && cards.length > 0 && (
        <p class="text-sm text-muted">
          {counted(paging.total, 'app')} for “{words}”.
        </p>
      )}
      {cards.length === 0 ? (
        <NoApps results={results} />
      ) : (
        <ul class="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-4">
          {cards.map((card) => (
            <li key={card.href} class="contents">
              <a
                class="flex items-center gap-4 rounded-box border border-base-300 bg-base-100 p-5 hover:border-edge"
                href={card.href}
              >
                <AppIcon name={card.name} icon={card.icon} large />
                <span class="grid gap-0.5">
                  <span class="text-lg font-semibold">{card.name}</span>
                  <span class="text-sm text-muted">{card.tagline}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <PageNav label="Pages of apps" {...paging} href={hrefOf} />
    </section>
  )
}

function Search({ words, category }: { words: string; category: string | undefined }) {
  return (
    <search>
      <form method="get" action="/#apps" class="flex max-w-xl flex-wrap items-end gap-3">
        {category && <input type="hidden" name="category" value={category} />}
        <div class="min-w-0 grow basis-52">
          <Field
            label="Search apps"
            name="q"
            type="search"
            in_search
            value={words}
            autocomplete="off"
            maxlength={100}
          />
        </div>
        <Button>Search</Button>
      </form>
    </search>
  )
}

function NoApps({ results }: { results: AppResults }): JSX.Element {
  const { words } = results
  if (words === '')
    return <EmptyState title="No apps yet">The first apps are coming soon.</EmptyState>
  return (
    <EmptyState title={`No apps for “${words}”`} action={<Button href="/#apps">All apps</Button>}>
      Try another word, or a category.
    </EmptyState>
  )
}

function Filters({ filters }: { filters: Link[] }): JSX.Element {
  const all = { label: 'All', href: '/', current: !filters.some(({ current }) => current) }
  return <LinkRow label="Categories" links={[all, ...filters]} />
}

const PROMISES: { icon: IconName; title: string; text: string }[] = [
  {
    icon: 'lock',
    title: 'The full price before you pay',
    text: 'Sales tax depends on your ZIP code. You see the total first and pay exactly that.',
  },
  {
    icon: 'key',
    title: 'Instant access',
    text: 'Your license is active when you return to the app. Your key is also in your receipt.',
  },
  {
    icon: 'check',
    title: 'Never charged twice',
    text: 'If you already own an app, its Buy button takes you back to it.',
  },
]

function Promises(): JSX.Element {
  return (
    <section aria-labelledby="buyers" class="grid gap-4">
      <h2 id="buyers" class="text-xl font-semibold">
        For buyers
      </h2>
      <ul class="grid gap-x-8 gap-y-6 border-t border-base-300 pt-5 md:grid-cols-3">
        {PROMISES.map(({ icon, title, text }) => (
          <li key={title} class="grid content-start gap-1.5">
            <span class="text-primary">
              <Icon name={icon} size="size-6" />
            </span>
            <h3 class="font-semibold">{title}</h3>
            <p class="text-sm text-muted">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

const CALL = `POST /api/v1/licenses/validate
{ "key": "key_…" }

200 OK
{ "entitled": true, "status": "active", … }`

function ForSellers(): JSX.Element {
  return (
    <section
      aria-labelledby="sellers"
      class="grid items-center gap-x-10 gap-y-6 rounded-box border border-base-300 bg-base-100 p-5 sm:p-8 md:grid-cols-2"
    >
      <div class="grid gap-4">
        <h2 id="sellers" class="text-xl font-semibold">
          For sellers
        </h2>
        <p>
          Sell from your own site: link your Buy buttons here, and verify licenses with one API
          call. Purser charges the card, remits sales tax, and handles receipts, refunds and
          disputes.
        </p>
        <p class="text-sm text-muted">
          5%&nbsp;+&nbsp;$0.50 per sale that you bring, 10%&nbsp;+&nbsp;$0.50 per sale from the
          marketplace. No monthly fee.
        </p>
        <div class="flex flex-wrap gap-3">
          <Button kind="primary" href="/dashboard/start/">
            Start selling
          </Button>
          <Button href="/api/v1/docs/" icon_after="arrow-right">
            Read the API docs
          </Button>
        </div>
      </div>
      <pre class="rounded-field bg-base-200 p-5 font-mono text-xs leading-6 whitespace-pre-wrap">
        {CALL}
      </pre>
    </section>
  )
}
