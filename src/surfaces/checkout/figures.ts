import { adverbOf, formatMoney, priceText, taxLabel } from '#design/money'
import type { OrderFigures } from '#design/order'
import type { ProductPrice } from '#domain/catalog'
import type { CheckoutTotals } from '#flows/checkout'
import { isoDate } from '#platform/calendar'
import { type Cents, cents, ZERO } from '#platform/money'

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

function day(at: Date): string {
  return longDay.format(new Date(isoDate(at)))
}

/** The order's lines before an address is entered, without tax. */
export function figuresBeforeTax(price: ProductPrice): OrderFigures {
  return {
    items: [{ label: price.product_name, amount: price.amount }],
    subtotal: price.amount,
    tax: null,
    total: price.amount,
    renewal: rhythm(price),
  }
}

/** The order's lines with tax, and the next charge. */
export function figuresOf(price: ProductPrice, totals: CheckoutTotals): OrderFigures {
  const { quote, total, terms, trial_days } = totals
  const isTrial = terms.status === 'trialing'
  return {
    items: [{ label: price.product_name, amount: quote.amount }],
    subtotal: quote.amount,
    tax: quote.tax,
    tax_label: taxLabel(quote),
    ...(isTrial ? { deduction: freeTrial(total) } : {}),
    total: isTrial ? ZERO : total,
    renewal: isTrial
      ? `Free for ${trial_days} days. Then ${priceText(total, price.frequency)}. First charge: ${day(terms.period_end!)}. Cancel anytime.`
      : renewal(price, { total, period_end: terms.period_end }),
  }
}

/** The discount line of a trial. */
export function freeTrial(total: Cents): { label: string; amount: Cents } {
  return { label: 'Free trial', amount: cents(0 - total) }
}

/** A sentence about the renewal. */
export function renewal(
  price: Pick<ProductPrice, 'frequency'>,
  facts: { total: Cents; period_end: Date | null },
): string {
  if (price.frequency === null || !facts.period_end) return 'One-time payment. Nothing renews.'
  return `Renews ${adverbOf(price.frequency)} at ${formatMoney(facts.total)}. Next charge: ${day(facts.period_end)}. Cancel anytime.`
}

function rhythm(price: ProductPrice): string {
  if (price.frequency === null) return 'One-time payment. Nothing renews.'
  const trial = price.trial_days > 0 ? `Starts with ${price.trial_days} days free. ` : ''
  return `${trial}Renews ${adverbOf(price.frequency)}. Cancel anytime.`
}

/** The order's lines for the processor's card page. */
export function summaryLines(price: ProductPrice, totals: CheckoutTotals): string[] {
  const { subtotal, tax, tax_label, total, renewal } = figuresOf(price, totals)
  return [
    `${formatMoney(total)} due today`,
    `Subtotal: ${formatMoney(subtotal)}`,
    `${tax_label}: ${formatMoney(tax ?? ZERO)}`,
    String(renewal),
  ]
}
