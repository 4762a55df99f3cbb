import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Attempts that charged nothing, and events of the processor that were handled. */
export const PAYMENT_SWEEPS: Sweep[] = [
  {
    table: 'attempts',
    days: 400,
    batch: (db, before, limit) =>
      db.run(sql`delete from attempts where id in (select a.id from attempts a
        where a.status in ('declined', 'closed', 'refused') and a.created_at <= ${before}
          and not exists (select 1 from charges c where c.attempt_id = a.id) ${limit})`),
  },
  {
    table: 'processor_events',
    days: 90,
    batch: (db, before, limit) =>
      db.run(sql`delete from processor_events where id in
        (select id from processor_events where handled_at <= ${before} ${limit})`),
  },
]
