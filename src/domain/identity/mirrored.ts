import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { DELETED_DOMAIN } from './email.ts'
import { findOrAddUser, type User } from './users.ts'

/** A test mode account that is a copy of a live mode account, with both ids. */
export interface MirroredUser {
  id: UserId
  live_id: UserId
}

/**
 * Adds or updates the copy of a live mode account in test mode, and returns its id there. If an
 * account in test mode already has the email, from a test purchase for example, it becomes the copy
 * and also counts as `is_new`.
 */
export async function mirrorUser(
  tx: Db,
  now: Date,
  user: Pick<User, 'id' | 'email' | 'email_normalized'>,
): Promise<{ user_id: UserId; is_new: boolean }> {
  const { id: live_id, email, email_normalized } = user
  // In live mode the email is this account's, so another copy that still has it has given it up.
  await tx.run(sql`update users set email_normalized = lower(id) || '@' || ${DELETED_DOMAIN},
      email = lower(id) || '@' || ${DELETED_DOMAIN}
    where email_normalized = ${email_normalized} and live_id <> ${live_id}`)
  const known = await tx.maybe<{ id: UserId }>(sql`select id from users where live_id = ${live_id}`)
  if (!known) {
    const { user_id } = await findOrAddUser(tx, now, { ...user, created_via: 'signup' })
    await tx.run(sql`update users set live_id = ${live_id} where id = ${user_id}`)
    return { user_id, is_new: true }
  }
  await tx.run(sql`update users set email = ${email}, email_normalized = ${email_normalized}
    where live_id = ${live_id} and email <> ${email} and not exists (select 1 from users other
      where other.email_normalized = ${email_normalized} and other.id <> users.id)`)
  return { user_id: known.id, is_new: false }
}

/** The copies in test mode, in pages by id. */
export async function mirroredUsers(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<MirroredUser[]> {
  return await db.rows<MirroredUser>(sql`select id, live_id from users
    where live_id is not null and id > ${after} order by id limit ${limit}`)
}

/** Which of these accounts exist and are not deleted. */
export async function existing(db: Db, ids: UserId[]): Promise<UserId[]> {
  const rows = await db.rows<{ id: UserId }>(sql`select id from users
    where id = any(${ids}) and email_normalized not like ${`%@${DELETED_DOMAIN}`}`)
  return rows.map(({ id }) => id)
}

/** Whether a test mode account is a copy of a live mode account. */
export async function isMirrored(db: Db, id: UserId): Promise<boolean> {
  const copy = await db.maybe(sql`select 1 from users where id = ${id} and live_id is not null`)
  return copy !== undefined
}
