import type { BadgeTone } from '#design/feedback'
import { formatMoney } from '#design/money'
import type { InvoiceKind } from '#domain/billing'
import type { Dispute, LicenseOrigin, Refund } from '#domain/payments'
import type { RefundRefusal } from '#flows/refund'
import type { Side } from '#http/guards/seller-or-staff'
import type { Cents } from '#platform/money'

type Labeled = readonly [label: string, tone: BadgeTone]

export const KIND_LABELS: Record<InvoiceKind, string> = {
  purchase: 'Purchase',
  renewal: 'Renewal',
  upgrade: 'Upgrade',
}

export const REFUND_LABELS: Record<Refund['status'], Labeled> = {
  open: ['Processing', 'warn'],
  pending: ['Pending', 'info'],
  succeeded: ['Refunded', 'good'],
  failed: ['Returned', 'bad'],
  refused: ['Failed', 'neutral'],
}

export const DISPUTE_LABELS: Record<Dispute['status'], Labeled> = {
  inquiry: ['Inquiry', 'info'],
  inquiry_closed: ['Inquiry closed', 'neutral'],
  open: ['Open', 'warn'],
  won: ['Won', 'good'],
  lost: ['Lost', 'bad'],
}

/** How a license began. */
export const ORIGIN_LABELS: Record<LicenseOrigin, string> = {
  purchase: 'Bought',
  comp: 'Comp',
  import: 'Imported',
}

const REFUSAL_MESSAGES: Record<Exclude<RefundRefusal, 'more_than_left'>, string> = {
  not_found: 'No such order.',
  sold_before_transfer:
    'A former seller of this app sold this, and a refund is paid from their balance. Contact support.',
  not_paid: 'This invoice was not charged, so it cannot be refunded.',
  too_late: 'Sellers can refund for 60 days. After that, contact support.',
  disputed: 'This payment is disputed. It cannot be refunded until the bank decides.',
  in_progress: 'Another refund of this payment is processing. Try again in a moment.',
  payment_pending: 'A payment of this license is being processed. Try again in a few minutes.',
  nothing_left: 'Nothing is left to refund. This payment was refunded or lost in a dispute.',
  not_an_amount: 'Enter an amount in dollars, such as 4.50.',
  changed: 'The amounts have changed. Review the refund again.',
}

/** Why nothing is refunded, for a seller or staff. */
export function refusalMessage(
  { refusal, left }: { refusal: RefundRefusal; left: Cents | undefined },
  as: Side,
): string {
  if (refusal === 'too_late' && as === 'staff') {
    return 'Support can refund for 60 days. After that, ask finance.'
  }
  if (refusal === 'more_than_left') return `Enter at most ${formatMoney(left!)}.`
  return REFUSAL_MESSAGES[refusal]
}
