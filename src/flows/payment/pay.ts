import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import type * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { fulfill, prepareFulfillment } from '#flows/checkout/fulfill'
import { afterExtending, extend, extensionOf } from '#flows/subscription/extend'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type QueuedEmail, queueEmail, queueEmails } from '#platform/email-queue'
import { type InvoiceId, mintId, type OrderId } from '#platform/ids'
import { type Cents, ZERO } from '#platform/money'
import { type PreparedChange, writeAll, writeTogether } from '#platform/write-together'
import type { LockedOwner } from './locked-attempt.ts'
import { type PaidBy, post } from './post.ts'

/** Who pays an invoice, and with which card. */
export interface InvoicePayer {
  email_normalized: string
  card: payments.Card
}

/** An invoice that is paid, with its owner locked. */
export interface InvoicePayment {
  invoice_id: InvoiceId
  owner: LockedOwner
  payer: InvoicePayer
  paid_by: PaidBy
  /** The quote, if the caller has already read it. A quote never changes. */
  quote?: tax.Quote | undefined
}

/**
 * Pays an invoice: posts it, queues the receipt, and continues by kind: a purchase becomes a
 * license, a renewal or an upgrade the next period of a subscription.
 */
export async function pay(world: World, tx: Db, now: Date, paid: InvoicePayment): Promise<void> {
  await writeAll(tx, [await preparePayment(world, tx, now, paid)])
}

/** Like `pay`, to be written with other changes. */
export async function preparePayment(
  world: World,
  tx: Db,
  now: Date,
  paid: InvoicePayment,
): Promise<PreparedChange<void>> {
  const { owner } = paid
  return owner.kind === 'purchase'
    ? await preparePurchase(world, tx, now, { ...paid, owner })
    : await prepareRenewal(world, tx, now, { ...paid, owner })
}

type PaymentOf<Kind extends LockedOwner['kind']> = InvoicePayment & {
  owner: Extract<LockedOwner, { kind: Kind }>
}

const isWaived = (paid_by: PaidBy, amount: Cents) => paid_by === 'nothing' && amount > ZERO

async function preparePurchase(
  world: World,
  tx: Db,
  now: Date,
  { invoice_id, owner, payer, paid_by, ...known }: PaymentOf<'purchase'>,
): Promise<PreparedChange<void>> {
  const { cart } = owner
  const is_waived = isWaived(paid_by, owner.draft.amount)
  const draft = await payable(tx, owner.draft, { ...payer, is_waived })
  const quote = await quoteOf(tx, draft, known.quote)
  const paid = { draft, cart, quote, card: payer.card, is_waived }
  const purchase = await prepareFulfillment(world, tx, now, paid)
  const emails = [receiptEmail(world, invoice_id), saleEmail(world, draft.order_id)]
  return {
    write: (writes) =>
      writeTogether(writes, (each) => [
        post(world, each, now, { invoice: draft, quote, paid_by }),
        fulfill(world, each, now, purchase),
        queueEmails(each, now, world.jobs, emails),
      ]),
    async finish() {},
  }
}

async function prepareRenewal(
  world: World,
  tx: Db,
  now: Date,
  { invoice_id, owner, payer, paid_by, ...known }: PaymentOf<'subscription'>,
): Promise<PreparedChange<void>> {
  const { subscription, license } = owner
  const is_waived = isWaived(paid_by, owner.invoice.amount)
  const invoice = await payable(tx, owner.invoice, { ...payer, is_waived })
  const quote = await quoteOf(tx, invoice, known.quote)
  const extension = await extensionOf(tx, now, { invoice, subscription, license, is_waived })
  return {
    write: (writes) =>
      writeTogether(writes, (each) => [
        post(world, each, now, { invoice, quote, paid_by }),
        extend(each, now, extension),
        queueEmail(each, now, world.jobs, receiptEmail(world, invoice_id)),
      ]),
    finish: () => afterExtending(world, tx, now, extension),
  }
}

/** The quote of an invoice: the one that is known, if it is that one. */
async function quoteOf(
  tx: Db,
  { tax_quote_id }: Pick<billing.Invoice, 'tax_quote_id'>,
  known: tax.Quote | undefined,
): Promise<tax.Quote> {
  return known?.id === tax_quote_id ? known : await tax.getQuote(tx, tax_quote_id)
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
  await billing.removeCommission(tx, invoice.id)
  return { ...invoice, commission: ZERO }
}
