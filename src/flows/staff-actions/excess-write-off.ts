import * as ledger from '#domain/ledger'
import { chargeBalances, divideExcess } from '#flows/excess'
import type { World } from '#flows/world'
import { mintId, type UserId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { Booked } from './money.ts'
import { endAlarms, owedByBuyer } from './repayment.ts'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * Writes off all that a buyer still owes of what they received in excess: the service bears it.
 * `seen` is the amount that staff saw.
 */
export async function writeOffExcess(
  world: World,
  staff: StaffWithReason,
  { user_id, seen }: { user_id: UserId; seen: Cents },
): Promise<Booked> {
  const { db, clock, random } = world
  const now = clock.now()
  return await db.tx(async (tx) => {
    await ledger.lockOwner(tx, user_id)
    const amount = await owedByBuyer(tx, user_id)
    if (amount === 0) return undefined
    if (seen !== amount) return 'changed'
    const write_off_id = mintId(random, 'wof')
    const debt = { account: 'buyer_payable', owner: user_id, amount } as const
    const by = { written_off_by: staff.user_id, reason: staff.reason }
    await ledger.addWriteOff(tx, now, { id: write_off_id, ...debt, ...by })
    const parts = divideExcess(world, await chargeBalances(tx, user_id), amount)
    await ledger.addExcessParts(tx, write_off_id, parts)
    const posting = ledger.writeOff({ write_off_id, ...debt })
    await ledger.post(tx, now, mintId(random, 'txn'), posting)
    await endAlarms(tx, now, { user_id, charge_ids: parts.map(({ charge_id }) => charge_id) })
    await recordStaffAction(tx, now, staff, {
      action: 'debt.written_off',
      subject: user_id,
      detail: { write_off_id, amount },
    })
    return amount
  })
}
