import type * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import type * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { divide, isWaived, openAttempt, pay } from '#flows/payment'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type InvoiceId, mintId, type SubscriptionId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { type PreparedChange, type Writes, writeAll, writeTogether } from '#platform/write-together'

/** What an invoice for a subscription covers, and its amount. */
export interface Due {
  kind: 'renewal' | 'upgrade'
  period: Omit<billing.Period, 'period_end'> & { period_end: Date | null }
  price: catalog.ProductPrice
  lines: readonly billing.InvoiceLine[]
  /** A renewal's quote is stored with its invoice; an upgrade's was stored when it was shown. */
  quote: tax.Quote
}

/**
 * A payment of an invoice: its attempt is to be charged, nothing was due, or another attempt of the
 * same buyer and app is pending.
 */
export type OpenedPayment =
  | { outcome: 'opened'; attempt: payments.Attempt }
  | { outcome: 'settled' }
  | { outcome: 'processing' }

/** A subscription that is locked, with its license. */
interface DueOf {
  subscription: billing.RunningSubscription
  license: licensing.PausableLicense
  app: apps.App
}

/** What is due for a subscription: the invoice that is open, or a new one. */
interface DueFacts extends DueOf {
  open?: billing.Invoice | undefined
  due?: Due | undefined
  requested_by: payments.RequestedBy
}

/** The same, with what an invoice for it is computed from. */
interface PreparedDue extends DueFacts {
  email_normalized: string
  basis: Basis
}

/**
 * Opens the payment of what is due for a subscription, inside the transaction of a caller who
 * locked it and its license. Where nothing is to be charged, or too little, it is settled at once.
 */
export async function openPayment(
  world: World,
  tx: Db,
  now: Date,
  owed: DueFacts,
): Promise<OpenedPayment> {
  const { subscription, license } = owed
  const { email_normalized } = await identity.getUser(tx, license.user_id)
  const [basis] = await basesOf(tx, [subscription.id])
  const prepared = await prepareOpening(world, tx, now, {
    ...owed,
    email_normalized,
    basis: basis!,
  })
  const [payment] = await writeAll(tx, [prepared])
  return payment!
}

/** Like `openPayment`, to be written with other changes. */
export async function prepareOpening(
  world: World,
  tx: Db,
  now: Date,
  owed: PreparedDue,
): Promise<PreparedChange<OpenedPayment>> {
  const { app, email_normalized, requested_by, open, due, basis } = owed
  const { card, is_processing, ...purchase } = basis
  if (is_processing) return { async write() {}, finish: async () => ({ outcome: 'processing' }) }
  const made = open ? undefined : await newInvoice(world, tx, now, { ...owed, purchase }, due!)
  const invoice = (open ?? made)!
  const issueMade = async (writes: Writes) => {
    if (made) await issue(writes, now, made, due!)
  }
  const total = sum(invoice.amount, invoice.tax)
  if (total === ZERO || isWaived(world, total)) {
    return {
      write: issueMade,
      async finish() {
        await payNothing(world, tx, now, owed, invoice.id)
        return { outcome: 'settled' }
      },
    }
  }
  const charge = { invoice, app, email_normalized, card, requested_by }
  let attempt: payments.Attempt | undefined
  return {
    async write(writes) {
      const parts = (each: Writes) => [issueMade(each), openAttempt(world, each, charge)] as const
      ;[, attempt] = await writeTogether(writes, parts)
    },
    async finish() {
      if (attempt) return { outcome: 'opened', attempt }
      if (!open) await billing.voidInvoice(tx, invoice.id)
      return { outcome: 'processing' }
    },
  }
}

/** Pays an invoice of zero, or one that is too small to be charged. */
async function payNothing(
  world: World,
  tx: Db,
  now: Date,
  { subscription, license, open, due, email_normalized, basis }: PreparedDue,
  invoice_id: InvoiceId,
): Promise<void> {
  const invoice = open ?? (await billing.getInvoice(tx, invoice_id))
  await pay(world, tx, now, {
    invoice_id,
    owner: { kind: 'subscription', subscription, license, invoice },
    payer: { email_normalized, card: basis.card },
    paid_by: 'nothing',
    quote: due?.quote,
  })
}

/** The terms of a purchase that apply to every later invoice. */
type PurchaseTerms = Pick<billing.Invoice, 'brought_by' | 'affiliate_id'>

/** What an invoice for a subscription is computed from. */
export interface Basis extends PurchaseTerms {
  card: payments.Card
  /**
   * Whether another attempt of the same buyer and app is pending, or one of this license that was
   * made before the buyer changed their email.
   */
  is_processing: boolean
}

/** What invoices for subscriptions are computed from, with one statement, in the same order. */
export async function basesOf(tx: Db, ids: readonly SubscriptionId[]): Promise<Basis[]> {
  return await tx.rows<Basis>(sql`select invoices.brought_by, invoices.affiliate_id,
      ${payments.cardAsJson(sql`s.card_id`)} as card,
      ${payments.hasPending(sql`s.app_id`, sql`users.email_normalized`)}
        or ${payments.hasPendingOfLicense(sql`s.license_id`)} as is_processing
    from unnest(${[...ids]}::text[]) with ordinality as wanted (id, place)
      join subscriptions s on s.id = wanted.id
      join licenses on licenses.id = s.license_id
      join users on users.id = licenses.user_id
      join invoices on invoices.order_id = s.order_id and invoices.kind = 'purchase'
    order by wanted.place`)
}

/** Issues an invoice, and stores the quote of a renewal. */
async function issue(
  db: Writes,
  now: Date,
  invoice: billing.NewInvoice,
  { kind, quote }: Due,
): Promise<void> {
  await writeTogether(db, (writes) => [
    billing.addInvoice(writes, now, invoice),
    ...(kind === 'renewal' ? [tax.addQuote(writes, quote)] : []),
  ])
}

/** The next invoice. The purchase's fee rate and affiliate apply to every later invoice. */
async function newInvoice(
  { random }: World,
  tx: Db,
  now: Date,
  { subscription, license, app, purchase }: DueOf & { purchase: PurchaseTerms },
  due: Due,
): Promise<billing.NewInvoice> {
  const { kind, period, price, lines, quote } = due
  const fixed_fee = await fixedPart(tx, subscription, due)
  return {
    id: mintId(random, 'inv'),
    kind,
    app_id: app.id,
    user_id: license.user_id,
    license_id: subscription.license_id,
    order_id: subscription.order_id,
    subscription_id: subscription.id,
    ...period,
    product_id: price.product_id,
    price_id: price.id,
    ...divide(now, { app, lines, quote, ...purchase, fixed_fee }),
  }
}

/** The fixed part of the fee, which is charged only once per period. */
async function fixedPart(
  tx: Db,
  { license_id }: billing.Subscription,
  { kind }: Due,
): Promise<Cents> {
  const last = kind === 'upgrade' ? await billing.lastPaidInvoice(tx, license_id) : undefined
  return last && last.amount > ZERO ? ZERO : billing.FIXED_FEE
}
