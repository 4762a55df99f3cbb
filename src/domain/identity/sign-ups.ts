import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { SignUpId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** A sign-up: the submitted email and password, before an account exists. */
export interface SignUp {
  id: SignUpId
  email: string
  email_normalized: string
  password_hash: string
  browser_hash: Buffer
  return_to: string | null
  /** The language of the sign-up page. */
  language: string
}

const LIFE_DAYS = 7

/** Stores a sign-up until the mailbox confirms it. */
export async function addSignUp(db: Db, now: Date, signUp: SignUp): Promise<void> {
  await db.run(sql`insert into sign_ups (id, email, email_normalized, password_hash, browser_hash,
      return_to, language, created_at, expires_at)
    values (${signUp.id}, ${signUp.email}, ${signUp.email_normalized}, ${signUp.password_hash},
      ${signUp.browser_hash}, ${signUp.return_to}, ${signUp.language}, ${now},
      ${addDays(now, LIFE_DAYS)})`)
}

/** A sign-up by its id, for the email about it. */
export async function findSignUp(db: Db, id: SignUpId): Promise<SignUp | undefined> {
  return await db.maybe<SignUp>(sql`select id, email, email_normalized, password_hash,
    browser_hash, return_to, language from sign_ups where id = ${id}`)
}

/** Stores the link of a sign-up's email under a secret, of which only a digest is stored. */
export async function addSignUpLink(
  db: Db,
  now: Date,
  facts: { token: string; sign_up_id: SignUpId },
): Promise<void> {
  await db.run(sql`insert into account_links (token_hash, purpose, about, created_at, expires_at)
    values (${sha256(facts.token)}, 'sign_up', ${facts.sign_up_id}, ${now},
      ${addDays(now, LIFE_DAYS)})`)
}

/** The sign-up of an email's link, while it is not confirmed. */
export async function peekSignUp(db: Db, now: Date, token: string): Promise<SignUp | undefined> {
  return await db.maybe<SignUp>(sql`select s.id, s.email, s.email_normalized, s.password_hash,
      s.browser_hash, s.return_to, s.language
    from account_links l join sign_ups s on s.id = l.about
    where l.token_hash = ${sha256(token)} and l.purpose = 'sign_up'
      and s.used_at is null and s.expires_at > ${now}`)
}

/** Uses a sign-up up: of concurrent calls only one returns true. */
export async function useSignUp(db: Db, now: Date, id: SignUpId): Promise<boolean> {
  const used = await db.run(
    sql`update sign_ups set used_at = ${now} where id = ${id} and used_at is null`,
  )
  return used === 1
}
