import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { suspend } from '#flows/locked-license'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId, type UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { type DisputedCharge, factsOf, lockCharge, notifySeller } from './disputed.ts'

type DisputeOpened = Extract<payments.ProcessorEvent, { kind: 'dispute_opened' }>

/**
 * A dispute or an inquiry was opened, or an inquiry became a dispute. `later` while the charge is
 * not on our books yet, or a refund of it waits for its answer.
 */
export async function disputeOpened(
  world: World,
  tx: Db,
  event: DisputeOpened,
): Promise<'done' | 'later'> {
  const of = { processor: world.processor.name, id: event.charge_id }
  const found = await payments.findCharge(tx, of)
  if (!found) return 'later'
  const disputed = await lockCharge(world, tx, found.id)
  const known = await payments.findDispute(tx, event.dispute_id)
  if (known && known.status !== 'inquiry') return 'done'
  const refunds = await payments.refundsOf(tx, found.id)
  const isUndecided = refunds.some(({ status }) => status === 'open')
  if (event.at > disputed.locked.now || isUndecided) return 'later'
  const dispute = await recordReported(world, tx, { event, disputed, known, refunds })
  await payments.keepDispute(tx, dispute)
  if (dispute.status === 'open') await begin(world, tx, dispute, disputed)
  await notifySeller(world, tx, disputed.locked.now, { kind: 'dispute_opened', ...dispute })
  return 'done'
}

/** Records a reported dispute. Its parts are what it takes of what refunds have left. */
async function recordReported(
  world: World,
  tx: Db,
  facts: {
    event: DisputeOpened
    disputed: DisputedCharge
    known: payments.Dispute | undefined
    refunds: payments.Refund[]
  },
): Promise<payments.ReportedDispute> {
  const { event, disputed, known, refunds } = facts
  const { charge, invoice } = disputed
  const { amount, reason, due_at } = event
  const earlier = payments.disputedOf(await payments.disputesOf(tx, charge.id))
  const before = billing.sumTakenBack(payments.refundedOf(refunds), ...earlier)
  const owing = await owedOf(tx, { amount, user_id: invoice.user_id, refunds })
  // What exceeds the rest of the invoice was refunded before, by hand or by a refund that the event
  // did not know of: the service bears it.
  const beyond = amount - (charge.amount - before.amount)
  const owed = cents(Math.max(owing, beyond))
  const ours = cents(amount - owed)
  const parts = ours > 0 ? billing.takeBack(invoice, before, ours) : billing.NOTHING_BACK
  return {
    ...parts,
    id: known?.id ?? mintId(world.random, 'dsp'),
    charge_id: charge.id,
    processor_dispute_id: event.dispute_id,
    amount,
    owed,
    reason,
    status: event.is_inquiry ? 'inquiry' : 'open',
    due_at,
    opened_at: known?.opened_at ?? event.at,
  }
}

/**
 * What the buyer was owed already: refunds of the charge that the card returned and that are
 * unpaid.
 */
async function owedOf(
  tx: Db,
  facts: { amount: Cents; user_id: UserId; refunds: payments.Refund[] },
): Promise<Cents> {
  const returned = payments.returnedOf(facts.refunds)
  // Staff may be paying it in another way at this moment.
  if (returned > 0) await ledger.lockOwner(tx, facts.user_id)
  const balance = await ledger.balanceOf(tx, 'buyer_payable', facts.user_id)
  return cents(Math.max(0, Math.min(facts.amount, returned, -balance)))
}

/** The bank took the money: it is booked, and the license is suspended. */
export async function begin(
  world: World,
  tx: Db,
  dispute: payments.ReportedDispute,
  disputed: DisputedCharge,
): Promise<void> {
  const { locked } = disputed
  const posting = ledger.disputeOpened(factsOf(dispute, disputed))
  await ledger.post(tx, locked.now, mintId(world.random, 'txn'), posting)
  const { status } = locked.license
  // A suspended license stays suspended for its own cause; this dispute counts when it would
  // resume.
  if (status === 'canceled' || status === 'paused') return
  await suspend(tx, locked, { trigger: 'disputed', paused_for: 'dispute' })
}
