import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { UserId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * Lets the owner of a locked account sign in again by an emailed link; locking had ended every
 * session. False if it is not locked.
 */
export async function unlockAccount(
  { db, clock }: World,
  staff: StaffWithReason,
  user_id: UserId,
): Promise<boolean> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    if (!(await identity.unlockUser(tx, user_id))) return false
    await recordStaffAction(tx, now, staff, { action: 'account.unlocked', subject: user_id })
    return true
  })
}
