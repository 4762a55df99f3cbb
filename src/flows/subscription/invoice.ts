import type * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import type * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { divide, intend, isWaived, pay } from '#flows/payment'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { together, type Writes } from '#platform/together'

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
 * What an invoice waits for: its charge, nothing, or another attempt for the same buyer and app.
 */
export type Intended =
  | { outcome: 'intended'; attempt: payments.Attempt }
  | { outcome: 'settled' }
  | { outcome: 'processing' }

interface DueOf {
  subscription: billing.RunningSubscription
  license: licensing.PausableLicense
  app: apps.App
  /** The email address of that account, if known. */
  email_normalized?: string
}

/**
 * Records the intention to charge a subscription, inside the transaction of a caller who locked it
 * and its license: for the invoice that is open, or for a new one. Where there is nothing to
 * charge, or too little, it is settled at once.
 */
export async function intendDue(
  world: World,
  tx: Db,
  now: Date,
  facts: DueOf & {
    open?: billing.Invoice | undefined
    due?: Due | undefined
    requested_by: payments.RequestedBy
  },
): Promise<Intended> {
  const { subscription, license, app, requested_by, open, due } = facts
  const email_normalized =
    facts.email_normalized ?? (await identity.findUser(tx, license.user_id))!.email_normalized
  const { card, is_processing, ...purchase } = await basisOf(tx, subscription, email_normalized)
  if (is_processing) return { outcome: 'processing' }
  const made = open ? undefined : await newInvoice(world, tx, now, { ...facts, purchase }, due!)
  const invoice = (open ?? made)!
  const write = async (db: Writes) => {
    if (made) await issue(db, now, made, due!)
  }
  const total = sum(invoice.amount, invoice.tax)
  if (total === ZERO || isWaived(world, total)) {
    await write(tx)
    const issued = open ?? (await billing.findInvoice(tx, invoice.id))
    const owner = { kind: 'subscription', subscription, license, invoice: issued } as const
    const payer = { email_normalized, card }
    await pay(world, tx, now, {
      invoice_id: invoice.id,
      owner,
      payer,
      paid_by: 'nothing',
      quote: due?.quote,
    })
    return { outcome: 'settled' }
  }
  const charge = { invoice, app, email_normalized, card, requested_by }
  const [, attempt] = await together(tx, (writes) => [write(writes), intend(world, writes, charge)])
  if (attempt) return { outcome: 'intended', attempt }
  if (!open) await billing.voidInvoice(tx, invoice.id)
  return { outcome: 'processing' }
}

/** The terms of a purchase that apply to every later invoice. */
type PurchaseTerms = Pick<billing.Invoice, 'brought_by' | 'affiliate_id'>

/** What an invoice for a subscription is computed from. */
interface Basis extends PurchaseTerms {
  card: payments.Card
  /**
   * Whether another attempt of the same buyer and app is pending, or one of this license that was
   * made before the buyer changed their email.
   */
  is_processing: boolean
}

async function basisOf(
  tx: Db,
  { app_id, license_id, order_id, card_id }: billing.Subscription,
  email_normalized: string,
): Promise<Basis> {
  return await tx.one<Basis>(sql`select brought_by, affiliate_id,
      ${payments.cardAsJson(sql`${card_id}`)} as card,
      ${payments.hasPending({ app_id, email_normalized })}
        or ${payments.hasPendingOfLicense(license_id)} as is_processing
    from invoices where order_id = ${order_id} and kind = 'purchase'`)
}

/** Issues an invoice, and stores the quote of a renewal. */
async function issue(
  db: Writes,
  now: Date,
  invoice: billing.NewInvoice,
  { kind, quote }: Due,
): Promise<void> {
  await together(db, (writes) => [
    billing.addInvoice(writes, now, invoice),
    ...(kind === 'renewal' ? [tax.keepQuote(writes, quote)] : []),
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
