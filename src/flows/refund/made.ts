import { formatMoney } from '#design/money'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { type LockedCharge, lockCharge } from '#flows/locked-charge'
import { lostCredit, receivedTwice } from '#flows/period-credit'
import { isRefundUndecided, type OutsideParts, partsOf } from '#flows/reversed'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type LicenseId, mintId } from '#platform/ids'
import { cents, ZERO } from '#platform/money'
import { alertMadeOutside, creditLost } from './outside-alarms.ts'
import { bookRefund, isOnBooks, refundSettled } from './settle.ts'

type RefundMade = Extract<payments.ProcessorEvent, { kind: 'refund_made' }>

/**
 * A charge was refunded at the processor itself, not through this service, and staff are notified.
 * It settles what the buyer was owed because a refund of the charge was returned; the rest is
 * booked with the effects of a refund of ours. An upgrade that waits for its payment and consumes
 * the amount as credit is canceled. `later` while the charge is not on our books yet, or a refund
 * of ours waits for its answer.
 */
export async function refundMade(
  world: World,
  tx: Db,
  event: RefundMade,
): Promise<'done' | 'later'> {
  const { refund_id, amount } = event
  await payments.lockRefundEvents(tx, refund_id)
  const of = { processor: world.processor.name, id: event.charge_id }
  const found = await payments.findCharge(tx, of)
  if (!found) return 'later'
  const refunded = await lockCharge(world, tx, found.id)
  if (await isOnBooks(tx, refund_id)) return 'done'
  if (event.at > refunded.locked.now || (await isRefundUndecided(tx, refunded))) return 'later'
  const parts = await partsOf(tx, refunded, amount)
  const made = { event, refunded, parts }
  const notes = [...(await bookReissue(world, tx, made)), ...(await bookRefunded(world, tx, made))]
  await alertMadeOutside(world, tx, refunded, { refund_id, amount, beyond: parts.beyond, notes })
  const processor = world.processor.name
  const outcome = await payments.handledOutcome(tx, { processor, refund_id })
  if (!outcome) return 'done'
  return await refundSettled(world, tx, { ...event, kind: 'refund_settled', outcome })
}

/** A refund at the processor, the charge that it is of, and what it is made of. */
interface DividedRefund {
  event: RefundMade
  refunded: LockedCharge
  parts: OutsideParts
}

/** Books what the buyer was owed already, if anything; returns what staff have to know of it. */
async function bookReissue(
  world: World,
  tx: Db,
  { event, refunded, parts: { owed: amount, beyond } }: DividedRefund,
): Promise<string[]> {
  if (amount === ZERO) return []
  const { charge, invoice, locked } = refunded
  const { refund_id: processor_refund_id, status } = event
  const reissue_id = mintId(world.random, 'rei')
  const reissue = { id: reissue_id, charge_id: charge.id, processor_refund_id, amount, status }
  await payments.addReissue(tx, locked.now, reissue)
  const { user_id } = invoice
  const posting = ledger.refundReissued({ reissue_id, user_id, total: amount })
  await ledger.post(tx, locked.now, mintId(world.random, 'txn'), posting)
  const settled = cents(amount - beyond)
  if (settled === ZERO) return []
  return [
    `${formatMoney(settled)} of it settles a refund of this charge that was returned: the buyer ` +
      'is no longer owed it, and the seller is not charged again.',
  ]
}

/** Books the rest like a refund of ours, if any; returns what staff have to know of it. */
async function bookRefunded(
  world: World,
  tx: Db,
  { event, refunded, parts: { owed, beyond, ...parts } }: DividedRefund,
): Promise<string[]> {
  const amount = cents(parts.amount - owed)
  if (amount === ZERO) return []
  const { charge, invoice, locked } = refunded
  const { refund_id, status } = event
  const { license_id } = invoice
  const lostBefore = await creditLost(tx, license_id)
  const id = mintId(world.random, 'ref')
  await payments.addRefund(tx, locked.now, {
    ...parts,
    id,
    charge_id: charge.id,
    amount,
    reason: 'Refunded at the payment processor',
    requested_by: 'processor',
  })
  await payments.recordRefund(tx, locked.now, id, { status, refund_id })
  const refund = await payments.lockRefund(tx, id)
  await bookRefund(world, tx, { ...refunded, refund })
  const lost = cents((await creditLost(tx, license_id)) - lostBefore)
  const isCanceled = await cancelUpgrade(tx, license_id)
  const rest = formatMoney(amount)
  return [
    (owed === ZERO ? 'It is' : beyond > ZERO ? `${rest} of it is` : `The other ${rest} is`) +
      ' recorded like other refunds. Make refunds in Purser, so that the seller sees the reason.',
    ...(lost > ZERO
      ? [`An upgrade had consumed part of it as credit: ${receivedTwice(lost)}`]
      : []),
    ...(isCanceled
      ? ['An upgrade that was not paid yet relied on it as credit: it was canceled.']
      : []),
  ]
}

/**
 * Voids the upgrade of a license that waits for its payment, if its credit is no longer kept:
 * `reconcile` closes its payment. False if there is none.
 */
async function cancelUpgrade(tx: Db, license_id: LicenseId): Promise<boolean> {
  const attempt = await payments.latestOfLicense(tx, license_id)
  if (!attempt || !payments.isPending(attempt)) return false
  const upgrade = await billing.getInvoice(tx, attempt.invoice_id)
  if (upgrade.kind !== 'upgrade' || upgrade.status !== 'open') return false
  const before = await billing.lastPaidInvoice(tx, license_id)
  if (!before || (await lostCredit(tx, upgrade, before)) === ZERO) return false
  await billing.voidInvoice(tx, upgrade.id)
  return true
}
