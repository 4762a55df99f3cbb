import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Schedules when the evidence of a dispute is submitted to the bank. */
export async function plan(
  db: Db,
  { dispute_id, submit_at }: { dispute_id: string; submit_at: Date },
): Promise<void> {
  await db.run(sql`insert into stripe_adapter.evidence (dispute_id, submit_at)
    values (${dispute_id}, ${submit_at})
    on conflict (dispute_id) do update set submit_at = excluded.submit_at`)
}

/** Disputes whose evidence is due for submission. */
export async function due(db: Db, now: Date): Promise<string[]> {
  const rows = await db.rows<{ dispute_id: string }>(sql`select dispute_id
    from stripe_adapter.evidence where submitted_at is null and submit_at <= ${now}`)
  return rows.map(({ dispute_id }) => dispute_id)
}

/** Records that the bank has the evidence, or accepts no more. */
export async function submitted(db: Db, now: Date, dispute_id: string): Promise<void> {
  await db.run(sql`update stripe_adapter.evidence set submitted_at = ${now}
    where dispute_id = ${dispute_id}`)
}
