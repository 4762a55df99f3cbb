import { missingEnd, momentIn, readRow, recordOf, statusIn, unknownStatus } from './cell.ts'
import type { Cells, ImportRecord, SourceReader } from './record.ts'

const SUBSCRIPTION = ['on_trial', 'active', 'past_due', 'paused', 'unpaid', 'cancelled', 'expired']
const LICENSE_KEY = ['inactive', 'active', 'expired', 'disabled']
const ORDER = ['paid', 'pending', 'failed', 'refunded', 'partial_refund', 'fraudulent']

/** Subscriptions, license keys and orders, with the names of the API and of the dashboard. */
export const lemonSqueezy: SourceReader = {
  label: 'Lemon Squeezy',
  file: 'Subscriptions, license keys and orders: one file at a time, in any order.',
  keyless_note:
    'Orders do not say whether they began a subscription. Import the file of subscriptions too, within 30 days: an order of a product and variant whose subscription has ended gives no license. Without that file, do not import the orders of subscriptions: each becomes a lifetime license.',
  columns: {
    id: ['id', 'subscription_id', 'license_key_id', 'order_number', 'order_id', 'identifier'],
    email: ['user_email', 'customer_email', 'email'],
    product: ['product_name', 'product'],
    variant: ['variant_name', 'variant'],
    status: ['status'],
    key: ['key', 'license_key'],
    renews_at: ['renews_at', 'renewal_date', 'next_renewal'],
    ends_at: ['ends_at', 'expires_at', 'end_date', 'expiry_date'],
    bought_at: ['created_at', 'date'],
    amount: ['price', 'subtotal', 'total'],
    currency: ['currency'],
    refunded: ['refunded'],
  },
  required: ['id', 'email', 'status'],
  read: (cells, now) =>
    readRow(() => {
      const status = statusIn(cells)
      if (cells('renews_at') !== '' || ['on_trial', 'past_due', 'cancelled'].includes(status)) {
        return subscription(cells, now, status)
      }
      return cells('key') === '' ? order(cells, now, status) : licenseKey(cells, now, status)
    }),
}

function subscription(cells: Cells, now: Date, status: string): ImportRecord {
  if (!SUBSCRIPTION.includes(status)) unknownStatus(status, SUBSCRIPTION)
  const ends_at = momentIn(cells, 'ends_at', true) ?? momentIn(cells, 'renews_at', true)
  if (ends_at === null && (status === 'on_trial' || status === 'active')) missingEnd()
  const isOver = ['paused', 'unpaid', 'expired'].includes(status) || ends_at === null
  return recordOf(cells, now, { kind: 'subscription', ends_at, over: isOver ? 'ended' : null })
}

function licenseKey(cells: Cells, now: Date, status: string): ImportRecord {
  if (!LICENSE_KEY.includes(status)) unknownStatus(status, LICENSE_KEY)
  const ends_at = momentIn(cells, 'ends_at', true)
  // A key is `inactive` while it has no activation: it is as good as an active one.
  const over = status === 'disabled' ? 'revoked' : status === 'expired' ? 'ended' : null
  return recordOf(cells, now, { kind: 'license_key', ends_at, over })
}

function order(cells: Cells, now: Date, status: string): ImportRecord {
  // A subscription without a renewal date.
  if (SUBSCRIPTION.includes(status)) return subscription(cells, now, status)
  if (!ORDER.includes(status)) unknownStatus(status, ORDER)
  const over = ['refunded', 'fraudulent'].includes(status) ? 'refunded' : null
  const isUnpaid = status === 'pending' || status === 'failed'
  return recordOf(cells, now, { kind: 'order', ends_at: null, over: isUnpaid ? 'revoked' : over })
}
