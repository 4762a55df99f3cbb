import { type Db, isUniqueViolation } from '#platform/db'
import type { EmailChangeId, SessionId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'

/** A requested change of email. Nothing has changed before `done_at`. */
export interface EmailChange {
  id: EmailChangeId
  user_id: UserId
  old_email: string
  new_email: string
  new_email_normalized: string
  created_at: Date
  done_at: Date | null
  ended_at: Date | null
}

const COLUMNS = sql`id, user_id, old_email, new_email, new_email_normalized, created_at, done_at,
  ended_at`

/**
 * Records a requested change of email; an earlier pending one is withdrawn. The account must be
 * locked, as it has one pending change.
 */
export async function requestEmailChange(
  db: Db,
  now: Date,
  change: Omit<EmailChange, 'created_at' | 'done_at' | 'ended_at'> & { session_id: SessionId },
): Promise<void> {
  await endPendingChange(db, now, change.user_id)
  await db.run(sql`insert into email_changes
    (id, user_id, old_email, new_email, new_email_normalized, session_id, created_at)
    values (${change.id}, ${change.user_id}, ${change.old_email}, ${change.new_email},
      ${change.new_email_normalized}, ${change.session_id}, ${now})`)
}

/** A change by its id, locked if a transaction is open, so that decisions on it are serialized. */
export async function findEmailChange(db: Db, id: EmailChangeId): Promise<EmailChange | undefined> {
  return await db.maybe<EmailChange>(
    sql`select ${COLUMNS} from email_changes where id = ${id} for update`,
  )
}

/** The change of an account that the new mailbox has not confirmed. */
export async function findPendingChange(db: Db, user_id: UserId): Promise<EmailChange | undefined> {
  return await db.maybe<EmailChange>(sql`select ${COLUMNS} from email_changes
    where user_id = ${user_id} and done_at is null and ended_at is null`)
}

/** Withdraws the pending change of an account, if there is one. */
export async function endPendingChange(db: Db, now: Date, user_id: UserId): Promise<void> {
  await db.run(sql`update email_changes set ended_at = ${now}
    where user_id = ${user_id} and done_at is null and ended_at is null`)
}

/** Withdraws the pending change that was requested in a session, or in any other session. */
export async function endChangeOfSession(
  db: Db,
  now: Date,
  { user_id, session_id, is_other }: { user_id: UserId; session_id: SessionId; is_other: boolean },
): Promise<void> {
  await db.run(sql`update email_changes set ended_at = ${now}
    where user_id = ${user_id} and done_at is null and ended_at is null
      and (session_id <> ${session_id}) = ${is_other}`)
}

/** Records that the new mailbox confirmed. */
export async function completeEmailChange(db: Db, now: Date, id: EmailChangeId): Promise<void> {
  await db.run(sql`update email_changes set done_at = ${now} where id = ${id}`)
}

/** Ends this change of an account and every later one. */
export async function endChangesSince(db: Db, now: Date, change: EmailChange): Promise<void> {
  await db.run(sql`update email_changes set ended_at = coalesce(ended_at, ${now})
    where user_id = ${change.user_id} and created_at >= ${change.created_at}`)
}

/** Changes the email of an account; false if another account has that email. */
export async function setEmail(
  db: Db,
  facts: { user_id: UserId; email: string; email_normalized: string },
): Promise<boolean> {
  const set = await db.run(sql`update users
    set email = ${facts.email}, email_normalized = ${facts.email_normalized}
    where id = ${facts.user_id} and not exists (
      select 1 from users where email_normalized = ${facts.email_normalized}
        and id <> ${facts.user_id})`)
  return set === 1
}

/** Whether an error means that two accounts took the same email concurrently. */
export function isEmailTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'users_email_normalized_key')
}
