import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import type { DisputedCharge } from './disputed.ts'

/** Whether a refund of a charge waits for its answer: what is left of it is not known yet. */
export async function isRefundUndecided(tx: Db, { charge }: DisputedCharge): Promise<boolean> {
  const refunds = await payments.refundsOf(tx, charge.id)
  return refunds.some(({ status }) => status === 'open')
}

/**
 * What a disputed amount is made of: its share of what refunds and other disputes have left of the
 * charge. The rest was owed to the buyer already, or the service bears it.
 */
export async function partsOf(
  tx: Db,
  { charge, invoice }: DisputedCharge,
  amount: Cents,
): Promise<payments.DisputeParts> {
  const { refunds, before } = await takenOf(tx, charge)
  const owing = await owedOf(tx, { amount, user_id: invoice.user_id, refunds })
  // What exceeds the rest of the invoice was refunded before, by hand or by a refund that the bank
  // did not know of: the service bears it.
  const beyond = amount - (charge.amount - before.amount)
  const owed = cents(Math.max(owing, beyond))
  const ours = cents(amount - owed)
  const parts = ours > 0 ? billing.takeBack(invoice, before, ours) : billing.NOTHING_BACK
  return { ...parts, amount, owed }
}

/** What the bank can still take of a charge; a refund that the card returned did not reduce it. */
export async function leftAtBank(tx: Db, { charge }: DisputedCharge): Promise<Cents> {
  const { refunds, before } = await takenOf(tx, charge)
  return cents(charge.amount - before.amount + payments.returnedOf(refunds))
}

async function takenOf(tx: Db, { id }: payments.Charge) {
  const refunds = await payments.refundsOf(tx, id)
  const others = payments.disputedOf(await payments.disputesOf(tx, id))
  return { refunds, before: billing.sumTakenBack(payments.refundedOf(refunds), ...others) }
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
