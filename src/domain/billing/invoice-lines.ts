import { type Cents, sum } from '#platform/money'

/**
 * What an invoice line is for: the price of a plan, the unused part of the plan before that an
 * upgrade credits, or a free trial, which deducts the whole price.
 */
export type InvoiceLineKind = 'price' | 'credit' | 'trial'

/** An invoice line, in cents before tax; negative for a deduction. */
export interface InvoiceLine {
  kind: InvoiceLineKind
  amount: Cents
}

/** The sum of lines, in cents before tax. */
export function linesTotal(lines: readonly InvoiceLine[]): Cents {
  return sum(...lines.map(({ amount }) => amount))
}

/** The price of an invoice's plan, in cents before tax and before deductions. */
export function priceOf({ lines }: { lines: readonly InvoiceLine[] }): Cents {
  return linesTotal(lines.filter(({ kind }) => kind === 'price'))
}

/** The credit of an invoice for the unused part of the plan before, in cents; never negative. */
export function creditOf({ lines }: { lines: readonly InvoiceLine[] }): Cents {
  const credits = lines.filter(({ kind }) => kind === 'credit')
  return sum(...credits.map(({ amount }) => -amount as Cents))
}
