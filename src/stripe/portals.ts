import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Stores the card that was on file when a portal was opened. */
export async function open(
  db: Db,
  now: Date,
  portal: { id: string; card_token: string },
): Promise<void> {
  await db.run(sql`insert into stripe_adapter.portals (id, card_token, opened_at)
    values (${portal.id}, ${portal.card_token}, ${now})`)
}

/** An opened portal. */
export async function find(db: Db, id: string): Promise<{ card_token: string } | undefined> {
  return await db.maybe<{ card_token: string }>(
    sql`select card_token from stripe_adapter.portals where id = ${id}`,
  )
}
