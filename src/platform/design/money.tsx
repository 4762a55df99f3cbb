import type { JSX } from 'preact'
import type { Frequency } from '#platform/calendar'
import { ENGLISH, type Locale } from '#platform/language/locale'
import type { Cents } from '#platform/money'
import { useLocale } from './locale.tsx'

/** How often a price is charged; null for a price that is paid once. */
export type PriceFrequency = Frequency | null

const ADVERBS = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

/** How often a price is charged, as an adverb: "monthly". */
export function adverbOf(frequency: Frequency): string {
  return ADVERBS[frequency]
}

/** An amount as US dollars: 123456 cents are `$1,234.56`, and -7 are `−$0.07` (U+2212). */
export function formatMoney(amount: Cents): string {
  return ENGLISH.money(amount)
}

/** How often a price is charged: "per month", or "once". */
export function frequencyText(frequency: PriceFrequency, { t }: Locale = ENGLISH): string {
  return frequency === null ? t('money.once') : t(`money.per_${frequency}`)
}

/** An amount and how often it is charged: "$12.00 per month", "$79.00 once". */
export function priceText(
  amount: Cents,
  frequency: PriceFrequency,
  locale: Locale = ENGLISH,
): string {
  const { t, money } = locale
  return t('money.price', { amount: money(amount), frequency: frequencyText(frequency, locale) })
}

/**
 * The label of a line of sales tax on an amount: "Sales tax (TX)", or "Sales tax (OR, none)". An
 * amount of zero has no tax in any state.
 */
export function taxLabel(
  { state, amount, tax }: { state: string; amount: Cents; tax: Cents },
  { t }: Locale = ENGLISH,
): string {
  const isNone = tax === 0 && amount > 0
  return t(isNone ? 'money.sales_tax_none' : 'money.sales_tax_in', { state })
}

/** An amount of money, in figures of even width. */
export function Money({ amount }: { amount: Cents }): JSX.Element {
  return <span class="whitespace-nowrap tabular-nums">{useLocale().money(amount)}</span>
}

/** A price and how often it is charged. */
export function Price(facts: { amount: Cents; frequency: PriceFrequency }): JSX.Element {
  const locale = useLocale()
  const free = facts.amount === 0
  return (
    <span class="inline-flex flex-wrap items-baseline gap-x-1.5">
      <span class="text-2xl font-semibold tracking-tight">
        {free ? '$0' : <Money amount={facts.amount} />}
      </span>{' '}
      <span class="text-sm text-muted">
        {free ? locale.t('money.free') : frequencyText(facts.frequency, locale)}
      </span>
    </span>
  )
}

/** A calendar day in UTC as "June 30, 2026". */
export function formatDay(date: Date): string {
  return ENGLISH.day(date)
}

/** A calendar day in UTC, from `YYYY-MM-DD` or an instant, as "June 30, 2026". */
export function Day({ date }: { date: string | Date }): JSX.Element {
  const instant = new Date(date)
  return <time datetime={instant.toISOString().slice(0, 10)}>{useLocale().day(instant)}</time>
}

const short_days = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A calendar day in UTC, short enough for a wide table or an axis on a phone: "Jun 30, 2026". */
export function formatShortDay(date: Date): string {
  return short_days.format(date)
}

/** A calendar day in UTC, as "Jun 30, 2026". */
export function ShortDay({ date }: { date: Date }): JSX.Element {
  return <time datetime={date.toISOString().slice(0, 10)}>{formatShortDay(date)}</time>
}

/** An instant in UTC as "June 30, 2026 at 4:05 PM UTC". */
export function formatMoment(at: Date): string {
  return ENGLISH.t('money.moment', { moment: ENGLISH.moment(at) })
}

/** An instant in UTC, as "June 30, 2026 at 4:05 PM UTC". */
export function Moment({ at }: { at: Date }): JSX.Element {
  const { t, moment } = useLocale()
  const text = t('money.moment', { moment: moment(at) })
  const time = text.search(/\S*\d\D*$/)
  // A line may break between the day and the time, but not within "4:05 PM UTC".
  return (
    <time datetime={at.toISOString()}>
      {text.slice(0, time)}
      <span class="whitespace-nowrap">{text.slice(time)}</span>
    </time>
  )
}
