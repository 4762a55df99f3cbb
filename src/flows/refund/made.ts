import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { cents, formatAmount } from '#platform/money'
import { bookRefund } from './settle.ts'

type RefundMade = Extract<payments.ProcessorEvent, { kind: 'refund_made' }>

/**
 * A charge was refunded at the processor itself, not through this service: it is booked with the
 * effects of a refund of ours, and staff are notified. `later` while the charge is not on our books
 * yet, or a refund of ours waits for its answer.
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
  await raiseAlarm(tx, world.random, locked.now, {
    kind: 'refund_made_outside',
    subject: refund_id,
    href: `/admin/sales/${invoice.id}/`,
    message:
      `$${formatAmount(amount)} was refunded at the payment processor, not in Purser. ` +
      (isWhole
        ? 'It is recorded like other refunds. Make refunds in Purser, so that the seller sees the reason.'
        : 'It exceeds what was left of the charge, so it is not recorded. Resolve it manually.'),
  })
  if (!isWhole) return 'done'
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
  return 'done'
}
