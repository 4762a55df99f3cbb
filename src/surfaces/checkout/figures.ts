import { priceText, taxLabel } from '#design/money'
import type { OrderFigures } from '#design/order'
import type { CodeDiscount } from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import type { CheckoutTotals } from '#flows/checkout'
import { isoDate } from '#platform/calendar'
import type { Locale } from '#platform/language/locale'
import { type Cents, cents, sum, ZERO } from '#platform/money'

/** The day in UTC of an instant. */
const dayOf = (at: Date) => new Date(isoDate(at))

/** The order's lines before an address is entered, without tax. */
export function figuresBeforeTax(
  price: ProductPrice,
  discount: CodeDiscount | undefined,
  locale: Locale,
  prepaid_until?: Date,
): OrderFigures {
  const { t, day } = locale
  const subtotal = cents(price.amount - (discount?.amount ?? ZERO))
  const prepaid = prepaid_until && {
    deduction: { label: t('checkout.prepaid'), amount: cents(0 - subtotal) },
    total: ZERO,
    renewal: t('checkout.first_charge', { day: day(dayOf(prepaid_until)) }),
  }
  return {
    items: itemsOf(price, { subtotal, discount }, locale),
    subtotal,
    tax: null,
    total: subtotal,
    renewal: renewalBeforeTax(price, locale),
    ...prepaid,
  }
}

/** A plan at its price, and the discount on it. */
export function itemsOf(
  { product_name }: { product_name: string },
  { subtotal, discount }: { subtotal: Cents; discount: CodeDiscount | null | undefined },
  { t }: Locale,
): OrderFigures['items'] {
  if (!discount) return [{ label: product_name, amount: subtotal }]
  const { code, amount } = discount
  return [
    { label: product_name, amount: sum(subtotal, amount) },
    { label: t('checkout.discount', { code }), amount: cents(0 - amount) },
  ]
}

/** The order's lines with tax, and the next charge. */
export function figuresOf(
  price: ProductPrice,
  totals: CheckoutTotals,
  locale: Locale,
): OrderFigures {
  const { quote, total, is_waived, discount, terms, prepaid_until } = totals
  const is_trial = terms.status === 'trialing'
  const is_prepaid = prepaid_until !== undefined
  return {
    items: itemsOf(price, { subtotal: quote.amount, discount }, locale),
    subtotal: quote.amount,
    tax: quote.tax,
    tax_label: taxLabel(quote, locale),
    deduction: deductionOf(total, { is_trial, is_prepaid, is_waived }, locale),
    total: terms.due_now,
    renewal:
      is_trial || is_prepaid
        ? afterFirst(price, totals, locale)
        : renewal(price, { ...totals, ...terms }, locale),
  }
}

/**
 * The line that deducts the whole total: for a trial, for a payment made elsewhere, or for an
 * amount that is too small to charge.
 */
export function deductionOf(
  total: Cents,
  { is_trial, is_prepaid, is_waived }: Record<'is_trial' | 'is_prepaid' | 'is_waived', boolean>,
  { t }: Locale,
): OrderFigures['deduction'] {
  const amount = cents(0 - total)
  if (is_waived) return { label: t('checkout.waived'), amount }
  if (is_prepaid && total > ZERO) return { label: t('checkout.prepaid'), amount }
  return is_trial && total > ZERO ? { label: t('checkout.free_trial'), amount } : undefined
}

/** The cost of the periods that follow a purchase, with tax. */
export type LaterPeriods = Pick<CheckoutTotals, 'total' | 'full_total' | 'discounted_periods'>

/** What follows a trial, or what was paid at another service. */
function afterFirst(price: ProductPrice, totals: CheckoutTotals, locale: Locale): string {
  const { t, day } = locale
  const { terms, trial_days, prepaid_until } = totals
  const cost = costAfterFirst(price, totals, locale)
  const first = day(dayOf(terms.period_end!))
  if (prepaid_until) return t('checkout.after_prepaid', { cost, day: first })
  return t('checkout.after_trial', { days: trial_days, cost, day: first })
}

function costAfterFirst(
  { frequency }: ProductPrice,
  { total, full_total, discounted_periods: count }: CheckoutTotals,
  locale: Locale,
): string {
  const { t, money } = locale
  const price = priceText(total, frequency, locale)
  if (count === null) return price
  const full = priceText(full_total, frequency, locale)
  if (count === 1) return t('checkout.cost_once_then', { amount: money(total), full })
  return t('checkout.cost_periods_then', { price, count, full })
}

/** A sentence about the renewal. */
export function renewal(
  price: Pick<ProductPrice, 'frequency'>,
  facts: LaterPeriods & { period_end: Date | null },
  locale: Locale,
): string {
  const { t, day } = locale
  const { frequency } = price
  if (frequency === null || !facts.period_end) return t('checkout.one_time')
  const next = day(dayOf(facts.period_end))
  return t(`checkout.renews_${frequency}`, { cost: costLater(facts, locale), day: next })
}

function costLater(
  { total, full_total, discounted_periods: count }: LaterPeriods,
  { t, money }: Locale,
): string {
  if (count === null) return money(total)
  if (count === 0) return money(full_total)
  return t('checkout.cost_discounted', { amount: money(total), count, full: money(full_total) })
}

function renewalBeforeTax({ frequency, trial_days }: ProductPrice, { t }: Locale): string {
  if (frequency === null) return t('checkout.one_time')
  const renewal = t(`checkout.renewal_${frequency}`)
  return trial_days > 0 ? t('checkout.trial_first', { days: trial_days, renewal }) : renewal
}

/** The order's lines for the processor's card page. */
export function summaryLines(
  price: ProductPrice,
  totals: CheckoutTotals,
  locale: Locale,
): string[] {
  const { t, money } = locale
  const { subtotal, tax, tax_label, total, renewal, items } = figuresOf(price, totals, locale)
  const [, ...discounted] = items
  const line = (label: string, amount: Cents) =>
    t('checkout.summary_line', { label, amount: money(amount) })
  return [
    t('checkout.summary_due', { amount: money(total) }),
    ...discounted.map(({ label, amount }) => line(label, amount)),
    line(t('order.subtotal'), subtotal),
    line(tax_label ?? t('money.sales_tax'), tax ?? ZERO),
    ...(renewal === undefined ? [] : [renewal]),
  ]
}
