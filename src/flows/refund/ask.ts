import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { audit } from '#platform/audit'
import { mintId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { settleRefund } from './settle.ts'
import {
  isEntitled,
  type RefundAsker,
  type RefundRefusal,
  refusalOf,
  standingOf,
} from './standing.ts'

/** What shall go back of a bill: all that is left where no amount is given. */
export interface RefundAsked {
  invoice_id: string
  /** In cents, tax included. */
  amount?: Cents
  reason: string
}

/** What became of a refund. */
export type RefundOutcome =
  | { outcome: 'refunded'; refund_id: string }
  /** The processor's answer is not known yet. */
  | { outcome: 'processing'; refund_id: string }
  /** The processor would not: nothing moved. */
  | { outcome: 'refused_by_processor'; refund_id: string; reason: string }
  | { outcome: 'refused'; refusal: RefundRefusal }

/**
 * Gives money back to a buyer, to the card that paid. Of any number of askers at once, together
 * they give back no more than was taken.
 */
export async function refundCharge(
  world: World,
  asker: RefundAsker,
  asked: RefundAsked,
): Promise<RefundOutcome> {
  const recorded = await record(world, asker, asked)
  if ('refusal' in recorded) return { outcome: 'refused', refusal: recorded.refusal }
  return await askProcessor(world, recorded.refund)
}

/** Puts the refund on record, with the charge's row held so that refunds queue. */
async function record(
  world: World,
  asker: RefundAsker,
  { invoice_id, amount: asked, reason }: RefundAsked,
): Promise<{ refund: payments.Refund } | { refusal: RefundRefusal }> {
  const { db, random } = world
  return await db.tx(async (tx) => {
    const charge = await payments.chargeOf(tx, invoice_id)
    if (!charge) return { refusal: 'not_paid' }
    await payments.lockCharge(tx, charge.id)
    const standing = (await standingOf(world, tx, invoice_id))!
    const { app, invoice, now, left, taken } = standing
    if (!(await isEntitled(tx, asker, app))) return { refusal: 'not_found' }
    const amount = asked ?? left
    const refusal = refusalOf(asker, standing, amount)
    if (refusal) return { refusal }
    const { user_id, request_id } = asker
    const id = mintId(random, 'ref')
    const parts = billing.takeBack(invoice, taken, amount)
    await payments.addRefund(tx, now, {
      id,
      charge_id: charge.id,
      ...parts,
      reason,
      requested_by: user_id,
    })
    const detail = { refund_id: id, amount, reason, as: asker.as }
    const action = 'charge.refund'
    await audit(tx, now, { actor: user_id, action, subject: charge.id, request_id, detail })
    return { refund: await payments.lockRefund(tx, id) }
  })
}

/** Asks the processor for a refund that is on record, by its id, and writes the answer. */
export async function askProcessor(world: World, refund: payments.Refund): Promise<RefundOutcome> {
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
