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

/** Cents as an amount in US dollars, exact at any size: `123456` is `$1,234.56`. */
export function formatMoney(cents: number | bigint): string {
  const exact = BigInt(cents)
  const size = exact < 0n ? -exact : exact
  const decimal = `${exact < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
  return dollars.format(decimal as Intl.StringNumericLiteral)
}

/** An amount of money given in cents, in figures of even width. */
export function Money({ cents }: { cents: number | bigint }): JSX.Element {
  return <span class="whitespace-nowrap tabular-nums">{formatMoney(cents)}</span>
}

function rhythmOf(free: boolean, frequency: PriceFrequency): string {
  if (free) return 'free'
  return frequency ? `per ${frequency}` : 'paid once'
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
      <span class="text-sm text-muted">{rhythmOf(free, facts.frequency)}</span>
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
