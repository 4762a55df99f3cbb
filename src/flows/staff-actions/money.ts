import * as ledger from '#domain/ledger'
import type { World } from '#flows/world'
import { concerning } from '#platform/audit'
import { mintId, type PayeeId, readId, type UserId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { cents } from '#platform/money'
import { partsOfPayment } from './buyer-parts.ts'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/** The amount that was booked; `changed` if another amount was shown, undefined if it is zero. */
export type Booked = Cents | 'changed' | undefined

/**
 * Books that a buyer was paid the whole amount owed to them outside their card, such as by check.
 * `seen` is the amount that staff saw and paid.
 */
export async function payBuyerOtherwise(
  world: World,
  staff: StaffWithReason,
  { user_id, seen }: { user_id: UserId; seen?: Cents | undefined },
): Promise<Booked> {
  const { db, clock, random } = world
  const now = clock.now()
  return await db.tx(async (tx) => {
    await ledger.lockOwner(tx, user_id)
    const total = cents(0 - (await ledger.balanceOf(tx, 'buyer_payable', user_id)))
    if (total <= 0) return undefined
    if (seen !== undefined && seen !== total) return 'changed'
    const payment_id = mintId(random, 'bpy')
    const parts = await partsOfPayment(world, tx, { user_id, total })
    const payment = { id: payment_id, user_id, amount: total, paid_by: staff.user_id, parts }
    await ledger.addBuyerPayment(tx, now, payment)
    const posting = ledger.buyerPaid({ payment_id, user_id, total })
    await ledger.post(tx, now, mintId(random, 'txn'), posting)
    const detail = { payment_id, total }
    await recordStaffAction(tx, now, staff, {
      action: 'buyer.paid_otherwise',
      subject: user_id,
      detail,
    })
    return total
  })
}

/** Writes off what a seller or an affiliate owes the service. `seen` is the debt that staff saw. */
export async function writeOff(
  { db, clock, random }: World,
  staff: StaffWithReason,
  debt: {
    account: 'seller_payable' | 'affiliate_payable'
    owner: PayeeId
    seen?: Cents | undefined
  },
): Promise<Booked> {
  const now = clock.now()
  const { seen, ...facts } = debt
  return await db.tx(async (tx) => {
    await ledger.lockOwner(tx, facts.owner)
    const amount = await ledger.balanceOf(tx, facts.account, facts.owner)
    if (amount <= 0) return undefined
    if (seen !== undefined && seen !== amount) return 'changed'
    const write_off_id = mintId(random, 'wof')
    const { user_id: written_off_by, reason } = staff
    const written_off = { id: write_off_id, ...facts, amount, written_off_by, reason }
    await ledger.addWriteOff(tx, now, written_off)
    const posting = ledger.writeOff({ write_off_id, ...facts, amount })
    await ledger.post(tx, now, mintId(random, 'txn'), posting)
    const seller_id = readId('sel', facts.owner)
    await recordStaffAction(tx, now, seller_id ? concerning(staff, seller_id) : staff, {
      action: 'debt.written_off',
      subject: facts.owner,
      detail: { write_off_id, amount },
    })
    return amount
  })
}
