import { formatMoney } from '#design/money'
import type { InvoiceLine, InvoiceLineKind, Receipt } from '#domain/billing'

const LABELS: Record<InvoiceLineKind, (receipt: Receipt, line: InvoiceLine) => string> = {
  price: ({ app_name, product_name, frequency }) =>
    `${app_name} ${product_name}, ${frequency ? `one ${frequency}` : 'one-time payment'}`,
  discount: (_, { code }) => `Discount ${code}`,
  credit: () => 'Credit for the unused part of the previous plan',
  trial: () => 'Free trial',
}

/** The lines of a receipt, for emails and the PDF. */
export function receiptLines(receipt: Receipt): [label: string, amount: string][] {
  return receipt.lines.map((line: InvoiceLine) => [
    LABELS[line.kind](receipt, line),
    formatMoney(line.amount),
  ])
}
