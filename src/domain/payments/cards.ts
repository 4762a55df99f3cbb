import type { Db } from '#platform/db'
import type { CardId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Writes } from '#platform/together'
import type { Card } from './processor.ts'

/** Stores a card that paid, for its renewals. */
export async function keepCard(
  db: Writes,
  now: Date,
  kept: { id: CardId; user_id: UserId; card: Card },
): Promise<void> {
  const { card } = kept
  await db.run(sql`insert into cards (id, user_id, token, brand, last4, exp_month, exp_year,
      billing_country, billing_zip, issuer_country, fingerprint, created_at)
    values (${kept.id}, ${kept.user_id}, ${card.token}, ${card.brand}, ${card.last4},
      ${card.exp_month}, ${card.exp_year}, ${card.billing_country}, ${card.billing_zip},
      ${card.issuer_country}, ${card.fingerprint}, ${now})`)
}

/** A stored card. */
export async function findCard(db: Db, id: CardId): Promise<Card> {
  return await db.one<Card>(sql`select token, brand, last4, exp_month, exp_year, billing_country,
    billing_zip, issuer_country, fingerprint from cards where id = ${id}`)
}
