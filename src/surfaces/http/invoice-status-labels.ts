import type { BadgeTone } from '#design/feedback'
import type { SellerInvoiceStatus } from '#domain/billing'

/** The statuses of invoices in words, for their seller and for staff. */
export const INVOICE_STATUS_LABELS: Record<
  SellerInvoiceStatus,
  readonly [label: string, tone: BadgeTone]
> = {
  paid: ['Paid', 'good'],
  refund_pending: ['Refund pending', 'info'],
  partly_refunded: ['Partly refunded', 'info'],
  refunded: ['Refunded', 'neutral'],
  disputed: ['Disputed', 'warn'],
  dispute_lost: ['Dispute lost', 'bad'],
  open: ['Open', 'warn'],
  void: ['Void', 'neutral'],
}
