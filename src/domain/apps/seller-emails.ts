import type { Db } from '#platform/db'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'

/** The emails about buyers that a seller may turn off. */
export const SELLER_EMAILS = ['sale', 'cancellation', 'failed_renewal'] as const
export type SellerEmail = (typeof SELLER_EMAILS)[number]

/** The emails that a seller turned off. */
export async function mutedEmails(db: Db, seller_id: SellerId): Promise<SellerEmail[]> {
  const { muted_emails } = await db.one<{ muted_emails: SellerEmail[] }>(sql`
    select muted_emails from sellers where id = ${seller_id}`)
  return muted_emails
}

/** Turns these emails off and all others on. */
export async function muteEmails(
  db: Db,
  facts: { seller_id: SellerId; muted: SellerEmail[] },
): Promise<void> {
  await db.run(sql`update sellers set muted_emails = ${facts.muted} where id = ${facts.seller_id}`)
}
