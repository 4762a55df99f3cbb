import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Factors } from './factor.ts'
import { lockAgainstSignIns } from './users.ts'

/** The second factors of an account. */
export async function factorsOf(db: Db, user_id: UserId): Promise<Factors> {
  return await db.one<Factors>(sql`select
    exists (select 1 from authenticator_apps
      where user_id = ${user_id} and confirmed_at is not null) as has_authenticator,
    (select count(*) from passkeys where user_id = ${user_id}) as passkeys,
    (select count(*) from recovery_codes
      where user_id = ${user_id} and used_at is null) as recovery_codes`)
}

/**
 * Removes every second factor of an account, or only those that were turned on at a time or later.
 * The setup of an authenticator app that is not confirmed ends too.
 */
export async function deleteFactors(db: Db, user_id: UserId, since?: Date): Promise<void> {
  const from = since ?? new Date(0)
  // The row is from the beginning of the setup.
  await db.run(sql`delete from authenticator_apps
    where user_id = ${user_id} and (confirmed_at is null or confirmed_at >= ${from})`)
  await db.run(sql`delete from passkeys where user_id = ${user_id} and created_at >= ${from}`)
  await db.run(sql`delete from recovery_codes
    where user_id = ${user_id} and created_at >= ${from}`)
}

/**
 * Ends every session of an account and everything it has started: pending sign-ins, passkey
 * challenges, and a pending change of email. Links in its mailbox stay valid.
 */
export async function endAllSessions(db: Db, now: Date, user_id: UserId): Promise<void> {
  await lockAgainstSignIns(db, user_id)
  await db.run(sql`delete from sessions where user_id = ${user_id}`)
  await db.run(sql`delete from pending_sign_ins where user_id = ${user_id}`)
  await db.run(sql`delete from passkey_challenges where user_id = ${user_id}`)
  await db.run(sql`update email_changes set ended_at = ${now}
    where user_id = ${user_id} and done_at is null and ended_at is null`)
}
