import type { JSX } from 'preact'
import type { Cents } from '#platform/money'

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

/** An amount as US dollars: 123456 cents are `$1,234.56`, and -7 are `−$0.07` (U+2212). */
export function formatMoney(amount: Cents): string {
  const exact = BigInt(amount)
  const size = exact < 0n ? -exact : exact
  const decimal = `${size / 100n}.${String(size % 100n).padStart(2, '0')}`
  return `${exact < 0n ? MINUS : ''}${dollars.format(decimal as Intl.StringNumericLiteral)}`
}

/** How often a price is charged: "per month", or "once". */
export function frequencyText(frequency: string | null): string {
  return frequency === null ? 'once' : `per ${frequency}`
}

/** An amount and how often it is charged: "$12.00 per month", "$79.00 once". */
export function priceText(amount: Cents, frequency: string | null): string {
  return `${formatMoney(amount)} ${frequencyText(frequency)}`
}

/** The label of a line of sales tax: "Sales tax (TX)", or "Sales tax (OR, none)". */
export function taxLabel({ state, tax }: { state: string; tax: Cents }): string {
  return `Sales tax (${state}${tax === 0 ? ', none' : ''})`
}

/** An amount of money, in figures of even width. */
export function Money({ amount }: { amount: Cents }): JSX.Element {
  return <span class="whitespace-nowrap tabular-nums">{formatMoney(amount)}</span>
}

/** A price and how often it is charged. */
export function Price(facts: { amount: Cents; frequency: PriceFrequency }): JSX.Element {
  const free = facts.amount === 0
  return (
    <span class="inline-flex flex-wrap items-baseline gap-x-1.5">
      <span class="text-2xl font-semibold tracking-tight">
        {free ? '$0' : <Money amount={facts.amount} />}
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
