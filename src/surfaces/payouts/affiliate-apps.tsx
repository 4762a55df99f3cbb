import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { CopyField } from '#design/copy'
import { Field } from '#design/forms'
import { Money, type PriceFrequency, priceText } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel, Totals } from '#design/panels'
import { RecordRows, RecordTable, recordDescription } from '#design/records'
import type { ReferredApp, ReferredFigures } from '#domain/affiliates'
import type { PriceId } from '#platform/ids'
import type { Cents } from '#platform/money'

/** The links of one app with the affiliate's code. */
export interface AppLinks {
  name: string
  product_url: string
  buy_links: {
    id: PriceId
    plan: string
    amount: Cents
    frequency: PriceFrequency
    url: string
  }[]
}

/** An affiliate's referrals, and the links they may share. */
export interface ReferredFacts {
  home: string
  totals: ReferredFigures
  rows: ReferredApp[]
  older: string | undefined
  latest: string | undefined
  /** The search for an app, and its matches. */
  words: string
  results: { slug: string; name: string; tagline: string }[]
  /** Whether more apps match. */
  has_more_results: boolean
  chosen: AppLinks | undefined
}

/** A search for an app, and the links of the one that was chosen. */
export function LinkPanel(facts: ReferredFacts): JSX.Element {
  const { home, words, results, chosen } = facts
  return (
    <Panel id="link" title="Get a link to an app">
      <form method="get" action={`${home}#link`} class="grid grid-cols-1 gap-4">
        <Field label="App" name="q" type="search" in_search value={words} maxlength={100} />
        <Actions>
          <Button>Find app</Button>
        </Actions>
      </form>
      {words !== '' && results.length === 0 && (
        <p class="text-sm text-muted" role="status">
          No app was found. Check the spelling.
        </p>
      )}
      {results.length > 0 && (
        <RecordRows
          records={results.map(({ slug, name, tagline }) => ({
            key: slug,
            title: name,
            details: [tagline],
            action: <GetLink home={home} slug={slug} describedby={recordDescription(slug)} />,
          }))}
        />
      )}
      {facts.has_more_results && (
        <p class="text-sm text-muted">More apps match. Enter more of the name.</p>
      )}
      {chosen && (
        <>
          <CopyField
            id="product_url"
            label={`${chosen.name}: product page`}
            value={chosen.product_url}
          />
          {chosen.buy_links.map(({ id, plan, amount, frequency, url }) => (
            <CopyField
              key={id}
              id={`link-${id}`}
              label={`${chosen.name}: ${plan}, ${priceText(amount, frequency)}`}
              value={url}
            />
          ))}
        </>
      )}
    </Panel>
  )
}

function GetLink(facts: { home: string; slug: string; describedby: string }): JSX.Element {
  const { home, slug, describedby } = facts
  return (
    <Button href={`${home}?app=${encodeURIComponent(slug)}#link`} describedby={describedby}>
      Get link
    </Button>
  )
}

const COLUMNS = [
  { label: 'App' },
  { label: 'Commission', numeric: true },
  { label: 'Purchases', numeric: true },
  { label: 'Clicks', numeric: true },
  { label: 'Link' },
]

/** An affiliate's referrals by app. */
export function ReferredApps(facts: ReferredFacts): JSX.Element {
  const { totals, rows, home } = facts
  return (
    <section id="apps" class="grid grid-cols-1 gap-4">
      <h2 class="text-lg font-semibold">By app</h2>
      {rows.length === 0 ? (
        <EmptyState title="No clicks yet">
          Get a link above and share it. Clicks appear here within a few seconds.
        </EmptyState>
      ) : (
        <>
          <Totals
            items={[
              { term: 'Commissions', detail: <Money amount={totals.commission} /> },
              { term: 'Purchases', detail: totals.purchases.toLocaleString('en-US') },
              { term: 'Clicks', detail: totals.clicks.toLocaleString('en-US') },
            ]}
          />
          <RecordTable
            caption="Referrals by app"
            columns={COLUMNS}
            rows={rows.map(({ app_id, slug, name, commission, purchases, clicks }) => ({
              key: app_id ?? 'marketplace',
              cells: [
                <span id={`referred-${slug}`}>{name ?? 'Purser’s home page'}</span>,
                <Money amount={commission} />,
                purchases.toLocaleString('en-US'),
                clicks.toLocaleString('en-US'),
                slug === null ? (
                  ''
                ) : (
                  <GetLink home={home} slug={slug} describedby={`referred-${slug}`} />
                ),
              ],
            }))}
          />
          <p class="text-sm text-muted">
            A visitor counts as one click per app and day. Bots are not counted.
          </p>
        </>
      )}
      <Pager newest={facts.latest} older={facts.older} />
    </section>
  )
}
