import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { endLicense, type LockedLicense, lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { mintId, type RefundId } from '#platform/ids'
import { cents } from '#platform/money'

/** A refund with everything that its outcome changes, locked until the transaction ends. */
interface Refunding {
  refund: payments.Refund
  charge: payments.Charge
  invoice: billing.Invoice
  locked: LockedLicense
}

/**
 * Locks a refund: subscription, license, charge, then refund, the order in which every flow locks.
 */
async function lockRefund(
  world: World,
  tx: Db,
  found: Pick<payments.Refund, 'id' | 'charge_id'>,
): Promise<Refunding> {
  const { invoice_id } = await payments.findChargeById(tx, found.charge_id)
  const invoice = await billing.findInvoice(tx, invoice_id)
  const locked = await lockLicense(world, tx, invoice.license_id)
  const charge = await payments.lockCharge(tx, found.charge_id)
  return { refund: await payments.lockRefund(tx, found.id), charge, invoice, locked }
}

/** Records the processor's answer to a refund. A repeated answer changes nothing. */
export async function settleRefund(
  world: World,
  refund_id: RefundId,
  answer: payments.RefundAnswer,
): Promise<void> {
  await world.db.tx(async (tx) => {
    const found = await payments.findRefundById(tx, refund_id)
    const refunding = await lockRefund(world, tx, found)
    const { refund, locked } = refunding
    if (refund.status !== 'open') return
    await payments.recordRefund(tx, locked.now, refund.id, answer)
    if (answer.status !== 'refused') await bookRefund(world, tx, refunding)
  })
}

/** The refund succeeded or is pending: posts it, notifies the buyer, and may end the license. */
export async function bookRefund(world: World, tx: Db, refunding: Refunding): Promise<void> {
  const { refund, charge, invoice, locked } = refunding
  const { now, license } = locked
  const { state } = await tax.findQuote(tx, invoice.tax_quote_id)
  const posting = ledger.refund({
    ...refund,
    amount: cents(refund.amount - refund.tax),
    refund_id: refund.id,
    seller_id: invoice.seller_id,
    state,
    affiliate_id: invoice.affiliate_id,
  })
  await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
  await queueEmail(tx, now, world.jobs, {
    id: mintId(world.random, 'email'),
    cause: `refund_issued:${refund.id}`,
    kind: 'refund_issued',
    subject_id: refund.id,
  })
  if (license.status === 'canceled') return
  const last = await billing.lastChargedInvoice(tx, license.license_id)
  const refunds = payments.refundedOf(await payments.refundsOf(tx, charge.id))
  const lost = payments.disputedOf(await payments.disputesOf(tx, charge.id))
  const back = billing.sumTakenBack(refunds, ...lost)
  if (last?.id === invoice.id && back.amount >= charge.amount) {
    await endLicense(tx, locked, 'refunded')
  }
}

/**
 * A refund arrived, or failed after it was accepted: then the buyer is owed it. `later` while the
 * refund's own answer is not recorded yet.
 */
export async function refundSettled(
  world: World,
  tx: Db,
  event: Extract<payments.ProcessorEvent, { kind: 'refund_settled' }>,
): Promise<'done' | 'later'> {
  const found = await payments.findRefund(tx, event.refund_id)
  if (!found) return await unknownRefund(world, tx, event)
  const { refund, invoice, locked } = await lockRefund(world, tx, found)
  const { now } = locked
  if (event.at > now) return 'later'
  if (refund.status === 'failed' || refund.status === 'refused') return 'done'
  if (event.outcome === 'succeeded') {
    if (refund.status === 'pending') await payments.recordRefund(tx, now, refund.id, SUCCEEDED)
    return 'done'
  }
  await payments.recordRefund(tx, now, refund.id, { status: 'failed' })
  const { id: refund_id, amount: total } = refund
  const posting = ledger.refundFailed({ refund_id, user_id: invoice.user_id, total })
  await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
  return 'done'
}

/**
 * A refund that is not on the books: an answer that is missing may still name it. Otherwise it was
 * refused, or exceeded its charge, or was made at the processor and is not announced yet. Then it
 * is recorded with the status that it has by then.
 */
async function unknownRefund(
  { log }: World,
  tx: Db,
  { id, refund_id }: { id: string; refund_id: string },
): Promise<'done' | 'later'> {
  if ((await payments.openRefunds(tx)).length > 0) return 'later'
  log.warn({ event_id: id, refund_id }, 'unknown refund in a processor event')
  return 'done'
}

const SUCCEEDED = { status: 'succeeded' } as const
