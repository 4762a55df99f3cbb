import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Chart } from '#design/chart'
import { ErrorLine } from '#design/feedback'
import { Field } from '#design/forms'
import { formatDay, formatMoney, Money } from '#design/money'
import { SubNav } from '#design/navigation'
import { DescriptionList, EmptyState, Panel } from '#design/panels'
import type { OverviewFigures } from '#domain/metrics'
import { amountsByDay, textOf } from '#http/chart-text'
import { withMinus } from '#platform/language/locale'
import { type Cents, cents, sum } from '#platform/money'
import { counted } from '#platform/text'
import { RANGE_DAYS } from './figure-range.ts'
import type { FiguresFacts, NextPayout } from './figures.ts'
import { LatestLists } from './figures-lists.tsx'

/** The figures of a date range: range picker, tiles, charts, checkout steps and latest events. */
export function Figures(facts: FiguresFacts): JSX.Element {
  const { figures } = facts
  const hasMoney = figures.steps.some(
    ({ net, former_net, mrr }) => net !== 0 || former_net !== 0 || mrr !== 0,
  )
  return (
    <>
      <RangeChoice {...facts} />
      <Tiles {...facts} />
      {hasMoney ? (
        <>
          <Panel>
            <RevenueChart figures={figures} />
          </Panel>
          <Panel>
            <MrrChart figures={figures} />
            <DescriptionList items={mrrItems(figures)} />
          </Panel>
        </>
      ) : (
        <EmptyState title="No revenue in this period">
          Charts appear here after the first sale.
        </EmptyState>
      )}
      <Checkout figures={figures} />
      <LatestLists {...facts} />
    </>
  )
}

/**
 * The offered periods, and a form for another. Both are as far down as its fields, which are below
 * their labels and may have an error below them.
 */
export function RangeChoice({ base, chosen }: Pick<FiguresFacts, 'base' | 'chosen'>): JSX.Element {
  const { typed, days, fault } = chosen
  const links = RANGE_DAYS.map((length) => ({
    label: `${length} days`,
    href: `${base}?days=${length}`,
    current: length === days && !fault,
  }))
  const dates = { type: 'date', shared_error: fault && 'range-error' } as const
  return (
    <section
      class="flex flex-wrap items-start justify-between gap-x-6 gap-y-4"
      aria-label="Choose a period"
    >
      <div class="md:pt-7">
        <SubNav label="Period" links={links} />
      </div>
      <form method="get" action={base} class="flex flex-wrap items-start gap-4">
        <div class="w-36">
          <Field label="From" {...dates} name="from" value={typed.from} />
        </div>
        <div class="w-36">
          <Field label="To" {...dates} name="to" value={typed.to} />
        </div>
        <div class="sm:pt-7">
          <Actions>
            <Button>Show</Button>
          </Actions>
        </div>
        {fault && (
          <div class="w-0 min-w-full">
            <ErrorLine id="range-error">{fault}</ErrorLine>
          </div>
        )}
      </form>
      <p class="basis-full text-sm text-muted">Days begin at midnight UTC.</p>
    </section>
  )
}

/** A figure with its name and a line about it. */
interface TileFacts {
  name: string
  value: ComponentChildren
  note: ComponentChildren
}

function Tiles(facts: FiguresFacts): JSX.Element {
  return (
    <dl class="grid grid-cols-2 gap-px overflow-hidden rounded-box border border-base-300 bg-base-300 lg:grid-cols-4">
      {tilesOf(facts).map(({ name, value, note }) => (
        <div key={name} class="grid content-start gap-1 bg-base-100 p-4 sm:p-5">
          <dt class="text-sm text-muted">{name}</dt>
          <dd class="text-xl font-semibold tabular-nums">{value}</dd>
          <dd class="text-sm text-muted">{note}</dd>
        </div>
      ))}
    </dl>
  )
}

function tilesOf({ figures, payout }: FiguresFacts): TileFacts[] {
  const { net, former_net, mrr, mrr_before, licenses, sales } = figures
  const owing = licenses.past_due + licenses.unpaid
  const rate = (part: number) => (sales === 0 ? '0%' : percent.format(part / sales))
  const ofAll = (part: number) => `${numbers.format(part)} of ${counted(sales, 'payment')}`
  return [
    { name: 'Net revenue', value: <Money amount={net} />, note: comparison(net, former_net) },
    {
      name: 'Monthly recurring revenue',
      value: <Money amount={mrr} />,
      note: `${signed(cents(mrr - mrr_before))} in this period`,
    },
    {
      name: 'Active',
      value: numbers.format(licenses.active),
      note: `and ${numbers.format(licenses.one_time_active)} one-time`,
    },
    {
      name: 'Trialing',
      value: numbers.format(licenses.trialing),
      note: `and ${numbers.format(licenses.paused)} paused`,
    },
    {
      name: 'Past due',
      value: numbers.format(owing),
      note: `${numbers.format(licenses.unpaid)} with one retry left`,
    },
    { name: 'Refund rate', value: rate(figures.refunds), note: ofAll(figures.refunds) },
    { name: 'Dispute rate', value: rate(figures.disputes), note: ofAll(figures.disputes) },
    payout
      ? payoutTile(payout)
      : { name: 'Payments', value: numbers.format(sales), note: 'renewals included' },
  ]
}

