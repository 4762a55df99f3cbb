import type { JSX } from 'preact'

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** How often a price is charged; null for a price that is paid once. */
export type PriceFrequency = 'day' | 'week' | 'month' | 'year' | null

/** How often, as an adverb: "Renews monthly". */
const ADVERBS = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

/** How often a price is charged, as an adverb: "monthly". */
export function adverbOf(frequency: NonNullable<PriceFrequency>): string {
  return ADVERBS[frequency]
}

const MINUS = '\u2212'

/** Cents as US dollars, exact at any size: `123456` is `$1,234.56`, `-7` is `−$0.07` (U+2212). */
export function formatMoney(cents: number | bigint): string {
  const exact = BigInt(cents)
  const size = exact < 0n ? -exact : exact
  const decimal = `${size / 100n}.${String(size % 100n).padStart(2, '0')}`
  return `${exact < 0n ? MINUS : ''}${dollars.format(decimal as Intl.StringNumericLiteral)}`
}

/** How often a price is charged: "per month", or "once". */
export function frequencyText(frequency: string | null): string {
  return frequency === null ? 'once' : `per ${frequency}`
}

/** An amount in cents and how often it is charged: "$12.00 per month", "$79.00 once". */
export function priceText(cents: number | bigint, frequency: string | null): string {
  return `${formatMoney(cents)} ${frequencyText(frequency)}`
}

/** The label of a line of sales tax: "Sales tax (TX)", or "Sales tax (OR, none)". */
export function taxLabel({ state, tax }: { state: string; tax: number }): string {
  return `Sales tax (${state}${tax === 0 ? ', none' : ''})`
}

/** An amount of money given in cents, in figures of even width. */
export function Money({ cents }: { cents: number | bigint }): JSX.Element {
  return <span class="whitespace-nowrap tabular-nums">{formatMoney(cents)}</span>
}

/** A price and how often it is charged. */
export function Price(facts: {
  amount_cents: number | bigint
  frequency: PriceFrequency
}): JSX.Element {
  const free = BigInt(facts.amount_cents) === 0n
  return (
    <span class="inline-flex flex-wrap items-baseline gap-x-1.5">
      <span class="text-2xl font-semibold tracking-tight">
        {free ? '$0' : <Money cents={facts.amount_cents} />}
      </span>{' '}
      <span class="text-sm text-muted">{free ? 'free' : frequencyText(facts.frequency)}</span>
    </span>
  )
}

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** A calendar day in UTC as "June 30, 2026". */
export function formatDay(date: Date): string {
  return longDay.format(date)
}

/** A calendar day in UTC, from `YYYY-MM-DD` or an instant, as "June 30, 2026". */
export function Day({ date }: { date: string | Date }): JSX.Element {
  const instant = new Date(date)
  return <time datetime={instant.toISOString().slice(0, 10)}>{formatDay(instant)}</time>
}

const longMoment = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** An instant in UTC, as "June 30, 2026 at 4:05 PM UTC". */
export function Moment({ at }: { at: Date }): JSX.Element {
  return <time datetime={at.toISOString()}>{longMoment.format(at)} UTC</time>
}
