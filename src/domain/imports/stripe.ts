import { readAmount } from '#platform/money'
import {
  missingEnd,
  momentIn,
  periodIn,
  readRow,
  recordOf,
  statusIn,
  unknownStatus,
} from './cell.ts'
import type { Cells, ImportRecord, SourceReader } from './record.ts'

const SUBSCRIPTION = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
  'incomplete',
  'incomplete_expired',
]
const PAID = ['paid', 'succeeded', 'partially_refunded', 'disputed']
/** With the names of the dashboard, and of the API, which the export has for some. */
const UNPAID = [
  'failed',
  'pending',
  'canceled',
  'uncaptured',
  'incomplete',
  'expired',
  'blocked',
  'processing',
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'requires_capture',
]
const PAYMENT = [...PAID, 'refunded', ...UNPAID]

/** Subscriptions of Stripe Billing, and payments for what was paid once, from the dashboard. */
export const stripe: SourceReader = {
  label: 'Stripe',
  file: 'Subscriptions, then payments for one-time purchases.',
  keyless_note:
    'Each payment becomes a lifetime license, unless it is for a subscription. Import only the plans that were paid once.',
  columns: {
    id: ['id', 'Subscription ID', 'PaymentIntent ID'],
    email: ['Customer Email', 'Email'],
    product: ['Product', 'Product Name', 'Checkout Line Item Summary', 'Description'],
    variant: ['Plan', 'Price', 'Price ID'],
    status: ['Status'],
    key: ['license_key (metadata)', 'License Key'],
    renews_at: ['Current Period End (UTC)', 'Current Period End'],
    ends_at: ['Ended At (UTC)', 'Ended At'],
    bought_at: ['Created date (UTC)', 'Created (UTC)', 'Created'],
    interval: ['Interval'],
    amount: ['Amount'],
    currency: ['Currency'],
    refunded: ['Amount Refunded'],
    disputed: ['Dispute Status'],
    reason: ['Description'],
  },
  required: ['id', 'email', 'status'],
  read: (cells, now) =>
    readRow(() => {
      const status = statusIn(cells)
      const isSubscription =
        cells('id').startsWith('sub_') ||
        cells('renews_at') !== '' ||
        (SUBSCRIPTION.includes(status) && !PAYMENT.includes(status))
      return isSubscription ? subscription(cells, now, status) : payment(cells, now, status)
    }),
}

function subscription(cells: Cells, now: Date, status: string): ImportRecord {
  if (!SUBSCRIPTION.includes(status)) unknownStatus(status, SUBSCRIPTION)
  const ends_at = momentIn(cells, 'ends_at') ?? momentIn(cells, 'renews_at', true)
  // The period of one that is past due has begun, but nothing is paid for it.
  const isPaid = status === 'active' || status === 'trialing'
  if (isPaid && ends_at === null) missingEnd()
  return recordOf(cells, now, {
    kind: 'subscription',
    ends_at,
    over: isPaid ? null : 'ended',
    period: periodIn(cells),
    in_dollars: true,
  })
}

function payment(cells: Cells, now: Date, status: string): ImportRecord | 'ignored' {
  // Stripe describes a payment for a subscription so, and the other export has its end.
  if (/^subscription (creation|update)/i.test(cells('reason'))) return 'ignored'
  if (!PAYMENT.includes(status)) unknownStatus(status, [...new Set([...PAYMENT, ...SUBSCRIPTION])])
  const over = UNPAID.includes(status) ? 'revoked' : isPaidBack(cells, status) ? 'refunded' : null
  return recordOf(cells, now, { kind: 'payment', ends_at: null, over, in_dollars: true })
}

function isPaidBack(cells: Cells, status: string): boolean {
  if (status === 'refunded' || cells('disputed').toLowerCase() === 'lost') return true
  const [amount, refunded] = [readAmount(cells('amount')), readAmount(cells('refunded'))]
  return amount !== undefined && refunded !== undefined && refunded > 0 && refunded >= amount
}