const OBSTACLES: Record<NonNullable<NextPayout['obstacle']>, string> = {
  debt: 'Deducted from your next earnings',
  paused: 'Paused',
  too_little: 'Below the minimum',
  returned: 'Change or confirm your bank account',
  no_bank: 'Add a bank account',
}

function payoutTile({ amount, at, obstacle }: NextPayout): TileFacts {
  const text = obstacle ? OBSTACLES[obstacle] : formatDay(at)
  return {
    name: 'Next payout',
    value: <Money amount={amount} />,
    note: <TextLink href="/dashboard/payouts/">{text}</TextLink>,
  }
}

const numbers = new Intl.NumberFormat('en-US')
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })
const change = new Intl.NumberFormat('en-US', {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
})

function comparison(now: Cents, before: Cents): string {
  if (before <= 0) return `${formatMoney(before)} in the period before`
  const rate = withMinus(change.format(now / before - 1))
  return `${rate} from ${formatMoney(before)} before`
}

function signed(amount: Cents): string {
  return `${amount > 0 ? '+' : ''}${formatMoney(amount)}`
}

function RevenueChart({ figures }: { figures: OverviewFigures }): JSX.Element {
  const { range, net, former_net, steps } = figures
  return (
    <Chart
      id="revenue"
      title="Net revenue"
      description={`From ${textOf(range)}: ${formatMoney(net)}. In the period before: ${formatMoney(former_net)}.`}
      {...amountsByDay(range, steps)}
      series={[
        { name: 'This period', values: steps.map((step) => step.net) },
        { name: 'Period before', values: steps.map((step) => step.former_net), is_dashed: true },
      ]}
    />
  )
}

function MrrChart({ figures }: { figures: OverviewFigures }): JSX.Element {
  const { range, mrr, mrr_before, steps } = figures
  return (
    <Chart
      id="mrr"
      title="Monthly recurring revenue"
      description={`From ${textOf(range)}: from ${formatMoney(mrr_before)} to ${formatMoney(mrr)}.`}
      {...amountsByDay(range, steps)}
      series={[{ name: 'At the end of these days', values: steps.map((step) => step.mrr) }]}
    />
  )
}

const MRR_LABELS = {
  mrr_new: 'New',
  mrr_reactivation: 'Reactivated',
  mrr_expansion: 'Expansion',
  mrr_contraction: 'Contraction',
  mrr_churn: 'Churn',
} as const

function mrrItems({ mrr_changes }: OverviewFigures) {
  const names = Object.keys(MRR_LABELS) as (keyof typeof MRR_LABELS)[]
  const total = sum(...names.map((name) => mrr_changes[name]))
  return [
    ...names.map((name) => ({ term: MRR_LABELS[name], detail: signed(mrr_changes[name]) })),
    { term: 'Change in this period', detail: signed(total) },
  ]
}

const STEPS = [
  { name: 'cart_details', label: 'Details entered' },
  { name: 'cart_card', label: 'Card entered' },
  { name: 'cart_confirmation', label: 'Order confirmed' },
  { name: 'cart_paid', label: 'Paid' },
] as const

/** How many checkouts reached each step, with a bar for its part of all of them. */
function Checkout({ figures: { carts } }: { figures: OverviewFigures }): JSX.Element {
  const first = carts.cart_details
  return (
    <Panel title="Checkout">
      <dl class="grid gap-4 text-sm">
        {STEPS.map(({ name, label }) => (
          <div key={name} class="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <dt>{label}</dt>
            <dd class="tabular-nums">
              {numbers.format(carts[name])}{' '}
              <span class="ms-3 inline-block min-w-11 text-end text-muted">
                {first === 0 ? '0%' : percent.format(carts[name] / first)}
                <span class="sr-only"> of all checkouts</span>
              </span>
            </dd>
            <dd class="basis-full" aria-hidden="true">
              <progress class="progress progress-primary" max={first || 1} value={carts[name]} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
