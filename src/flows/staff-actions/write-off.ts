import * as ledger from '#domain/ledger'
import type { Payee } from '#domain/payouts'
import { settleExcess } from '#flows/excess'
import type { World } from '#flows/world'
import { concerning } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmailOnce } from '#platform/email-queue'
import { mintId, readId, type UserId, type WriteOffId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { Booked } from './money.ts'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/** Writes off what a seller or an affiliate owes the service. `seen` is the debt that staff saw. */
export async function writeOff(
  world: World,
  staff: StaffWithReason,
  debt: Payee & { seen?: Cents | undefined },
): Promise<Booked> {
  const seller_id = readId('sel', debt.owner)
  const by = seller_id ? concerning(staff, seller_id) : staff
  return await world.db.tx(async (tx) => {
    const booked = await bookDebt(world, tx, by, debt)
    return typeof booked === 'object' ? booked.amount : booked
  })
}

/**
 * Writes off all that a buyer still owes of what they received in excess: the service bears it,
 * and they are notified. `seen` is the amount that staff saw.
 */
export async function writeOffExcess(
  world: World,
  staff: StaffWithReason,
  { user_id, seen }: { user_id: UserId; seen: Cents },
): Promise<Booked> {
  const now = world.clock.now()
  return await world.db.tx(async (tx) => {
    const debt = { account: 'buyer_payable', owner: user_id, seen } as const
    const booked = await bookDebt(world, tx, staff, debt)
    if (typeof booked !== 'object') return booked
    const { write_off_id, amount } = booked
    await settleExcess(world, tx, user_id, { id: write_off_id, amount })
    await queueEmailOnce(tx, now, world, { kind: 'excess_waived', subject_id: write_off_id })
    return amount
  })
}

/** Books a debt as a loss, for the staff whose reason the audit log keeps. */
async function bookDebt(
  { clock, random }: World,
  tx: Db,
  staff: StaffWithReason,
  { seen, ...debt }: ledger.Debtor & { seen?: Cents | undefined },
): Promise<{ write_off_id: WriteOffId; amount: Cents } | Exclude<Booked, Cents>> {
  const now = clock.now()
  await ledger.lockOwner(tx, debt.owner)
  const amount = await ledger.balanceOf(tx, debt.account, debt.owner)
  if (amount <= 0) return undefined
  if (seen !== undefined && seen !== amount) return 'changed'
  const write_off_id = mintId(random, 'wof')
  const { user_id: written_off_by, reason } = staff
  await ledger.addWriteOff(tx, now, { ...debt, id: write_off_id, amount, written_off_by, reason })
  const posting = ledger.writeOff({ ...debt, write_off_id, amount })
  await ledger.post(tx, now, mintId(random, 'txn'), posting)
  await recordStaffAction(tx, now, staff, {
    action: 'debt.written_off',
    subject: debt.owner,
    detail: { write_off_id, amount },
  })
  return { write_off_id, amount }
}
