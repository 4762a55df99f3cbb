import * as identity from '#domain/identity'
import { endAllAccess } from '#flows/account-access'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'
import { lockedAdmins, recordStaffAction, type StaffWithReason } from './staff.ts'

/** The outcome of changing a member of staff. The last admin cannot be changed. */
export type StaffChanged = 'changed' | 'last_admin' | 'nothing'

/**
 * Changes the role of a member of staff; null removes them from staff and ends their sessions and
 * the access of their agents.
 */
export async function changeStaffRole(
  { db, clock }: World,
  staff: StaffWithReason,
  { user_id, role }: { user_id: UserId; role: identity.StaffRole | null },
): Promise<StaffChanged> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    // Concurrent changes wait here, so that two admins cannot remove each other.
    const admins = await lockedAdmins(tx, staff)
    const before = (await identity.findUser(tx, user_id))?.staff_role
    if (!before || before === role) return 'nothing'
    if (admins.length === 1 && admins[0] === user_id) return 'last_admin'
    const action = role === null ? 'staff.removed' : 'staff.role_changed'
    const detail = { role, before, through: 'page' }
    // First, because an admin who removes themselves is no longer staff.
    await recordStaffAction(tx, now, staff, { action, subject: user_id, detail })
    await identity.setStaffRole(tx, user_id, role)
    if (role === null) await endAllAccess(tx, now, user_id)
    return 'changed'
  })
}
