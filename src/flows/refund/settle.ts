import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { reduceExcess } from '#flows/excess'
import { type LockedCharge, lockCharge } from '#flows/locked-charge'
import { endLicense } from '#flows/locked-license'
import { reversedOf } from '#flows/reversed'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmailOnce } from '#platform/email-queue'
import { mintId, type ProcessorId, type RefundId } from '#platform/ids'
import { cents } from '#platform/money'
import { alertReturned } from './outside-alarms.ts'

/** A refund with everything that its outcome changes, locked until the transaction ends. */
interface Refunding extends LockedCharge {
  refund: payments.Refund
}

/** Records the processor's answer to a refund. A repeated answer changes nothing. */
export async function settleRefund(
  world: World,
  refund_id: RefundId,
  answer: payments.RefundAnswer,
): Promise<void> {
  await world.db.tx(async (tx) => {
    const { charge_id } = await payments.getRefund(tx, refund_id)
    const refunded = await lockCharge(world, tx, charge_id)
    const refund = await payments.lockRefund(tx, refund_id)
    if (refund.status !== 'open') return
    await payments.recordRefund(tx, refunded.locked.now, refund.id, answer)
    if (answer.status !== 'refused') await bookRefund(world, tx, { ...refunded, refund })
  })
}

/**
 * The refund succeeded or is pending: posts it, notifies the buyer, and the seller of one that
 * staff made, here or at the processor, and may end the license.
 */
export async function bookRefund(world: World, tx: Db, refunding: Refunding): Promise<void> {
  const { refund, charge, invoice, locked } = refunding
  const { now, license } = locked
  const { state } = await tax.getQuote(tx, invoice.tax_quote_id)
  const posting = ledger.refund({
    ...refund,
    amount: cents(refund.amount - refund.tax),
    refund_id: refund.id,
    seller_id: invoice.seller_id,
    state,
    affiliate_id: invoice.affiliate_id,
  })
  await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
  const subject_id = refund.id
  await queueEmailOnce(tx, now, world, { kind: 'refund_issued', subject_id })
  if (refund.is_by_staff || refund.requested_by === 'processor') {
    await queueEmailOnce(tx, now, world, { kind: 'refund_by_us', subject_id })
  }
  if (license.status === 'canceled') return
  const last = await billing.lastChargedInvoice(tx, license.license_id)
  const reversed = await reversedOf(tx, charge.id)
  if (last?.id === invoice.id && reversed.amount >= charge.amount) {
    await endLicense(tx, locked, 'refunded')
  }
}

type RefundSettled = Extract<payments.ProcessorEvent, { kind: 'refund_settled' }>

/** Whether a refund is recorded, by the processor's id. */
export async function isOnBooks(db: Db, refund_id: ProcessorId): Promise<boolean> {
  const refund = await payments.findRefund(db, refund_id)
  return (refund ?? (await payments.findReissue(db, refund_id))) !== undefined
}

/**
 * A refund arrived, or failed after it was accepted: then the buyer is owed it. `later` while the
 * refund's own answer is not recorded yet.
 */
export async function refundSettled(
  world: World,
  tx: Db,
  event: RefundSettled,
): Promise<'done' | 'later'> {
  const refund = await payments.findRefund(tx, event.refund_id)
  const reissue = await payments.findReissue(tx, event.refund_id)
  const found = refund ?? reissue
  if (!found) return await unknownRefund(world, tx, event)
  const refunded = await lockCharge(world, tx, found.charge_id)
  if (event.at > refunded.locked.now) return 'later'
  if (reissue) await recordReissued(world, tx, event, refunded)
  if (refund) await recordOutcome(world, tx, refund.id, event, refunded)
  return 'done'
}

async function recordOutcome(
  world: World,
  tx: Db,
  refund_id: RefundId,
  { refund_id: processor_refund_id, outcome }: RefundSettled,
  refunded: LockedCharge,
): Promise<void> {
  const { invoice, locked } = refunded
  const { now } = locked
  const refund = await payments.lockRefund(tx, refund_id)
  const { status, amount: total } = refund
  if (status === 'failed' || status === 'refused') return
  if (outcome === 'failed') {
    await payments.recordRefund(tx, now, refund_id, { status: 'failed' })
    const posting = ledger.refundFailed({ refund_id, user_id: invoice.user_id, total })
    await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
    await reduceExcess(world, tx, refunded)
    await queueEmailOnce(tx, now, world, { kind: 'refund_returned', subject_id: refund_id })
    await alertReturned(world, tx, refunded, { refund_id: processor_refund_id, refund })
  } else if (status === 'pending') {
    await payments.recordRefund(tx, now, refund_id, { status: 'succeeded' })
  }
}

/** The charge is locked, so what is read of the refund stays so. */
async function recordReissued(
  world: World,
  tx: Db,
  { refund_id, outcome }: RefundSettled,
  refunded: LockedCharge,
): Promise<void> {
  const { invoice, locked } = refunded
  const { id: reissue_id, status, amount: total } = (await payments.findReissue(tx, refund_id))!
  if (status === 'failed' || status === outcome) return
  await payments.settleReissue(tx, reissue_id, outcome)
  if (outcome === 'succeeded') return
  const posting = ledger.refundReissueFailed({ reissue_id, user_id: invoice.user_id, total })
  await ledger.post(tx, locked.now, mintId(world.random, 'txn'), posting)
  await reduceExcess(world, tx, refunded)
  await alertReturned(world, tx, refunded, { refund_id })
}

/**
 * A refund that is not on the books. While one of ours waits for its answer, this may be it: later.
 * Otherwise it was refused, or exceeded its charge, or was made at the processor: `refundMade` will
 * find this outcome.
 */
async function unknownRefund(
  { log }: World,
  tx: Db,
  { id, refund_id }: RefundSettled,
): Promise<'done' | 'later'> {
  if ((await payments.openRefunds(tx, { limit: 1 })).length > 0) return 'later'
  await payments.lockRefundEvents(tx, refund_id)
  if (await isOnBooks(tx, refund_id)) return 'later'
  log.warn({ event_id: id, refund_id }, 'unknown refund in a processor event')
  return 'done'
}
