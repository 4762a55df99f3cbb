import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Money } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel, Totals } from '#design/panels'
import { RecordTable } from '#design/records'
import type { AffiliateFigures, ReferredFigures } from '#domain/affiliates'
import { ReferredChart, type ReferredChartFacts } from '#http/referred-chart'
import type { ChosenRange } from './figure-range.ts'
import { RangeChoice } from './figures-panels.tsx'
import { type AppFacts, AppPage } from './layout.tsx'

const COLUMNS = [
  { label: 'Affiliate' },
  { label: 'Net revenue', numeric: true },
  { label: 'Commission', numeric: true },
  { label: 'Purchases', numeric: true },
  { label: 'Clicks', numeric: true },
]

/** The referrals of an app by affiliate. */
export function AffiliatesPage(
  facts: AppFacts & {
    base: string
    chosen: ChosenRange
    rows: AffiliateFigures[]
    totals: ReferredFigures
    chart: ReferredChartFacts
    /** The address of the same figures as CSV. */
    csv: string
    older: string | undefined
    newest: string | undefined
    /** Where an account becomes an affiliate. */
    join_url: string
  },
): JSX.Element {
  const { totals, rows } = facts
  return (
    <AppPage
      {...facts}
      current="affiliates"
      intro="The affiliates who refer buyers to you. Purser pays their commission from its own fee."
    >
      <RangeChoice base={facts.base} chosen={facts.chosen} />
      {rows.length === 0 ? (
        <EmptyState title="No referrals in this period">
          Anyone can refer buyers to you, and earns a quarter of Purser’s fee. They join at{' '}
          <TextLink href={facts.join_url}>{facts.join_url}</TextLink>.
        </EmptyState>
      ) : (
        <Panel>
          <Totals
            items={[
              { term: 'Net revenue', detail: <Money amount={totals.net} /> },
              { term: 'Commission', detail: <Money amount={totals.commission} /> },
              { term: 'Purchases', detail: totals.purchases.toLocaleString('en-US') },
              { term: 'Clicks', detail: totals.clicks.toLocaleString('en-US') },
            ]}
          />
          {facts.chart.days.length > 0 && (
            <ReferredChart {...facts.chart} title="Net revenue and commission" shows_net />
          )}
          <RecordTable
            caption="Affiliates, highest net revenue first"
            columns={COLUMNS}
            rows={rows.map((row) => ({
              key: row.affiliate_id,
              cells: [
                row.code,
                <Money amount={row.net} />,
                <Money amount={row.commission} />,
                row.purchases.toLocaleString('en-US'),
                row.clicks.toLocaleString('en-US'),
              ],
            }))}
          />
          <p class="text-sm text-muted">
            Net revenue is what you earned on all payments of referred buyers, renewals included,
            after refunds and disputes. A visitor counts as one click per app and day. Bots are not
            counted.
          </p>
          <Actions>
            <Button href={facts.csv} icon="arrow-down">
              Export CSV
            </Button>
          </Actions>
        </Panel>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </AppPage>
  )
}
