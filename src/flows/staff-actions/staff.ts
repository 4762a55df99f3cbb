import * as identity from '#domain/identity'
import { type ActorOf, type AuditAction, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { Problem } from '#platform/problem'

/** A member of staff, and the reason for their action. */
export type StaffWithReason = ActorOf<'staff'> & { reason: string }

/**
 * The admins, locked as `lockAdmins` does. Throws `not_found` if the actor is no longer one of them
 * since the request was authorized: two admins may be removing each other.
 */
export async function lockedAdmins(tx: Db, { user_id }: ActorOf<'staff'>): Promise<UserId[]> {
  const admins = await identity.lockAdmins(tx)
  if (admins.includes(user_id)) return admins
  throw new Problem(404, 'not_found', 'Your staff role has changed. Nothing was saved.')
}

/** Writes a staff action to the audit log. Throws if the actor is not staff. */
export async function recordStaffAction(
  tx: Db,
  now: Date,
  { reason, ...actor }: StaffWithReason,
  done: { action: AuditAction; subject: string; detail?: Record<string, unknown> },
): Promise<void> {
  const user = await identity.findUser(tx, actor.user_id)
  if (!user?.staff_role) throw new Error(`${actor.user_id} is not staff`)
  const { action, subject, detail } = done
  await audit(tx, now, { actor, action, subject, detail: { ...detail, reason } })
}
