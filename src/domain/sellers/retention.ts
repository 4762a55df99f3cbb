import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Invitations without an answer. */
export const INVITATION_SWEEP: Sweep = {
  table: 'member_invitations',
  days: 30,
  batch: (db, before, limit) =>
    db.run(sql`delete from member_invitations where id in (
      select id from member_invitations where expires_at <= ${before} ${limit})`),
}
