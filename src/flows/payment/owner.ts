import * as billing from '#domain/billing'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'

/** What an invoice belongs to until it is paid: the cart of a purchase, or a subscription. */
export type LockedOwner =
  | { kind: 'purchase'; cart: billing.Cart }
  | { kind: 'subscription'; subscription: billing.RunningSubscription; invoice: billing.Invoice }

/**
 * Locks the owner of an invoice, and then the invoice, until the transaction ends. Of a `known`
 * owner, which never changes, it is not asked who it is.
 */
export async function lockOwner(
  tx: Db,
  invoice_id: InvoiceId,
  known?: billing.InvoiceOwner,
): Promise<LockedOwner> {
  const owner = known ?? (await billing.ownerOf(tx, invoice_id))
  if (owner.kind === 'purchase') {
    return { kind: 'purchase', cart: await billing.lockCart(tx, owner.cart_id) }
  }
  const subscription = await billing.lockSubscription(tx, owner.subscription_id)
  return { kind: 'subscription', subscription, invoice: await billing.lockInvoice(tx, invoice_id) }
}
