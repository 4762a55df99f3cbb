import { sha256 } from '#platform/secrets'
import {
  endOfPeriod,
  flagIn,
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
  'active',
  'trialing',
  'past_due',
  'canceled',
  'unpaid',
  'incomplete',
  'incomplete_expired',
]
const ORDER = ['paid', 'pending', 'refunded', 'partially_refunded', 'void']

/** The exports of subscriptions and of orders. */
export const polar: SourceReader = {
  label: 'Polar',
  file: 'Subscriptions with the column “Current Period End”, then orders.',
  columns: {
    id: ['ID', 'Subscription ID', 'Invoice number'],
    email: ['Email', 'Customer Email'],
    product: ['Product', 'Product Name'],
    status: ['Status', 'Active'],
    key: ['License Key', 'Key'],
    renews_at: ['Current Period End'],
    ends_at: ['Ends At', 'Ended At', 'Expires At'],
    bought_at: ['Started At', 'Created At'],
    interval: ['Billing Interval', 'Interval', 'Recurring Interval'],
    interval_count: ['Recurring Interval Count', 'Interval Count'],
    amount: ['Amount', 'Subtotal', 'Net Amount', 'Price'],
    currency: ['Currency'],
    reason: ['Billing Reason'],
  },
  required: ['email', 'product', 'status'],
  read: (cells, now) =>
    readRow(() => {
      const status = statusIn(cells)
      return ORDER.includes(status) ? order(cells, now, status) : subscription(cells, now, status)
    }),
}

/**
 * The export has no IDs of subscriptions: the buyer, the product and the start identify one. Their
 * hash, because an ID is kept for good, also after the buyer's account is deleted.
 */
function idOf(cells: Cells): string {
  if (cells('id') !== '') return cells('id')
  const facts = [cells('email').toLowerCase(), cells('product'), cells('bought_at')]
  return sha256(JSON.stringify(facts)).toString('hex')
}

function subscription(cells: Cells, now: Date, status: string): ImportRecord {
  // The column was named "Active" before, with a flag.
  const isActive = status === 'true' || status === 'false' ? flagIn(cells, 'status') : undefined
  if (isActive === undefined && !SUBSCRIPTION.includes(status)) {
    unknownStatus(status, [...SUBSCRIPTION, ...ORDER])
  }
  const isRunning = isActive ?? ['active', 'trialing', 'past_due', 'canceled'].includes(status)
  // One that is canceled has ended at Polar, and one that is past due is not paid.
  const isPaid = isActive ?? ['active', 'trialing'].includes(status)
  const period = periodIn(cells)
  const ends_at =
    momentIn(cells, 'ends_at', true) ??
    momentIn(cells, 'renews_at', true) ??
    (isPaid ? nextEnd(momentIn(cells, 'bought_at'), period, now) : null)
  if (isPaid && ends_at === null) missingEnd()
  const over = isRunning && ends_at !== null ? null : 'ended'
  return recordOf(cells, now, { kind: 'subscription', id: idOf(cells), ends_at, over, period })
}

const MAX_PERIODS = 2_000

/** The end of the period that runs now, for the default export, which lacks it. */
function nextEnd(start: Date | null, period: ReturnType<typeof periodIn>, now: Date): Date | null {
  if (!start || !period) return null
  for (let count = 1; count <= MAX_PERIODS; count++) {
    const end = endOfPeriod(start, { ...period, count: count * period.count })
    if (end > now) return end
  }
  return null
}

function order(cells: Cells, now: Date, status: string): ImportRecord | 'ignored' {
  // Orders of subscriptions are in the export of subscriptions, with their ends.
  if (/^subscription/.test(cells('reason'))) return 'ignored'
  const over = status === 'refunded' ? 'refunded' : status === 'paid' ? null : 'revoked'
  const kept = status === 'partially_refunded' ? null : over
  return recordOf(cells, now, { kind: 'order', id: idOf(cells), ends_at: null, over: kept })
}
