import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { balanceOfCharge } from '#flows/charge-balances'
import type { LockedCharge } from '#flows/locked-charge'
import type { Db } from '#platform/db'
import type { ChargeId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'

type PaidCharge = Pick<LockedCharge, 'charge' | 'invoice'>

/** Whether a refund of a charge waits for its answer: what is left of it is not known yet. */
export async function isRefundUndecided(tx: Db, { charge }: PaidCharge): Promise<boolean> {
  const refunds = await payments.refundsOf(tx, charge.id)
  return refunds.some(({ status }) => status === 'open')
}

/** What refunds and disputes have reversed of a charge, in cents, tax included. */
export async function reversedOf(db: Db, charge_id: ChargeId): Promise<billing.Reversal> {
  const refunds = payments.refundedOf(await payments.refundsOf(db, charge_id))
  const disputes = payments.disputedOf(await payments.disputesOf(db, charge_id))
  return billing.sumReversals(refunds, ...disputes)
}

/**
 * What an amount is made of that a buyer received outside this service. Its tax, fee, add-on and
 * commission are those of the part that reverses the sale: `amount` less `owed`.
 */
export interface OutsideParts extends billing.Reversal {
  /** The rest, in cents: it was owed to the buyer already, or the service bears it. */
  owed: Cents
  /** The part of `owed` that the service bears. */
  beyond: Cents
}

/**
 * Divides an amount, in cents, that a buyer received outside this service, by a dispute or a refund
 * in the processor's dashboard.
 */
export async function partsOf(
  tx: Db,
  { charge, invoice }: PaidCharge,
  amount: Cents,
): Promise<OutsideParts> {
  const before = await reversedOf(tx, charge.id)
  const owing = Math.min(amount, await owedOf(tx, { charge, invoice }))
  // What exceeds the rest of the invoice was refunded before, by hand or by a refund that the bank
  // did not know of.
  const owed = cents(Math.max(owing, amount - (charge.amount - before.amount)))
  const ours = cents(amount - owed)
  const parts = ours > 0 ? billing.reversalOf(invoice, before, ours) : billing.NO_REVERSAL
  return { ...parts, amount, owed, beyond: cents(owed - owing) }
}

/** What the bank can still take of a charge; a refund that the card returned did not reduce it. */
export async function leftAtBank(tx: Db, { charge }: PaidCharge): Promise<Cents> {
  const { amount } = await reversedOf(tx, charge.id)
  return cents(charge.amount - amount + (await returnedOf(tx, charge.id)))
}

/** What the card returned of a charge's refunds, and was not refunded again since, in cents. */
async function returnedOf(tx: Db, charge_id: ChargeId): Promise<Cents> {
  const returned = payments.returnedOf(await payments.refundsOf(tx, charge_id))
  return cents(returned - (await payments.reissuedOf(tx, charge_id)))
}

/**
 * What the buyer is owed already, in cents: refunds of the charge that the card returned and that
 * are unpaid. What other charges gave or took does not change it.
 */
async function owedOf(tx: Db, { charge, invoice }: PaidCharge): Promise<Cents> {
  const returned = await returnedOf(tx, charge.id)
  if (returned <= ZERO) return ZERO
  // Staff may be paying it in another way at this moment.
  await ledger.lockOwner(tx, invoice.user_id)
  const balance = await balanceOfCharge(tx, { charge_id: charge.id, ...invoice })
  return cents(Math.max(0, Math.min(returned, -balance)))
}
