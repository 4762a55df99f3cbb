import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { expirePasswordLinks } from './links.ts'
import { isPermitted, type StaffRole } from './staff-role.ts'

/** A person's account. It is unverified until its mailbox confirms. */
export interface User {
  id: UserId
  email: string
  email_normalized: string
  email_verified_at: Date | null
  password_hash: string | null
  created_via: 'checkout' | 'signup' | 'comp' | 'import' | 'demo'
  /** Null for everyone who is not staff. */
  staff_role: StaffRole | null
  locked_at: Date | null
  /** The language of the account's emails and PDFs, as the tag of a message catalog. */
  language: string
  created_at: Date
}

const COLUMNS = sql`id, email, email_normalized, email_verified_at, password_hash, created_via,
  staff_role, locked_at, language, created_at`

/** The account of an email, in any spelling. */
export async function findByEmail(db: Db, email_normalized: string): Promise<User | undefined> {
  return await db.maybe<User>(
    sql`select ${COLUMNS} from users where email_normalized = ${email_normalized}`,
  )
}

/** An account by its id. */
export async function findUser(db: Db, id: UserId): Promise<User | undefined> {
  return await db.maybe<User>(sql`select ${COLUMNS} from users where id = ${id}`)
}

/** The account that a row or a session refers to; throws if there is none. */
export async function getUser(db: Db, id: UserId): Promise<User> {
  return await db.one<User>(sql`select ${COLUMNS} from users where id = ${id}`)
}

/**
 * Finds the account of an email, or creates one; `made` says which. If a language is given, the
 * account has it from now on. Until the transaction ends, the account keeps this email and is not
 * deleted, so what is added to it belongs to the person with the email.
 */
export async function findOrAddUser(
  db: Db,
  now: Date,
  facts: Pick<User, 'id' | 'email' | 'email_normalized' | 'created_via'> &
    Partial<Pick<User, 'language'>>,
): Promise<{ user_id: UserId; made: boolean }> {
  const { email_normalized, language } = facts
  for (;;) {
    const made = await db.run(sql`insert into users
      (id, email, email_normalized, created_via, language, created_at)
      values (${facts.id}, ${facts.email}, ${email_normalized}, ${facts.created_via},
        ${language ?? 'en'}, ${now})
      on conflict (email_normalized) do nothing`)
    if (made === 1) return { user_id: facts.id, made: true }
    const user = await db.maybe<{ id: UserId }>(
      language === undefined
        ? sql`select id from users where email_normalized = ${email_normalized} for key share`
        : sql`update users set language = ${language} where email_normalized = ${email_normalized}
            returning id`,
    )
    // While this waited for the account, it may have been deleted or got another email.
    if (user) return { user_id: user.id, made: false }
  }
}

/**
 * An account for which a session is about to be opened. Until the transaction ends, whatever ends
 * its sessions waits, and then ends this one too.
 */
export async function lockForSignIn(tx: Db, id: UserId): Promise<User> {
  return await tx.one<User>(sql`select ${COLUMNS} from users where id = ${id} for share`)
}

/** Prevents new sessions of an account until the transaction ends. */
export async function lockAgainstSignIns(tx: Db, id: UserId): Promise<void> {
  await tx.run(sql`select id from users where id = ${id} for no key update`)
}

/** Records that the account's mailbox was verified. */
export async function proveMailbox(db: Db, now: Date, user_id: UserId): Promise<void> {
  await db.run(sql`update users set email_verified_at = coalesce(email_verified_at, ${now})
    where id = ${user_id}`)
}

/**
 * Sets the password of an account to what `hashPassword` returned. Emailed links with which the
 * previous one could be replaced no longer work.
 */
export async function setPassword(
  db: Db,
  now: Date,
  facts: { user_id: UserId; password_hash: string },
): Promise<void> {
  const { user_id, password_hash } = facts
  await db.run(sql`update users set password_hash = ${password_hash} where id = ${user_id}`)
  await expirePasswordLinks(db, now, user_id)
}

/** Removes the password of an account, which then signs in with emailed links. */
export async function removePassword(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`update users set password_hash = null where id = ${user_id}`)
}

/** Sets the language of an account's emails and PDFs. */
export async function setLanguage(db: Db, user_id: UserId, language: string): Promise<void> {
  await db.run(sql`update users set language = ${language} where id = ${user_id}`)
}

/**
 * Sets an account's staff role; null removes it from staff. If the new role may not invite, the
 * invitations that the account sent end.
 */
export async function setStaffRole(db: Db, user_id: UserId, role: StaffRole | null): Promise<void> {
  await db.run(sql`update users set staff_role = ${role} where id = ${user_id}`)
  if (role !== null && isPermitted(role, 'staff')) return
  await db.run(sql`delete from staff_invitations where invited_by = ${user_id}`)
}

/** The emails of accounts, by their ids. */
export async function emailsOf(db: Db, ids: UserId[]): Promise<Map<string, string>> {
  const users = await db.rows<{ id: UserId; email: string }>(
    sql`select id, email from users where id = any(${ids})`,
  )
  return new Map(users.map(({ id, email }) => [id, email]))
}

/** Whether the service has any staff. */
export async function hasStaff(db: Db): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(
    sql`select exists (select 1 from users where staff_role is not null) as found`,
  )
  return found
}

/** Unlocks an account; false if it was not locked. */
export async function unlockUser(db: Db, user_id: UserId): Promise<boolean> {
  const unlocked = await db.run(sql`update users set locked_at = null
    where id = ${user_id} and locked_at is not null`)
  return unlocked === 1
}

/** A page of the accounts that are locked, latest first. */
export async function listLocked(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<(User & { locked_at: Date })[]> {
  return await db.rows<User & { locked_at: Date }>(sql`select ${COLUMNS} from users
    where locked_at is not null order by locked_at desc, id limit ${limit} offset ${offset}`)
}

/** Locks an account that its owner disowned: no sign-in is possible until staff unlock it. */
export async function lockUser(db: Db, now: Date, user_id: UserId): Promise<void> {
  await db.run(sql`update users set locked_at = coalesce(locked_at, ${now}) where id = ${user_id}`)
}
