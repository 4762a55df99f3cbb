import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** The rows and faults of files, with the emails in them: their report is kept for 30 days. */
export const IMPORT_SWEEPS: Sweep[] = [
  {
    table: 'import_rows',
    days: 30,
    batch: (db, before, limit) =>
      db.run(sql`delete from import_rows where ctid = any(array(
        select r.ctid from imports i join import_rows r on r.import_id = i.id
        where i.created_at <= ${before} ${limit}))`),
  },
  {
    table: 'import_faults',
    days: 30,
    batch: (db, before, limit) =>
      db.run(sql`delete from import_faults where ctid = any(array(
        select f.ctid from imports i join import_faults f on f.import_id = i.id
        where i.created_at <= ${before} ${limit}))`),
  },
]
