import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { sql } from '#platform/sql'
import { DELETED_DOMAIN, readEmail } from './email.ts'
import { findByEmail, getUser, lockForSignIn, type User } from './users.ts'

/** The address in place of a deleted account's email. No one can sign up or in with it. */
export function addressOfDeleted(user_id: UserId): string {
  return `${user_id.toLowerCase()}@${DELETED_DOMAIN}`
}

/**
 * An account that no one else changes until the transaction ends. New rows may still refer to it,
 * as those of a payment do.
 */
export async function lockForChange(tx: Db, user_id: UserId): Promise<User> {
  await tx.run(sql`select id from users where id = ${user_id} for no key update`)
  return await getUser(tx, user_id)
}

/** An account, locked until the transaction ends; no new row refers to it. */
export async function lockForDeletion(tx: Db, user_id: UserId): Promise<User> {
  await tx.run(sql`select id from users where id = ${user_id} for update`)
  return await getUser(tx, user_id)
}

/**
 * An account that is not deleted and gets no other email until the transaction ends; undefined if
 * it was deleted. Waits for a deletion that has begun, and is locked before memberships, as there.
 */
export async function lockUndeleted(tx: Db, user_id: UserId): Promise<User | undefined> {
  const user = await lockForSignIn(tx, user_id)
  return user.email_normalized === addressOfDeleted(user_id) ? undefined : user
}

/** Like `lockUndeleted`; throws `signed_out` if the account was deleted since the request began. */
export async function requireAccount(tx: Db, user_id: UserId): Promise<void> {
  if (await lockUndeleted(tx, user_id)) return
  throw new Problem(403, 'signed_out', 'This account was deleted. Nothing was saved.')
}

/**
 * Every address of an account: the current one, and those from its email changes that no other
 * account uses now.
 */
export async function addressesOf(db: Db, { id, email_normalized }: User): Promise<string[]> {
  const changes = await db.rows<{ old_email: string; new_email: string }>(
    sql`select old_email, new_email from email_changes where user_id = ${id}`,
  )
  const found = new Set([email_normalized])
  for (const each of changes.flatMap(({ old_email, new_email }) => [old_email, new_email])) {
    const address = readEmail(each)?.email_normalized
    const owner = address === undefined ? undefined : await findByEmail(db, address)
    if (address !== undefined && (owner === undefined || owner.id === id)) found.add(address)
  }
  return [...found]
}

/**
 * Deletes what an account has for signing in, and replaces its email everywhere. The row remains,
 * because financial records and the audit log refer to its id.
 */
export async function anonymize(tx: Db, { id }: User, addresses: string[]): Promise<void> {
  const address = addressOfDeleted(id)
  await tx.run(sql`delete from sessions where user_id = ${id}`)
  await tx.run(sql`delete from pending_sign_ins where user_id = ${id}`)
  await tx.run(sql`delete from account_links where user_id = ${id}`)
  await tx.run(sql`delete from authenticator_apps where user_id = ${id}`)
  await tx.run(sql`delete from passkeys where user_id = ${id}`)
  await tx.run(sql`delete from passkey_challenges where user_id = ${id}`)
  await tx.run(sql`delete from recovery_codes where user_id = ${id}`)
  await tx.run(sql`delete from email_changes where user_id = ${id}`)
  await tx.run(sql`delete from sign_ups where email_normalized = any(${addresses})`)
  await tx.run(sql`delete from staff_invitations where email_normalized = any(${addresses})`)
  await tx.run(sql`update users set email = ${address}, email_normalized = ${address},
    email_verified_at = null, password_hash = null, live_id = null where id = ${id}`)
}
