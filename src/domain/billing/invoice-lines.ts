import { type Cents, sum } from '#platform/money'

/**
 * What a line of an invoice is for: the price of a plan, the unused part of the plan before that an
 * upgrade credits, or a free trial, which takes off the whole price.
 */
export type InvoiceLineKind = 'price' | 'credit' | 'trial'

/** A line of an invoice, in cents before tax; negative where it takes something off. */
export interface InvoiceLine {
  kind: InvoiceLineKind
  amount: Cents
}

/** What lines come to, in cents before tax. */
export function linesTotal(lines: readonly InvoiceLine[]): Cents {
  return sum(...lines.map(({ amount }) => amount))
}

/** What an invoice's plan costs, in cents before tax and before anything is taken off. */
export function priceOf({ lines }: { lines: readonly InvoiceLine[] }): Cents {
  return linesTotal(lines.filter(({ kind }) => kind === 'price'))
}

/** What an invoice credits for an unused part of the plan before, in cents; never negative. */
export function creditOf({ lines }: { lines: readonly InvoiceLine[] }): Cents {
  const credits = lines.filter(({ kind }) => kind === 'credit')
  return sum(...credits.map(({ amount }) => -amount as Cents))
}
