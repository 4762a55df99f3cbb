import type * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import type { Db } from '#platform/db'

/**
 * The plan that a subscription moves to at the period's end, for what its owner agreed to, whatever
 * it costs others by now; undefined where there is none, or it is not sold any more.
 */
export async function plannedPrice(
  db: Db,
  { pending_price_id, pending_amount }: billing.Subscription,
): Promise<catalog.ProductPrice | undefined> {
  const price = pending_price_id ? await catalog.findLivePrice(db, pending_price_id) : undefined
  return price && { ...price, amount: pending_amount! }
}
