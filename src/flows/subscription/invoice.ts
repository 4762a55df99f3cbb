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
import { together, type Writes } from '#platform/together'

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
  /** The address of that account, where it is known. */
  email_normalized?: string
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
  const email_normalized =
    facts.email_normalized ?? (await identity.findUser(tx, facts.user_id))!.email_normalized
  if (await payments.findPending(tx, { app_id: app.id, email_normalized })) {
    return { outcome: 'processing' }
  }
  const made = open ? undefined : await newInvoice(world, tx, now, facts, facts.due!)
  const invoice = (open ?? made)!
  const write = (writes: Writes) =>
    made ? billing.addInvoice(writes, now, made) : Promise.resolve()
  const card = await payments.findCard(tx, subscription.card_id)
  const total = sum(invoice.amount, invoice.tax)
  if (total === ZERO || isWaived(world, total)) {
    await write(tx)
    const owner = await lockOwner(tx, invoice.id)
    const payer = { email_normalized, card }
    await pay(world, tx, now, { invoice_id: invoice.id, owner, payer, paid_by: 'nothing' })
    return { outcome: 'settled' }
  }
  const charge = { invoice, app, email_normalized, card, requested_by }
  const [, attempt] = await together(tx, (writes) => [write(writes), intend(world, writes, charge)])
  if (attempt) return { outcome: 'intended', attempt }
  if (!open) await billing.voidInvoice(tx, invoice.id)
  return { outcome: 'processing' }
}

/** The next invoice; the fee rate and the affiliate of the purchase apply to all that follow. */
async function newInvoice(
  { random }: World,
  tx: Db,
  now: Date,
  { subscription, app, user_id }: DueOf,
  due: Due,
): Promise<billing.NewInvoice> {
  const { brought_by, affiliate_id } = await billing.purchaseInvoiceOf(tx, subscription.order_id)
  const { kind, period, price, lines, quote } = due
  const fixed_fee = await fixedPart(tx, subscription, due)
  return {
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
