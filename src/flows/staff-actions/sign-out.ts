import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import { endAllAccess } from '#flows/account-access'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/** The outcome of signing an account out. Only an admin may sign out staff. */
export type SignedOutByStaff = 'signed_out' | 'is_staff' | 'nothing'

/**
 * Signs an account out of the service and of every app, in all browsers, and revokes the access of
 * its agents: for an owner who lost a device and cannot sign in. `nothing` if there is no account.
 */
export async function signOutAccount(
  { db, clock }: World,
  staff: StaffWithReason,
  user_id: UserId,
): Promise<SignedOutByStaff> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const account = await identity.findUser(tx, user_id)
    if (!account) return 'nothing'
    const { staff_role } = await identity.getUser(tx, staff.user_id)
    if (!staff_role || !identity.maySignOut(staff_role, account)) return 'is_staff'
    await endAllAccess(tx, now, user_id)
    await billing.endCartSignIns(tx, now, user_id)
    const action = 'account.signed_out_by_staff'
    await recordStaffAction(tx, now, staff, { action, subject: user_id })
    return 'signed_out'
  })
}
