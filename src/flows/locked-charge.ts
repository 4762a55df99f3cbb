import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { type LockedLicense, lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { ChargeId } from '#platform/ids'

/** A charge with its license and invoice, locked until the transaction ends. */
export interface LockedCharge {
  charge: payments.Charge
  invoice: billing.Invoice
  locked: LockedLicense
}

/** Locks a charge: subscription, license, then charge, the order in which every flow locks. */
export async function lockCharge(world: World, tx: Db, charge_id: ChargeId): Promise<LockedCharge> {
  const { invoice_id } = await payments.getCharge(tx, charge_id)
  const invoice = await billing.getInvoice(tx, invoice_id)
  const locked = await lockLicense(world, tx, invoice.license_id)
  const charge = await payments.lockCharge(tx, charge_id)
  return { charge, invoice, locked }
}
