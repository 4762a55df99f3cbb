import * as billing from '#domain/billing'
import type * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { type LockedLicense, lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { type ChargeId, type DisputeId, mintId } from '#platform/ids'
import { cents } from '#platform/money'

/** A disputed charge with its license and invoice, locked until the transaction ends. */
export interface DisputedCharge {
  charge: payments.Charge
  invoice: billing.Invoice
  locked: LockedLicense
}

/** Locks a charge: subscription, license, then charge, the order in which every flow locks. */
export async function lockCharge(
  world: World,
  tx: Db,
  charge_id: ChargeId,
): Promise<DisputedCharge> {
  const { invoice_id } = await payments.findChargeById(tx, charge_id)
  const invoice = await billing.findInvoice(tx, invoice_id)
  const locked = await lockLicense(world, tx, invoice.license_id)
  const charge = await payments.lockCharge(tx, charge_id)
  return { charge, invoice, locked }
}

/** The facts of a dispute, for the ledger. */
export function factsOf(
  dispute: payments.ReportedDispute,
  { invoice }: DisputedCharge,
): ledger.DisputeFigures {
  const { id: dispute_id, amount, owed, tax } = dispute
  return {
    dispute_id,
    seller_id: invoice.seller_id,
    user_id: invoice.user_id,
    amount: cents(amount - owed - tax),
    tax,
    owed,
    cost: billing.DISPUTE_COST,
  }
}

/** Queues an email to the seller about a dispute; one per cause. */
export async function notifySeller(
  { jobs, random }: World,
  tx: Db,
  now: Date,
  email: { kind: 'dispute_opened' | 'dispute_closed'; id: DisputeId; status: string },
): Promise<void> {
  const { kind, id, status } = email
  await queueEmail(tx, now, jobs, {
    id: mintId(random, 'email'),
    cause: `${kind}:${id}:${status}`,
    kind,
    subject_id: id,
  })
}
