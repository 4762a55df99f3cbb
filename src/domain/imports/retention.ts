import { addDays } from '#platform/calendar'
import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'
import type { Import } from './imports.ts'

/** How long the rows and faults of a file are kept. */
export const ROW_DAYS = 30

/** Whether the rows of an import are deleted or about to be, so that it no longer does anything. */
export function isExpired(now: Date, { created_at }: Pick<Import, 'created_at'>): boolean {
  return created_at <= addDays(now, -ROW_DAYS)
}

/**
 * The rows and faults of files, with the emails in them, and the plans of their products: the
 * report is kept for 30 days.
 */
export const IMPORT_SWEEPS: Sweep[] = [
  {
    table: 'import_rows',
    days: ROW_DAYS,
    batch: (db, before, limit) =>
      db.run(sql`delete from import_rows where ctid = any(array(
        select r.ctid from imports i join import_rows r on r.import_id = i.id
        where i.created_at <= ${before} ${limit}))`),
  },
  {
    table: 'import_faults',
    days: ROW_DAYS,
    batch: (db, before, limit) =>
      db.run(sql`delete from import_faults where ctid = any(array(
        select f.ctid from imports i join import_faults f on f.import_id = i.id
        where i.created_at <= ${before} ${limit}))`),
  },
  {
    table: 'import_plans',
    days: ROW_DAYS,
    batch: (db, before, limit) =>
      db.run(sql`update imports set plans = '{}' where id = any(array(
        select id from imports where created_at <= ${before} and plans <> '{}' ${limit}))`),
  },
]
