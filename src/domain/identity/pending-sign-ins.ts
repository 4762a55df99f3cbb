import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** A sign-in that still lacks its second factor. */
export interface PendingSignIn {
  user_id: UserId
  email: string
  /** A path of this service to continue at. */
  return_to: string | null
}

/** How long a sign-in waits for its second factor, in seconds. */
export const PENDING_SECONDS = 15 * 60

/** Stores a sign-in that lacks its second factor, under a secret of 256 random bits. */
export async function addPending(
  db: Db,
  now: Date,
  facts: { token: string; user_id: UserId; return_to: string | undefined },
): Promise<void> {
  await db.run(sql`insert into pending_sign_ins
    (token_hash, user_id, return_to, created_at, expires_at)
    values (${sha256(facts.token)}, ${facts.user_id}, ${facts.return_to ?? null}, ${now},
      ${addSeconds(now, PENDING_SECONDS)})`)
}

/** The pending sign-in of a secret; undefined for a locked account. */
export async function findPending(
  db: Db,
  now: Date,
  token: string,
): Promise<PendingSignIn | undefined> {
  return await db.maybe<PendingSignIn>(sql`select p.user_id, u.email, p.return_to
    from pending_sign_ins p join users u on u.id = p.user_id
    where p.token_hash = ${sha256(token)} and p.expires_at > ${now} and u.locked_at is null`)
}

/** Ends a pending sign-in; of concurrent calls only one returns true. */
export async function endPending(db: Db, token: string): Promise<boolean> {
  const ended = await db.run(sql`delete from pending_sign_ins where token_hash = ${sha256(token)}`)
  return ended === 1
}
