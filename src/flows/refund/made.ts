import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { lockLicense } from '#flows/locked-license'
import { lostCredit, receivedTwice } from '#flows/period-credit'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { type LicenseId, mintId, type UserId } from '#platform/ids'
import { type Cents, cents, formatAmount, ZERO } from '#platform/money'
import { bookRefund } from './settle.ts'

type RefundMade = Extract<payments.ProcessorEvent, { kind: 'refund_made' }>

/**
 * A charge was refunded at the processor itself, not through this service: it is booked with the
 * effects of a refund of ours, and staff are notified. An upgrade that waits for its payment and
 * consumes the amount as credit is canceled. `later` while the charge is not on our books yet, or a
 * refund of ours waits for its answer.
 */
export async function refundMade(
  world: World,
  tx: Db,
  event: RefundMade,
): Promise<'done' | 'later'> {
  const { refund_id, amount, status } = event
  const of = { processor: world.processor.name, id: event.charge_id }
  const found = await payments.findCharge(tx, of)
  if (!found) return 'later'
  const invoice = await billing.findInvoice(tx, found.invoice_id)
  const locked = await lockLicense(world, tx, invoice.license_id)
  const charge = await payments.lockCharge(tx, found.id)
  if (await payments.findRefund(tx, refund_id)) return 'done'
  const refunds = await payments.refundsOf(tx, charge.id)
  const isUndecided = refunds.some((refund) => refund.status === 'open')
  if (event.at > locked.now || isUndecided) return 'later'
  const disputes = await payments.disputesOf(tx, charge.id)
  const refunded = payments.refundedOf(refunds)
  const taken = billing.sumTakenBack(refunded, ...payments.disputedOf(disputes))
  const isWhole = amount <= charge.amount - taken.amount
  const note = (what: string) =>
    raiseAlarm(tx, world.random, locked.now, {
      kind: 'refund_made_outside',
      subject: refund_id,
      href: `/admin/sales/${invoice.id}/`,
      message: `$${formatAmount(amount)} was refunded at the payment processor, not in Purser. ${what}`,
    })
  if (!isWhole) {
    await note(
      'It exceeds what was left of the charge, so it is not recorded. Resolve it manually.',
    )
    return 'done'
  }
  const lostBefore = await creditLost(tx, invoice.license_id)
  const id = mintId(world.random, 'ref')
  const parts = billing.takeBack(invoice, taken, cents(amount))
  const reason = 'Refunded at the payment processor'
  const requested_by = 'processor'
  await payments.addRefund(tx, locked.now, {
    id,
    charge_id: charge.id,
    ...parts,
    reason,
    requested_by,
  })
  await payments.recordRefund(tx, locked.now, id, { status, refund_id })
  const refund = await payments.lockRefund(tx, id)
  await bookRefund(world, tx, { refund, charge, invoice, locked })
  const lost = cents((await creditLost(tx, invoice.license_id)) - lostBefore)
  const isCanceled = await cancelUpgrade(tx, invoice.license_id)
  const owed = await owedOf(tx, { user_id: invoice.user_id, refunds })
  await note(
    'It is recorded like other refunds. Make refunds in Purser, so that the seller sees the reason.' +
      (owed > ZERO ? ` ${owedText(owed)}` : '') +
      (lost > ZERO ? ` An upgrade had consumed part of it as credit: ${receivedTwice(lost)}` : '') +
      (isCanceled
        ? ' An upgrade that was not paid yet relied on it as credit: it was canceled.'
        : ''),
  )
  return 'done'
}

/**
 * What the buyer is still owed of a charge, because refunds of it were returned. The refund may
 * have been made for that, which the processor does not say.
 */
async function owedOf(
  tx: Db,
  { user_id, refunds }: { user_id: UserId; refunds: payments.Refund[] },
): Promise<Cents> {
  const balance = await ledger.balanceOf(tx, 'buyer_payable', user_id)
  return cents(Math.max(0, Math.min(payments.returnedOf(refunds), -balance)))
}

function owedText(owed: Cents): string {
  return (
    `The buyer is owed $${formatAmount(owed)}, as a refund of this charge was returned. If this ` +
    'one was made for that, mark the amount as repaid on the cases page, and compensate the ' +
    'seller outside Purser: both refunds were deducted from their balance.'
  )
}

/** How much of the credit of the current period's upgrade is no longer kept, in cents. */
async function creditLost(tx: Db, license_id: LicenseId): Promise<Cents> {
  const last = await billing.lastPaidInvoice(tx, license_id)
  if (last?.kind !== 'upgrade') return ZERO
  const before = await billing.paidBefore(tx, last)
  return before ? await lostCredit(tx, last, before) : ZERO
}

/**
 * Voids the upgrade of a license that waits for its payment, if its credit is no longer kept:
 * `reconcile` closes its payment. False if there is none.
 */
async function cancelUpgrade(tx: Db, license_id: LicenseId): Promise<boolean> {
  const attempt = await payments.latestOfLicense(tx, license_id)
  if (!attempt || !payments.isPending(attempt)) return false
  const upgrade = await billing.findInvoice(tx, attempt.invoice_id)
  if (upgrade.kind !== 'upgrade' || upgrade.status !== 'open') return false
  const before = await billing.lastPaidInvoice(tx, license_id)
  if (!before || (await lostCredit(tx, upgrade, before)) === ZERO) return false
  await billing.voidInvoice(tx, upgrade.id)
  return true
}
