import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import type * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { fulfill } from '#flows/checkout/fulfill'
import { extend } from '#flows/subscription/extend'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type QueuedEmail, queueEmail, queueEmails } from '#platform/email-queue'
import { type InvoiceId, mintId, type OrderId } from '#platform/ids'
import { type Cents, ZERO } from '#platform/money'
import type { LockedOwner } from './owner.ts'
import { type PaidBy, post } from './post.ts'

/** Who pays an invoice, and with which card. */
export interface InvoicePayer {
  email_normalized: string
  card: payments.Card
}

/**
 * Pays an invoice: posts it, queues the receipt, and continues by kind: a purchase becomes a
 * license, a renewal or an upgrade the next period of a subscription.
 */
export async function pay(
  world: World,
  tx: Db,
  now: Date,
  facts: {
    invoice_id: InvoiceId
    owner: LockedOwner
    payer: InvoicePayer
    paid_by: PaidBy
  },
): Promise<void> {
  const { invoice_id, owner, payer, paid_by } = facts
  const isWaived = ({ amount }: { amount: Cents }) => paid_by === 'nothing' && amount > ZERO
  if (owner.kind === 'purchase') {
    const draft = await payable(tx, await billing.lockDraft(tx, invoice_id), payer)
    const quote = await tax.findQuote(tx, draft.tax_quote_id)
    await post(world, tx, now, { invoice: draft, quote, paid_by })
    await fulfill(world, tx, now, {
      draft,
      cart: owner.cart,
      quote,
      card: payer.card,
      is_waived: isWaived(draft),
    })
    await queueEmails(tx, now, world.jobs, [
      receiptEmail(world, invoice_id),
      saleEmail(world, draft.order_id),
    ])
    return
  }
  const { subscription } = owner
  const invoice = await payable(tx, owner.invoice, payer)
  const quote = await tax.findQuote(tx, invoice.tax_quote_id)
  await post(world, tx, now, { invoice, quote, paid_by })
  await extend(world, tx, now, { invoice, subscription, is_waived: isWaived(invoice) })
  await queueEmail(tx, now, world.jobs, receiptEmail(world, invoice_id))
}

function receiptEmail({ random }: World, invoice_id: InvoiceId): QueuedEmail {
  const id = mintId(random, 'email')
  return { id, cause: `receipt:${invoice_id}`, kind: 'receipt', subject_id: invoice_id }
}

/** Notifies the seller. */
function saleEmail({ random }: World, order_id: OrderId): QueuedEmail {
  const id = mintId(random, 'email')
  return { id, cause: `seller_sale:${order_id}`, kind: 'seller_sale', subject_id: order_id }
}

/** The invoice, without a commission where the affiliate is also the buyer or the seller. */
async function payable<T extends billing.Invoice | billing.DraftInvoice>(
  tx: Db,
  invoice: T,
  { email_normalized, card }: InvoicePayer,
): Promise<T> {
  if (invoice.affiliate_id === null) return invoice
  const isSelf = await affiliates.isSelf(tx, invoice.affiliate_id, {
    email_normalized,
    fingerprint: card.fingerprint,
    seller_id: invoice.seller_id,
  })
  if (!isSelf) return invoice
  await billing.waiveCommission(tx, invoice.id)
  return { ...invoice, commission: ZERO, affiliate_id: null }
}
