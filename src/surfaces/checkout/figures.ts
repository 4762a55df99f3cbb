import { adverbOf, formatMoney, priceText, taxLabel } from '#design/money'
import type { OrderFigures } from '#design/order'
import type { CodeDiscount } from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import type { CheckoutTotals } from '#flows/checkout'
import { isoDate } from '#platform/calendar'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { counted } from '#platform/text'

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

function day(at: Date): string {
  return longDay.format(new Date(isoDate(at)))
}

/** The order's lines before an address is entered, without tax. */
export function figuresBeforeTax(
  price: ProductPrice,
  discount: CodeDiscount | undefined,
): OrderFigures {
  const subtotal = cents(price.amount - (discount?.amount ?? ZERO))
  return {
    items: itemsOf(price, { subtotal, discount }),
    subtotal,
    tax: null,
    total: subtotal,
    renewal: rhythm(price),
  }
}

/** A plan at its price, and the discount on it. */
export function itemsOf(
  { product_name }: { product_name: string },
  { subtotal, discount }: { subtotal: Cents; discount: CodeDiscount | null | undefined },
): OrderFigures['items'] {
  if (!discount) return [{ label: product_name, amount: subtotal }]
  const { code, amount } = discount
  return [
    { label: product_name, amount: sum(subtotal, amount) },
    { label: `Discount ${code}`, amount: cents(0 - amount) },
  ]
}

/** The order's lines with tax, and the next charge. */
export function figuresOf(price: ProductPrice, totals: CheckoutTotals): OrderFigures {
  const { quote, total, is_waived, discount, terms } = totals
  const isTrial = terms.status === 'trialing'
  return {
    items: itemsOf(price, { subtotal: quote.amount, discount }),
    subtotal: quote.amount,
    tax: quote.tax,
    tax_label: taxLabel(quote),
    deduction: deductionOf(total, { is_trial: isTrial, is_waived }),
    total: terms.due_now,
    renewal: isTrial ? afterTrial(price, totals) : renewal(price, { ...totals, ...terms }),
  }
}

/** The line that deducts a total: of a trial, or of an amount that is too small to be charged. */
export function deductionOf(
  total: Cents,
  { is_trial, is_waived }: { is_trial: boolean; is_waived: boolean },
): OrderFigures['deduction'] {
  const amount = cents(0 - total)
  if (is_waived) return { label: 'Waived (below the minimum charge)', amount }
  return is_trial && total > ZERO ? { label: 'Free trial', amount } : undefined
}

/** The cost of the periods that follow a purchase, with tax. */
export type LaterPeriods = Pick<CheckoutTotals, 'total' | 'full_total' | 'discounted_periods'>

function afterTrial(price: ProductPrice, totals: CheckoutTotals): string {
  const { total, full_total, discounted_periods, terms, trial_days } = totals
  const full = priceText(full_total, price.frequency)
  const isOnce = discounted_periods === 1
  const discounted = isOnce
    ? `${formatMoney(total)} once`
    : `${priceText(total, price.frequency)} for ${discounted_periods} periods`
  const cost =
    discounted_periods === null ? priceText(total, price.frequency) : `${discounted}, then ${full}`
  return `Free for ${trial_days} days. Then ${cost}. First charge: ${day(terms.period_end!)}. Cancel anytime.`
}

/** A sentence about the renewal. */
export function renewal(
  price: Pick<ProductPrice, 'frequency'>,
  facts: LaterPeriods & { period_end: Date | null },
): string {
  if (price.frequency === null || !facts.period_end) return 'One-time payment. Nothing renews.'
  return `Renews ${adverbOf(price.frequency)} at ${costLater(facts)}. Next charge: ${day(facts.period_end)}. Cancel anytime.`
}

function costLater({ total, full_total, discounted_periods: left }: LaterPeriods): string {
  if (left === null) return formatMoney(total)
  if (left === 0) return formatMoney(full_total)
  return `${formatMoney(total)} for ${counted(left, 'more period')}, then at ${formatMoney(full_total)}`
}

function rhythm(price: ProductPrice): string {
  if (price.frequency === null) return 'One-time payment. Nothing renews.'
  const trial = price.trial_days > 0 ? `Starts with ${price.trial_days} days free. ` : ''
  return `${trial}Renews ${adverbOf(price.frequency)}. Cancel anytime.`
}

/** The order's lines for the processor's card page. */
export function summaryLines(price: ProductPrice, totals: CheckoutTotals): string[] {
  const { subtotal, tax, tax_label, total, renewal, items } = figuresOf(price, totals)
  const [, ...discounted] = items
  return [
    `${formatMoney(total)} due today`,
    ...discounted.map(({ label, amount }) => `${label}: ${formatMoney(amount)}`),
    `Subtotal: ${formatMoney(subtotal)}`,
    `${tax_label}: ${formatMoney(tax ?? ZERO)}`,
    String(renewal),
  ]
}
