import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Due } from './invoice.ts'
import { runningDiscount } from './running-discount.ts'
import { scheduledPrice } from './scheduled-price.ts'

/** A subscription whose next period is due. */
interface DueSubscription {
  subscription: billing.RunningSubscription
  /** The price of the current plan. */
  price: catalog.ProductPrice
  now: Date
}

/**
 * What the next period costs: under the plan of a scheduled change, or under the current one. It
 * follows the current period, or begins now where a pause ends. The tax service may be remote: it
 * is asked with nothing locked.
 */
export async function quoteNextPeriod(
  { db, random, taxes }: World,
  { subscription, price: present, now }: DueSubscription,
  begins: 'at_period_end' | 'now' = 'at_period_end',
): Promise<Due> {
  const { state, zip } = subscription
  const scheduled = await scheduledPrice(db, subscription)
  const price = scheduled ?? present
  const agreed = scheduled ?? { ...price, amount: subscription.amount }
  const discount = await runningDiscount(db, subscription, agreed)
  const lines = billing.priceLines(agreed.amount, discount)
  const sale = { state, zip, amount: billing.linesTotal(lines) }
  const figures = await taxes.quote(now, sale)
  const quote = tax.newQuote(now, { ...sale, ...figures, id: mintId(random, 'quote') })
  const period = nextPeriod(subscription, scheduled, begins === 'now' ? now : undefined)
  return { kind: 'renewal', period, price, lines, quote }
}

/**
 * The period that follows. Another plan's begins where the current one ends, and may have no end;
 * the first one after a pause begins at the payment.
 */
function nextPeriod(
  subscription: billing.RunningSubscription,
  scheduled: catalog.ProductPrice | undefined,
  resumed_at: Date | undefined,
): Due['period'] {
  const { period_index, period_end } = subscription
  if (!scheduled && !resumed_at) return billing.periodOf(subscription, period_index + 1)
  const { frequency } = scheduled ?? subscription
  const anchor = resumed_at ?? period_end
  if (frequency === null) {
    return { period_index: period_index + 1, period_start: anchor, period_end: null }
  }
  return billing.periodOf({ anchor, anchor_index: period_index, frequency }, period_index + 1)
}

/** The fields that the invoice for the next period is computed from. */
const TERMS = [
  'period_index',
  'price_id',
  'amount',
  'pending_price_id',
  'pending_amount',
  'state',
  'zip',
] as const

/**
 * Whether what was computed with nothing locked is still due: the subscription is as it was, and
 * the plan of a scheduled change is still sold. That plan is locked until the transaction ends.
 */
export async function isStillDue(
  tx: Db,
  before: billing.Subscription,
  { subscription, due }: { subscription: billing.Subscription; due: Due | undefined },
): Promise<boolean> {
  if (TERMS.some((term) => subscription[term] !== before[term])) return false
  if (!due || due.price.id === subscription.price_id) return true
  return (await catalog.lockLivePrice(tx, due.price.id, { is_agreed: true })) !== undefined
}
