import {
  missingEnd,
  momentIn,
  paidUntil,
  periodIn,
  readRow,
  recordOf,
  statusIn,
  unknownStatus,
} from './cell.ts'
import type { Cells, ImportRecord, SourceReader } from './record.ts'

const SUBSCRIPTION = ['active', 'trialing', 'past_due', 'paused', 'canceled', 'deleted']
const TRANSACTION = ['completed', 'paid', 'billed', 'draft', 'ready', 'past_due', 'canceled']
const KNOWN = [...new Set([...SUBSCRIPTION, ...TRANSACTION])]

/**
 * Subscriptions, as the API or Paddle Classic lists them, and the report of transactions with their
 * items for what was paid once.
 */
export const paddle: SourceReader = {
  label: 'Paddle',
  file: 'Subscriptions of the API, then the report “Transaction line items” for one-time purchases.',
  keyless_note:
    'Paddle keeps a refunded transaction as completed, and lists the refund in the report “Adjustments”. Remove the rows of refunded transactions and upload the file again: each becomes a lifetime license.',
  columns: {
    // The report of line items names the subscription too, if there is one.
    id: ['transaction_id', 'subscription_id', 'id', 'order_id'],
    email: ['customer_email', 'email', 'user_email', 'customer.email'],
    product: ['product_name', 'product', 'plan_name', 'subscription_plan', 'items.product.name'],
    variant: ['price_name', 'price_description'],
    status: ['status', 'subscription_status', 'transaction_status', 'state'],
    key: ['license_key', 'license_code', 'custom_data.license_key'],
    renews_at: ['next_billed_at', 'nextbilldate', 'current_billing_period.ends_at'],
    ends_at: [
      'billing_period_ends_at',
      'scheduled_change.effective_at',
      'cancellation_effective_date',
      'ends_at',
      // Nothing is billed next for a subscription that is to be canceled.
      'current_billing_period.ends_at',
    ],
    bought_at: ['billed_at', 'created_at', 'signup_date', 'first_billed_at'],
    interval: ['billing_cycle', 'billing_cycle_interval', 'billing_type', 'interval'],
    interval_count: ['billing_cycle_frequency', 'interval_count'],
    amount: ['unit_price', 'price', 'subtotal'],
    currency: ['currency_code', 'currency'],
  },
  required: ['id', 'email', 'status'],
  read: (cells, now) =>
    readRow(() => {
      const status = statusIn(cells).replace('cancelled', 'canceled')
      return ['completed', 'paid', 'billed', 'draft', 'ready'].includes(status)
        ? transaction(cells, now, status)
        : subscription(cells, now, status)
    }),
}

function subscription(cells: Cells, now: Date, status: string): ImportRecord {
  if (!SUBSCRIPTION.includes(status)) unknownStatus(status, KNOWN)
  const ends_at = momentIn(cells, 'ends_at', true) ?? momentIn(cells, 'renews_at', true)
  if (ends_at === null && (status === 'active' || status === 'trialing')) missingEnd()
  const isOver = ends_at === null || status === 'paused' || status === 'deleted'
  const period = periodIn(cells)
  return recordOf(cells, now, {
    kind: 'subscription',
    ends_at,
    over: isOver ? 'ended' : null,
    period,
  })
}

function transaction(cells: Cells, now: Date, status: string): ImportRecord {
  const period = periodIn(cells)
  const paid_until = paidUntil(cells, period)
  const ends_at = momentIn(cells, 'ends_at', true) ?? paid_until
  const isUnpaid = !['completed', 'paid'].includes(status)
  return recordOf(cells, now, {
    kind: 'transaction',
    ends_at,
    over: isUnpaid ? 'revoked' : null,
    period,
  })
}
