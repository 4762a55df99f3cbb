import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import type * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'

/** What a bill is for, and what it comes to. */
export interface Billed {
  kind: 'renewal' | 'upgrade'
  period: Omit<billing.Period, 'period_end'> & { period_end: Date | null }
  offer: catalog.Offer
  /** What the plan costs, and what an unused part of another is worth. */
  price_amount: Cents
  credit: Cents
  quote: tax.Quote
}

/** Writes a bill of a subscription; the first sale's rate and referrer hold for all that follow. */
export async function writeInvoice(
  { random }: World,
  tx: Db,
  now: Date,
  facts: { subscription: billing.Subscription; app: apps.App; user_id: string; billed: Billed },
): Promise<billing.NewInvoice> {
  const { subscription, app, user_id, billed } = facts
  const first = (await billing.tellOrder(tx, subscription.order_id))!
  const { brought_by, affiliate_id } = first
  const { price_amount, credit, quote, offer } = billed
  const amount = cents(price_amount - credit)
  const terms = { brought_by, has_add_on: apps.addOnOf(now, app).is_charged }
  const { fee, fixed_fee, add_on_fee } = billing.feeOn(amount, terms, await fixedPart(tx, facts))
  const invoice = {
    id: mintId(random, 'inv'),
    kind: billed.kind,
    app_id: app.id,
    user_id,
    license_id: subscription.license_id,
    order_id: subscription.order_id,
    subscription_id: subscription.id,
    ...billed.period,
    product_id: offer.product_id,
    price_id: offer.id,
    tax_quote_id: quote.id,
    price_amount,
    credit,
    amount,
    tax: quote.tax,
    fee,
    fixed_fee,
    add_on_fee,
    commission: billing.commissionOn(fee, affiliate_id),
    brought_by,
    affiliate_id,
  }
  await billing.addInvoice(tx, now, { ...invoice, status: 'open' })
  return invoice
}

/** The fixed part of the fee is charged once a period: not on top of one that was paid for. */
async function fixedPart(
  tx: Db,
  { subscription, billed }: { subscription: billing.Subscription; billed: Billed },
): Promise<Cents> {
  const isWithin =
    billed.kind === 'upgrade' && (await billing.lastPaidInvoice(tx, subscription.license_id))
  return isWithin ? ZERO : billing.FIXED_FEE
}
