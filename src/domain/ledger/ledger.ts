import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import type { Posting } from './posting.ts'

/** Writes a posting; the same event of the same subject is refused a second time. */
export async function post(db: Db, now: Date, id: string, posting: Posting): Promise<void> {
  const { event, subject, lines } = posting
  await db.run(sql`with posted as (
      insert into ledger_transactions (id, at, event, subject)
      values (${id}, ${now}, ${event}, ${subject}) returning id)
    insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
    select posted.id, line.position, line.account, line.owner, line.amount, 'usd'
    from posted, unnest(${lines.map((_, index) => index + 1)}::int[],
      ${lines.map((line) => line.account)}::text[], ${lines.map((line) => line.owner)}::text[],
      ${lines.map((line) => line.amount)}::bigint[])
      as line (position, account, owner, amount)`)
}
