import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Former emails of an account: an answer to how it was taken over. */
export const EMAIL_CHANGE_SWEEP: Sweep = {
  table: 'email_changes',
  days: 550,
  batch: (db, before, limit) =>
    db.run(sql`delete from email_changes where id in
      (select id from email_changes where created_at <= ${before} ${limit})`),
}
