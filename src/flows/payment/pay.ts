import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import type * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { boughtBy, fulfill } from '#flows/checkout/fulfill'
import { afterExtending, extend, extensionOf } from '#flows/subscription/extend'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type QueuedEmail, queueEmail, queueEmails } from '#platform/email-queue'
import { type InvoiceId, mintId, type OrderId } from '#platform/ids'
import { type Cents, ZERO } from '#platform/money'
import { together, type Writes } from '#platform/together'
import type { LockedOwner } from './locked-attempt.ts'
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
    /** Records the processor's answer, in the same statement as everything that follows from it. */
    record?: (writes: Writes) => Promise<unknown>
    /** The quote, if the caller has already read it. A quote never changes. */
    quote?: tax.Quote | undefined
  },
): Promise<void> {
  const { invoice_id, owner, payer, paid_by, record = async () => {} } = facts
  const isWaived = ({ amount }: { amount: Cents }) => paid_by === 'nothing' && amount > ZERO
  if (owner.kind === 'purchase') {
    const is_waived = isWaived(owner.draft)
    const draft = await payable(tx, owner.draft, { ...payer, is_waived })
    const quote = await quoteOf(tx, draft, facts.quote)
    const { cart } = owner
    const paid = { draft, cart, quote, card: payer.card, is_waived }
    const purchase = await boughtBy(world, tx, now, paid)
    const emails = [receiptEmail(world, invoice_id), saleEmail(world, draft.order_id)]
    await together(tx, (writes) => [
      record(writes),
      post(world, writes, now, { invoice: draft, quote, paid_by }),
      fulfill(world, writes, now, purchase),
      queueEmails(writes, now, world.jobs, emails),
    ])
    return
  }
  const { subscription, license } = owner
  const is_waived = isWaived(owner.invoice)
  const invoice = await payable(tx, owner.invoice, { ...payer, is_waived })
  const quote = await quoteOf(tx, invoice, facts.quote)
  const extension = await extensionOf(tx, now, { invoice, subscription, license, is_waived })
  await together(tx, (writes) => [
    record(writes),
    post(world, writes, now, { invoice, quote, paid_by }),
    extend(writes, now, extension),
    queueEmail(writes, now, world.jobs, receiptEmail(world, invoice_id)),
  ])
  await afterExtending(world, tx, now, extension)
}

/** The quote of an invoice: the one that is known, if it is that one. */
async function quoteOf(
  tx: Db,
  { tax_quote_id }: Pick<billing.Invoice, 'tax_quote_id'>,
  known: tax.Quote | undefined,
): Promise<tax.Quote> {
  return known?.id === tax_quote_id ? known : await tax.findQuote(tx, tax_quote_id)
}

function receiptEmail({ random }: World, invoice_id: InvoiceId): QueuedEmail {
  const id = mintId(random, 'email')
  return { id, cause: `receipt:${invoice_id}`, kind: 'receipt', subject_id: invoice_id }
}

/** The email that notifies the seller of a sale. */
function saleEmail({ random }: World, order_id: OrderId): QueuedEmail {
  const id = mintId(random, 'email')
  return { id, cause: `seller_sale:${order_id}`, kind: 'seller_sale', subject_id: order_id }
}

/**
 * The invoice, without a commission where the affiliate does not earn on this payment, and on an
 * amount that is waived.
 */
async function payable<T extends billing.Invoice | billing.DraftInvoice>(
  tx: Db,
  invoice: T,
  { email_normalized, card, is_waived }: InvoicePayer & { is_waived: boolean },
): Promise<T> {
  if (invoice.affiliate_id === null) return invoice
  const isEarned = await affiliates.earnsOn(tx, invoice.affiliate_id, {
    email_normalized,
    fingerprint: card.fingerprint,
    seller_id: invoice.seller_id,
  })
  if (!isEarned) {
    await billing.removeAffiliate(tx, invoice.id)
    return { ...invoice, commission: ZERO, affiliate_id: null }
  }
  if (!is_waived) return invoice
  await billing.dropCommission(tx, invoice.id)
  return { ...invoice, commission: ZERO }
}
