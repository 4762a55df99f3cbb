import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { type Sweep, sweep } from '#platform/sweep'
import { isLive } from './sessions.ts'

/** Former emails of an account: an answer to how it was taken over. */
export const EMAIL_CHANGE_SWEEP: Sweep = {
  table: 'email_changes',
  days: 550,
  batch: (db, before, limit) =>
    db.run(sql`delete from email_changes where id in
      (select id from email_changes where created_at <= ${before} ${limit})`),
}

/** How a batch of what has expired is deleted, by table. */
const EXPIRED: Record<string, Sweep['batch']> = {
  sessions: (db, now, limit) =>
    db.run(sql`delete from sessions where token_hash in (select s.token_hash
      from sessions s join users u on u.id = s.user_id where not ${isLive(now)} ${limit})`),
  pending_sign_ins: (db, now, limit) =>
    db.run(sql`delete from pending_sign_ins where token_hash in
      (select token_hash from pending_sign_ins where expires_at <= ${now} ${limit})`),
  passkey_challenges: (db, now, limit) =>
    db.run(sql`delete from passkey_challenges where challenge_hash in
      (select challenge_hash from passkey_challenges where expires_at <= ${now} ${limit})`),
  account_links: (db, now, limit) =>
    db.run(sql`delete from account_links where token_hash in
      (select token_hash from account_links where expires_at <= ${now} ${limit})`),
  sign_ups: (db, now, limit) =>
    db.run(sql`delete from sign_ups where id in
      (select id from sign_ups where expires_at <= ${now} ${limit})`),
  staff_invitations: (db, now, limit) =>
    db.run(sql`delete from staff_invitations where id in
      (select id from staff_invitations where expires_at <= ${now} ${limit})`),
}

/** Deletes what has expired, in batches: sessions, links, sign-ups and the like. */
export async function deleteExpired(db: Db, now: Date, stopping: AbortSignal): Promise<void> {
  const sweeps = Object.entries(EXPIRED).map(([table, batch]) => ({ table, days: 0, batch }))
  await sweep(db, now, sweeps, stopping)
}
