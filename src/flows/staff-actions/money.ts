import * as ledger from '#domain/ledger'
import { owedByCharge } from '#flows/charge-balances'
import { datedParts } from '#flows/excess'
import type { World } from '#flows/world'
import { queueEmailOnce } from '#platform/email-queue'
import { mintId, type UserId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/** The amount that was booked; `changed` if another amount was shown, undefined if it is zero. */
export type Booked = Cents | 'changed' | undefined

/**
 * Books that a buyer was paid the whole amount owed to them outside their card, such as by check,
 * and notifies them. `seen` is the amount that staff saw and paid.
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
    const owed = await owedByCharge(tx, user_id)
    const total = sum(ZERO, ...owed.map(({ amount }) => amount))
    if (total === ZERO) return undefined
    if (seen !== undefined && seen !== total) return 'changed'
    const payment_id = mintId(random, 'bpy')
    const parts = datedParts(world, owed)
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
    await queueEmailOnce(tx, now, world, { kind: 'paid_otherwise', subject_id: payment_id })
    return total
  })
}
