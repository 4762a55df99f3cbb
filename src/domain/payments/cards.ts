import type { Db } from '#platform/db'
import type { CardId, UserId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { Card } from './processor.ts'

/** Stores a card for renewals: one that paid, or one that replaces it. */
export async function addCard(
  db: Writes,
  now: Date,
  stored: { id: CardId; user_id: UserId; card: Card },
): Promise<void> {
  const { id, user_id, card } = stored
  await db.run(sql`insert into cards (id, user_id, token, brand, last4, exp_month, exp_year,
      billing_country, billing_zip, issuer_country, fingerprint, created_at)
    values (${id}, ${user_id}, ${card.token}, ${card.brand}, ${card.last4},
      ${card.exp_month}, ${card.exp_year}, ${card.billing_country}, ${card.billing_zip},
      ${card.issuer_country}, ${card.fingerprint}, ${now})`)
}

const COLUMNS = sql`token, brand, last4, exp_month, exp_year, billing_country, billing_zip,
  issuer_country, fingerprint`

/** A stored card. */
export async function getCard(db: Db, id: CardId): Promise<Card> {
  return await db.one<Card>(sql`select ${COLUMNS} from cards where id = ${id}`)
}

/** The same, as JSON within another statement. It has no dates. */
export const cardAsJson = (id: Sql) => sql`(select to_jsonb(card)
  from (select ${COLUMNS} from cards where cards.id = ${id}) card)`
