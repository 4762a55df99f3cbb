import * as ledger from '#domain/ledger'
import type { World } from '#flows/world'
import { mintId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * Books a movement at the processor that no record explains off `suspense`: to the account that
 * staff found it belongs to. False if it is not on `suspense`, or was booked before.
 */
export async function bookSuspense(
  { db, clock, random, processor }: World,
  staff: StaffWithReason,
  { movement_id, account }: Pick<ledger.SuspenseBooking, 'movement_id' | 'account'>,
): Promise<boolean> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const of = { processor: processor.name, id: movement_id }
    const movement = await ledger.findUnexplained(tx, of)
    if (!movement) return false
    const { amount } = movement
    const { user_id: booked_by, reason } = staff
    const id = mintId(random, 'sbk')
    const booking = { id, processor: processor.name, movement_id, account, amount }
    if (!(await ledger.addSuspenseBooking(tx, now, { ...booking, booked_by, reason }))) return false
    await ledger.post(tx, now, mintId(random, 'txn'), ledger.suspenseBooked(booking))
    const detail = { movement_id, account, amount }
    await recordStaffAction(tx, now, staff, { action: 'suspense.booked', subject: id, detail })
    return true
  })
}
