import type * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import type { Db } from '#platform/db'

/**
 * The plan that a subscription moves to at the period's end, for what its owner agreed to, whatever
 * it costs others by now; undefined where there is none, or it is not sold any more.
 */
export async function plannedOffer(
  db: Db,
  { pending_price_id, pending_amount }: billing.Subscription,
): Promise<catalog.Offer | undefined> {
  const offer = pending_price_id ? await catalog.findOffer(db, pending_price_id) : undefined
  return offer && { ...offer, amount: pending_amount! }
}
