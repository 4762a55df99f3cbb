import type { BadgeTone } from '#design/feedback'
import type { InvoiceState, SellerInvoiceStatus } from '#domain/billing'

/** The statuses of invoices in words, for their seller and for staff. */
export const INVOICE_STATUS_LABELS: Record<
  SellerInvoiceStatus,
  readonly [label: string, tone: BadgeTone]
> = {
  paid: ['Paid', 'good'],
  partly_refunded: ['Partly refunded', 'info'],
  refunded: ['Refunded', 'neutral'],
  disputed: ['Disputed', 'warn'],
  dispute_lost: ['Dispute lost', 'bad'],
  open: ['Open', 'warn'],
  void: ['Void', 'neutral'],
}

/** The label of an invoice: a refund that the buyer's card has not confirmed is pending. */
export function invoiceLabel({ status, refund_pending }: InvoiceState) {
  const isRefunded = status === 'refunded' || status === 'partly_refunded'
  if (isRefunded && refund_pending > 0) return ['Refund pending', 'info'] as const
  return INVOICE_STATUS_LABELS[status]
}
