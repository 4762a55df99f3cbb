import { isDeepStrictEqual } from 'node:util'
import * as ledger from '#domain/ledger'
import { chargeBalances, divideAmong } from '#flows/excess'
import type { World } from '#flows/world'
import { clearAlarm } from '#platform/alarms'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { type ChargeId, mintId, type UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { sql } from '#platform/sql'

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
    const parts = divideAmong(world, await chargeBalances(tx, user_id), amount)
    await ledger.addExcessParts(tx, repayment_id, parts)
    const posting = ledger.excessRepaid({ repayment_id, user_id, total: amount })
    await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
    await endAlarms(tx, now, { user_id, charge_ids: parts.map(({ charge_id }) => charge_id) })
    const { way, reference, paid_on } = requested
    const detail = { repayment_id, amount, way, reference, paid_on }
    await audit(tx, now, { actor: staff, action: 'excess.repaid', subject: user_id, detail })
    await queueEmail(tx, now, world.jobs, {
      id: mintId(world.random, 'email'),
      cause: `excess_repaid:${repayment_id}`,
      kind: 'excess_repaid',
      subject_id: repayment_id,
    })
    return { outcome: 'recorded' }
  })
}

/** What a buyer owes, in cents: what they received in excess, less what they are owed. */
export async function owedByBuyer(db: Db, user_id: UserId): Promise<Cents> {
  return cents(Math.max(0, await ledger.balanceOf(db, 'buyer_payable', user_id)))
}

/**
 * Ends the alarms that ask staff for the excess of these charges, where it is settled now: about
 * refunds, and about disputes that were lost on appeal. One about a refund of the sale too stays
 * open, as it says more.
 */
export async function endAlarms(
  tx: Db,
  now: Date,
  { user_id, charge_ids }: { user_id: UserId; charge_ids: ChargeId[] },
): Promise<void> {
  const open = (await chargeBalances(tx, user_id)).filter(({ balance }) => balance > 0)
  const isOpen = new Set(open.map(({ charge_id }) => charge_id))
  const settled = charge_ids.filter((id) => !isOpen.has(id))
  const refunds = await tx.rows<{ subject: string }>(sql`
    select x.processor_refund_id as subject from reissued_refunds x
    where x.charge_id = any(${settled}) and not exists (select 1 from refunds r
      where r.charge_id = x.charge_id and r.processor_refund_id = x.processor_refund_id)`)
  for (const { subject } of refunds) {
    await clearAlarm(tx, now, { kind: 'refund_made_outside', subject })
  }
  const disputes = await tx.rows<{ subject: string }>(sql`select id as subject from disputes
    where charge_id = any(${settled}) and appeal = 'lost' and owed > 0`)
  for (const { subject } of disputes) {
    await clearAlarm(tx, now, { kind: 'dispute_appeal', subject })
  }
}
