import type * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import type { Db } from '#platform/db'

/**
 * The price of the scheduled plan change, at the terms that its owner agreed to, even if the price
 * has changed since or is no longer sold. Undefined if there is none, or its product is deleted.
 */
export async function scheduledPrice(
  db: Db,
  { pending_price_id, pending_amount }: billing.Subscription,
): Promise<catalog.ProductPrice | undefined> {
  const price = pending_price_id
    ? await catalog.findLivePrice(db, pending_price_id, { is_agreed: true })
    : undefined
  return price && { ...price, amount: pending_amount! }
}
