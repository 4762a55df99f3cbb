import { isDeepStrictEqual } from 'node:util'
import * as ledger from '#domain/ledger'
import { settleExcess } from '#flows/excess'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmailOnce } from '#platform/email-queue'
import { mintId, type UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'

/**
 * What became of a repayment: it is recorded, now or by an earlier request with its id; the id is
 * that of another one; or it is more than the buyer owes.
 */
export type RepaymentOutcome =
  | { outcome: 'recorded' | 'other_recorded' }
  | { outcome: 'too_much'; owed: Cents }

/**
 * Books that a buyer repaid some or all of what they had received in excess of their payments, and
 * notifies them. The id is that of the form: a form that is sent twice is booked once.
 */
export async function recordRepayment(
  world: World,
  staff: ActorOf<'staff'>,
  requested: Omit<ledger.ExcessRepayment, 'recorded_by'>,
): Promise<RepaymentOutcome> {
  const now = world.clock.now()
  const { id: repayment_id, user_id, amount } = requested
  return await world.db.tx(async (tx) => {
    await ledger.lockOwner(tx, user_id)
    const known = await ledger.findRepayment(tx, repayment_id)
    if (known) {
      const { recorded_by: _, ...recorded } = known
      const isSame = isDeepStrictEqual(recorded, { ...requested })
      return { outcome: isSame ? 'recorded' : 'other_recorded' }
    }
    const owed = await owedByBuyer(tx, user_id)
    if (amount > owed) return { outcome: 'too_much', owed }
    await ledger.addRepayment(tx, now, { ...requested, recorded_by: staff.user_id })
    const posting = ledger.excessRepaid({ repayment_id, user_id, total: amount })
    await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
    await settleExcess(world, tx, user_id, { id: repayment_id, amount })
    const { way, reference, paid_on } = requested
    const detail = { repayment_id, amount, way, reference, paid_on }
    await audit(tx, now, { actor: staff, action: 'excess.repaid', subject: user_id, detail })
    await queueEmailOnce(tx, now, world, { kind: 'excess_repaid', subject_id: repayment_id })
    return { outcome: 'recorded' }
  })
}

/** What a buyer owes, in cents: what they received in excess, less what they are owed. */
export async function owedByBuyer(db: Db, user_id: UserId): Promise<Cents> {
  return cents(Math.max(0, await ledger.balanceOf(db, 'buyer_payable', user_id)))
}
