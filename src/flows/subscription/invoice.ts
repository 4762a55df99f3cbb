import type * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import type * as tax from '#domain/tax'
import { divide, intend, isWaived, lockOwner, pay } from '#flows/payment'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId, type UserId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'

/** What an invoice of a subscription is for, and its amount. */
export interface Due {
  kind: 'renewal' | 'upgrade'
  period: Omit<billing.Period, 'period_end'> & { period_end: Date | null }
  price: catalog.ProductPrice
  lines: readonly billing.InvoiceLine[]
  quote: tax.Quote
}

/** What an invoice waits for: its charge, nothing, or another attempt of the same buyer and app. */
export type Intended =
  | { outcome: 'intended'; attempt: payments.Attempt }
  | { outcome: 'settled' }
  | { outcome: 'processing' }

interface DueOf {
  subscription: billing.RunningSubscription
  app: apps.App
  user_id: UserId
}

/**
 * Records the intention to charge a subscription, inside the transaction of a caller who locked it:
 * for the invoice that is open, or for a new one. Where there is nothing to charge, or too little,
 * it is settled at once.
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
  const { subscription, app, requested_by, open } = facts
  const { email_normalized } = (await identity.findUser(tx, facts.user_id))!
  if (await payments.findPending(tx, { app_id: app.id, email_normalized })) {
    return { outcome: 'processing' }
  }
  const invoice = open ?? (await writeInvoice(world, tx, now, facts, facts.due!))
  const card = await payments.findCard(tx, subscription.card_id)
  const total = sum(invoice.amount, invoice.tax)
  if (total === ZERO || isWaived(world, total)) {
    const owner = await lockOwner(tx, invoice.id)
    const payer = { email_normalized, card }
    await pay(world, tx, now, { invoice_id: invoice.id, owner, payer, paid_by: 'nothing' })
    return { outcome: 'settled' }
  }
  const attempt = await intend(world, tx, { invoice, app, email_normalized, card, requested_by })
  if (attempt) return { outcome: 'intended', attempt }
  if (!open) await billing.voidInvoice(tx, invoice.id)
  return { outcome: 'processing' }
}

/** Issues an invoice; the fee rate and the affiliate of the purchase apply to all that follow. */
async function writeInvoice(
  { random }: World,
  tx: Db,
  now: Date,
  { subscription, app, user_id }: DueOf,
  due: Due,
): Promise<billing.NewInvoice> {
  const { brought_by, affiliate_id } = await billing.purchaseInvoiceOf(tx, subscription.order_id)
  const { kind, period, price, lines, quote } = due
  const fixed_fee = await fixedPart(tx, subscription, due)
  const invoice = {
    id: mintId(random, 'inv'),
    kind,
    app_id: app.id,
    user_id,
    license_id: subscription.license_id,
    order_id: subscription.order_id,
    subscription_id: subscription.id,
    ...period,
    product_id: price.product_id,
    price_id: price.id,
    ...divide(now, { app, lines, quote, brought_by, affiliate_id, fixed_fee }),
  }
  await billing.addInvoice(tx, now, invoice)
  return invoice
}

/** The fixed part of the fee is charged once a period, so not again for a period that had it. */
async function fixedPart(
  tx: Db,
  { license_id }: billing.Subscription,
  { kind }: Due,
): Promise<Cents> {
  const last = kind === 'upgrade' ? await billing.lastPaidInvoice(tx, license_id) : undefined
  return last && last.amount > ZERO ? ZERO : billing.FIXED_FEE
}
