import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { type Sql, sql } from '#platform/sql'

/** Rows at a time: a batch locks briefly, and a stop waits for one batch at most. */
const BATCH = 1_000

/** Rows of a table that are deleted once they are `days` old. */
export interface Sweep {
  table: string
  days: number
  /** Deletes up to `limit` of them that are older than `before`, and returns how many it did. */
  batch: (db: Db, before: Date, limit: Sql) => Promise<number>
}

/** Deletes what is older than its table's retention, in batches; returns how many rows of each. */
export async function sweep(
  db: Db,
  now: Date,
  sweeps: Sweep[],
  stopping: AbortSignal,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const { table, days, batch } of sweeps) {
    for (let more = true; more && !stopping.aborted; ) {
      const count = await batch(db, addDays(now, -days), sql`limit ${BATCH}`)
      deleted[table] = (deleted[table] ?? 0) + count
      more = count === BATCH
    }
  }
  return deleted
}

/** The platform's own tables: emails, tasks, resolved alarms. */
export const PLATFORM_SWEEPS: Sweep[] = [
  {
    table: 'alarms',
    days: 365,
    batch: (db, before, limit) =>
      db.run(sql`delete from alarms where id in
        (select id from alarms where resolved_at <= ${before} ${limit})`),
  },
  {
    table: 'emails',
    days: 550,
    batch: (db, before, limit) =>
      db.run(sql`delete from emails where id in
        (select id from emails where sent_at <= ${before}
          or (sent_at is null and queued_at <= ${before}) ${limit})`),
  },
  {
    table: 'tasks',
    days: 90,
    batch: (db, before, limit) =>
      // Without progress for so long, a task that did not end has crashed with its process.
      db.run(sql`delete from tasks where id in (select t.id from tasks t
        where t.updated_at <= ${before}
          and not exists (select 1 from task_files f where f.task_id = t.id) ${limit})`),
  },
]
