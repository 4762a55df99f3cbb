import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** A browser that signed in. Where `app_id` is set it may see that app's purchase alone. */
export interface Session {
  user_id: string
  app_id: string | null
  email: string
  email_normalised: string
  email_verified_at: Date | null
}

const SESSION_DAYS = 30
const LIMITED_SESSION_DAYS = 1

/** Opens a session under a secret of 256 random bits, of which only a digest is kept. */
export async function openSession(
  db: Db,
  now: Date,
  facts: { token: string; user_id: string; app_id: string | null },
): Promise<void> {
  const expires_at = addDays(now, facts.app_id === null ? SESSION_DAYS : LIMITED_SESSION_DAYS)
  await db.run(sql`insert into sessions (token_hash, user_id, app_id, created_at, expires_at)
    values (${sha256(facts.token)}, ${facts.user_id}, ${facts.app_id}, ${now}, ${expires_at})`)
}

/** The live session of a secret. A locked account has none. */
export async function findSession(db: Db, now: Date, token: string): Promise<Session | undefined> {
  return await db.maybe<Session>(sql`
    select s.user_id, s.app_id, u.email, u.email_normalised, u.email_verified_at
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${sha256(token)} and s.expires_at > ${now} and u.locked_at is null`)
}

/** Ends one session. */
export async function endSession(db: Db, token: string): Promise<void> {
  await db.run(sql`delete from sessions where token_hash = ${sha256(token)}`)
}

/** Ends every session of an account: whoever held one before must prove himself again. */
export async function endEverySession(db: Db, user_id: string): Promise<void> {
  await db.run(sql`delete from sessions where user_id = ${user_id}`)
}
