import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Counted uses: evidence in a dispute, which no bank opens after this long. */
export const USE_SWEEP: Sweep = {
  table: 'license_uses',
  days: 550,
  batch: (db, before, limit) =>
    db.run(sql`delete from license_uses where ctid = any(array(
      select ctid from license_uses where day <= (${before}::timestamptz at time zone 'UTC')::date
      ${limit}))`),
}
