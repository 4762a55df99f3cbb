import * as identity from '#domain/identity'
import { type ActorOf, type AuditAction, audit } from '#platform/audit'
import type { Db } from '#platform/db'

/** A member of staff, and the reason for their action. */
export type StaffWithReason = ActorOf<'staff'> & { reason: string }

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
