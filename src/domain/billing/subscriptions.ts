import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** The agreement to pay again: what for, with which card, and up to when it is paid. */
export interface Subscription {
  id: string
  license_id: string
  price_id: string
  card_id: string
  anchor: Date
  period_index: number
  period_end: Date
}

/** Opens a subscription at its first period. */
export async function addSubscription(
  db: Db,
  now: Date,
  subscription: Subscription,
): Promise<void> {
  await db.run(sql`insert into subscriptions
    (id, license_id, price_id, card_id, anchor, period_index, period_end, created_at)
    values (${subscription.id}, ${subscription.license_id}, ${subscription.price_id},
      ${subscription.card_id}, ${subscription.anchor}, ${subscription.period_index},
      ${subscription.period_end}, ${now})`)
}
