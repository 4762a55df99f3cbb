import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { lockLicenseFor } from '#flows/locked-license'
import { appTime, type World } from '#flows/world'
import { audit, concerning } from '#platform/audit'
import type { Db } from '#platform/db'
import { type InvoiceId, mintId, type RefundId } from '#platform/ids'
import { type Cents, ZERO } from '#platform/money'
import { type CreditReversal, creditReversals, creditTotal } from './credit.ts'
import { settleRefund } from './settle.ts'
import {
  daysToRefund,
  type RefundActor,
  type RefundRefusal,
  refundStateOf,
  refusalOf,
} from './state.ts'

/** What to refund of an invoice: without an amount, everything that is left. */
export interface RefundInput {
  invoice_id: InvoiceId
  /** In cents, tax included. */
  amount?: Cents
  /** What was left when the amount was agreed to. If that has changed, nothing is refunded. */
  seen_left?: Cents
  /**
   * With a full refund of an upgrade: also refund the credit that it consumed of earlier charges.
   */
  with_credit?: boolean
  /** What that credit was when it was agreed to. If it has changed, nothing is refunded. */
  seen_credit?: Cents
  reason: string
}

/** The outcome of a refund. */
export type RefundOutcome =
  | { outcome: 'refunded'; refund_id: RefundId }
  /** The processor's answer is not known yet. */
  | { outcome: 'processing'; refund_id: RefundId }
  /** The processor refused: nothing moved. */
  | { outcome: 'refused_by_processor'; refund_id: RefundId; reason: string }
  | { outcome: 'refused'; refusal: RefundRefusal }

/**
 * Refunds a buyer to the card that paid. Concurrent requests together never refund more than was
 * charged.
 */
export async function refundCharge(
  world: World,
  actor: RefundActor,
  requested: RefundInput,
): Promise<RefundOutcome> {
  const recorded = await record(world, actor, requested)
  if ('refusal' in recorded) return { outcome: 'refused', refusal: recorded.refusal }
  const [refund, ...credits] = recorded.refunds
  const outcome = await sendRefund(world, refund!)
  for (const credit of credits) {
    const answer = await requestRefund(world, credit)
    if (outcome.outcome === 'refunded' && answer.outcome !== 'refunded') return answer
  }
  return outcome
}

/**
 * Requests a recorded refund. One of the credit that an upgrade consumed waits until that of the
 * upgrade is answered, and is refused with it: then the credit stays consumed.
 */
export async function requestRefund(world: World, refund: payments.Refund): Promise<RefundOutcome> {
  const { id: refund_id, upgrade_refund_id } = refund
  if (upgrade_refund_id === null) return await sendRefund(world, refund)
  const { status } = await payments.getRefund(world.db, upgrade_refund_id)
  if (status === 'open') return { outcome: 'processing', refund_id }
  if (status !== 'refused') return await sendRefund(world, refund)
  const reason = 'The refund of the upgrade was refused.'
  await settleRefund(world, refund_id, { status, reason })
  return { outcome: 'refused_by_processor', refund_id, reason }
}

/** Records the refunds, with license and charges locked so that concurrent refunds queue. */
async function record(
  world: World,
  actor: RefundActor,
  { invoice_id, amount: requested, seen_left, with_credit, seen_credit, reason }: RefundInput,
): Promise<{ refunds: payments.Refund[] } | { refusal: RefundRefusal }> {
  return await world.db.tx(async (tx) => {
    const charge = await payments.chargeOf(tx, invoice_id)
    if (!charge) return { refusal: 'not_paid' }
    // Locked first, so that no upgrade is agreed to that consumes the charge as credit.
    const { license_id } = await billing.getInvoice(tx, invoice_id)
    await lockLicenseFor(world, tx, actor, license_id)
    await payments.lockCharge(tx, charge.id)
    const state = (await refundStateOf(world, tx, invoice_id))!
    const { invoice, left, reversed } = state
    const days = await daysToRefund(tx, actor, state)
    if (typeof days === 'string') return { refusal: days }
    const amount = requested ?? left
    const refusal = refusalOf(state, { actor, days, amount })
    if (refusal) return { refusal }
    if (seen_left !== undefined && left !== seen_left) return { refusal: 'changed' }
    if (with_credit && amount !== left) return { refusal: 'not_an_amount' }
    const reversals = [{ state, reversal: billing.reversalOf(invoice, reversed, amount) }]
    if (with_credit) {
      const credits = await lockedCredit(world, tx, invoice)
      const { amount: credit } = creditTotal(credits)
      if (credit === ZERO || credit !== (seen_credit ?? credit)) return { refusal: 'changed' }
      reversals.push(...credits)
    }
    const refunds: payments.Refund[] = []
    for (const each of reversals) {
      const upgrade_refund_id = refunds[0]?.id ?? null
      refunds.push(await add(world, tx, actor, { ...each, reason, upgrade_refund_id }))
    }
    return { refunds }
  })
}

/** The credit of an upgrade, with the charges that it came from locked: the latest first. */
async function lockedCredit(
  world: World,
  tx: Db,
  upgrade: billing.Invoice,
): Promise<CreditReversal[]> {
  for (const { state } of await creditReversals(world, tx, upgrade)) {
    await payments.lockCharge(tx, state.charge.id)
  }
  return await creditReversals(world, tx, upgrade)
}

async function add(
  { random }: World,
  tx: Db,
  requester: RefundActor,
  {
    state,
    reversal,
    ...facts
  }: CreditReversal & Pick<payments.Refund, 'reason' | 'upgrade_refund_id'>,
): Promise<payments.Refund> {
  const { charge, invoice, now } = state
  const actor = concerning(requester, invoice.seller_id)
  const id = mintId(random, 'ref')
  const by = { requested_by: actor.user_id, is_by_staff: actor.kind === 'staff' }
  const refund = { id, charge_id: charge.id, ...reversal, ...facts, ...by }
  await payments.addRefund(tx, now, refund)
  const { reason } = facts
  const detail = { refund_id: id, amount: reversal.amount, reason, as: actor.kind }
  const action = 'charge.refund'
  await audit(tx, now, { actor, action, subject: charge.id, detail })
  return await payments.lockRefund(tx, id)
}

/** Asks the processor for a recorded refund, by its id, and records the answer. */
async function sendRefund(world: World, refund: payments.Refund): Promise<RefundOutcome> {
  const { processor, db, log } = world
  const { id: refund_id, amount, charge_id } = refund
  const { processor_charge_id, app } = await payments.chargeWithClock(db, charge_id)
  let answer: payments.RefundAnswer
  try {
    answer = await processor.refund(appTime(world, app), {
      key: refund_id,
      charge_id: processor_charge_id,
      amount,
    })
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    log.warn({ refund_id }, 'the processor did not answer')
    return { outcome: 'processing', refund_id }
  }
  await settleRefund(world, refund_id, answer)
  if (answer.status !== 'refused') return { outcome: 'refunded', refund_id }
  return { outcome: 'refused_by_processor', refund_id, reason: answer.reason }
}
