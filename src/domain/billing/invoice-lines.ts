import { type Cents, cents, sum } from '#platform/money'

/**
 * What an invoice line is for: the price of a plan, a discount code, the unused part of the
 * previous plan that an upgrade credits, or a free trial or prepaid time at another service, which
 * deducts the rest of the price.
 */
export type InvoiceLineKind = 'price' | 'discount' | 'credit' | 'trial' | 'prepaid'

/** An invoice line, in cents before tax; negative for a deduction. */
export interface InvoiceLine {
  kind: InvoiceLineKind
  amount: Cents
  /** The code of a discount. */
  code?: string
}

/** A discount code, and the amount it takes off a price, in cents before tax. */
export interface CodeDiscount {
  code: string
  amount: Cents
}

/** The lines for a price and its discount, if there is one. */
export function priceLines(price: Cents, discount: CodeDiscount | undefined): InvoiceLine[] {
  const line: InvoiceLine = { kind: 'price', amount: price }
  if (!discount) return [line]
  const { code, amount } = discount
  return [line, { kind: 'discount', amount: cents(-amount), code }]
}

/** The discount of an invoice; undefined if it has none. */
export function discountOn({ lines }: { lines: readonly InvoiceLine[] }): CodeDiscount | undefined {
  const line = lines.find(({ kind }) => kind === 'discount')
  return line && { code: line.code!, amount: cents(-line.amount) }
}

/** The sum of lines, in cents before tax. */
export function linesTotal(lines: readonly InvoiceLine[]): Cents {
  return sum(...lines.map(({ amount }) => amount))
}

/** The price of an invoice's plan, in cents before tax and before deductions. */
export function priceOf({ lines }: { lines: readonly InvoiceLine[] }): Cents {
  return linesTotal(lines.filter(({ kind }) => kind === 'price'))
}

/** The same, less the discount. */
export function discountedPriceOf(invoice: { lines: readonly InvoiceLine[] }): Cents {
  return cents(priceOf(invoice) - (discountOn(invoice)?.amount ?? 0))
}

/** The credit on an invoice for the unused part of the previous plan, in cents; never negative. */
export function creditOf({ lines }: { lines: readonly InvoiceLine[] }): Cents {
  const credits = lines.filter(({ kind }) => kind === 'credit')
  return sum(...credits.map(({ amount }) => -amount as Cents))
}
