import { z } from 'zod'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as tax from '#domain/tax'
import { type LockedLicense, lockLicense } from '#flows/locked-license'
import { isWaived } from '#flows/payment'
import { keptFor } from '#flows/period-credit'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { idSchema, type LicenseId, mintId, type PriceId, type QuoteId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'
import { type Taxed, withTax } from './next-charge.ts'
import { discountedPrice, runningDiscount } from './running-discount.ts'

/** What a plan change costs and when it happens, exactly as it will be done if the buyer agrees. */
export interface PlanChangeQuote {
  /** The price of the new plan. */
  price: catalog.ProductPrice
  change: billing.PlanChange
  /** The amount that the running discount takes off the first period of the new plan. */
  discount: billing.CodeDiscount | undefined
  /** The number of later periods it applies to; null if it applies to all of them. */
  discounted_periods: number | null
  /** The tax on what is due now, and the total of both. */
  tax: Cents
  total: Cents
  /** True if the total is too small to be charged: it is waived. */
  is_waived: boolean
  /** What each later period costs. */
  renewal: Taxed
  /** The end of the first period under the new plan, or of the trial that continues. */
  period_end: Date | null
  /** Sent with the buyer's agreement; valid for ten minutes. */
  agreement: string
}

const GOOD_FOR_SECONDS = 600

/**
 * What the agreement pins: the time to which the unused part is counted, and the tax on the rest.
 */
export interface Pinned {
  license_id: LicenseId
  price_id: PriceId
  price_id_before: PriceId
  period_index: number
  amount: Cents
  when: billing.PlanChange['when']
  due: Cents
  /** The end of the trial that continues. */
  trial_end: number | null
  at: number
  tax_quote_id: QuoteId | null
}

const AGREEMENT: TokenKind<Pinned> = {
  purpose: 'plan-change',
  seconds: GOOD_FOR_SECONDS,
  facts: z.object({
    license_id: idSchema('lic'),
    price_id: idSchema('prc'),
    price_id_before: idSchema('prc'),
    period_index: z.number(),
    amount: z.number().transform(cents),
    when: z.enum(['now', 'period_end', 'in_trial']),
    due: z.number().transform(cents),
    trial_end: z.number().nullable(),
    at: z.number(),
    tax_quote_id: idSchema('quote').nullable(),
  }),
}

/** Quotes a plan change to another price of the same app; undefined if it is not possible. */
export async function quotePlanChange(
  world: World,
  facts: { license_id: LicenseId; price_id: PriceId },
): Promise<PlanChangeQuote | undefined> {
  const { db, random } = world
  const { license_id, price_id } = facts
  const locked = await db.tx((tx) => lockLicense(world, tx, license_id))
  const price = await catalog.findLivePrice(db, price_id)
  const change = price && (await decide(world, locked, price, locked.now))
  if (!price || !change) return undefined
  const { now } = locked
  const subscription = locked.subscription!
  const { state, zip } = subscription
  const due = dueNow(change)
  const sale = { state, zip, amount: due }
  const figures = change.when === 'now' ? await world.taxes.quote(now, sale) : undefined
  const quote = figures && tax.newQuote(now, { ...sale, ...figures, id: mintId(random, 'quote') })
  if (quote) await tax.addQuote(db, quote)
  const pinned = {
    license_id,
    price_id,
    price_id_before: subscription.price_id,
    period_index: subscription.period_index,
    amount: price.amount,
    when: change.when,
    due,
    trial_end: trialEndOf(change),
    at: now.getTime(),
    tax_quote_id: quote?.id ?? null,
  }
  const owed = quote?.tax ?? ZERO
  const discount = await runningDiscount(db, subscription, price)
  // The period that begins now uses up one of the discount's periods.
  const isUsed = discount !== undefined && change.when === 'now'
  const later = isUsed ? discounts.afterPeriods(subscription, 1) : subscription
  const total = sum(due, owed)
  const period_end = firstEnd(locked, price, change)
  const renews_at = change.when === 'period_end' ? subscription.period_end : period_end
  return {
    price,
    change,
    discount,
    discounted_periods: later.discount_id === null ? 0 : later.discount_periods_left,
    tax: owed,
    total,
    is_waived: isWaived(world, total),
    renewal: await withTax(world, subscription, {
      amount: await discountedPrice(db, later, price),
      at: renews_at ?? now,
    }),
    period_end,
    agreement: signToken(world, AGREEMENT, pinned),
  }
}

/** The plan change at a given time; undefined if it is not possible. */
export async function decide(
  { db, processor }: { db: Db; processor: World['processor'] },
  { license, subscription, app }: LockedLicense,
  price: catalog.ProductPrice,
  at: Date,
): Promise<billing.PlanChange | undefined> {
  const { status } = license
  if (!subscription || price.app_id !== app.id || price.id === subscription.price_id) {
    return undefined
  }
  if (status !== 'active' && status !== 'trialing') return undefined
  // The period has ended, and the next one is being paid as agreed before.
  if (await billing.openInvoiceOf(db, subscription.id)) return undefined
  const { period_end } = subscription
  const is_prepaid = status === 'active' && subscription.period_index === 0
  const period = await periodOf(db, subscription, { status, at })
  const running = { status, period_end, is_prepaid, ...period }
  const off = await runningDiscount(db, subscription, price)
  const offered = { ...price, discount: off?.amount ?? ZERO }
  const wanted = billing.planChange(at, subscription, offered, running)
  const isSmall = wanted.when === 'now' && isWaived({ processor }, wanted.due)
  // A second one is not waived: many small steps up would be at the service's cost.
  const isLater = isSmall && (await hadWaived(db, subscription))
  const change = isLater ? ({ when: 'period_end' } as const) : wanted
  // With auto-renew off, there is no next period.
  return change.when === 'period_end' && !subscription.auto_renew ? undefined : change
}

/** Whether the last purchase or renewal was waived, or an upgrade since. */
async function hadWaived(db: Db, { license_id }: billing.Subscription): Promise<boolean> {
  let invoice = await billing.lastPaidInvoice(db, license_id)
  while (invoice?.kind === 'upgrade' && !invoice.is_waived) {
    invoice = await billing.paidBefore(db, invoice)
  }
  return invoice?.is_waived ?? false
}

/** When the current period began, and what was kept for it; zero for a trial. */
async function periodOf(
  db: Db,
  { license_id, order_id }: billing.Subscription,
  { status, at }: { status: 'active' | 'trialing'; at: Date },
): Promise<Pick<billing.CurrentPeriod, 'period_start' | 'kept'>> {
  if (status === 'trialing') {
    const { created_at } = await billing.getOrder(db, order_id)
    return { period_start: created_at, kept: ZERO }
  }
  const last = await billing.lastPaidInvoice(db, license_id)
  if (!last) return { period_start: at, kept: ZERO }
  return { period_start: last.period_start, kept: await keptFor(db, last) }
}

/** The end of the first period under the new plan. */
export function firstEnd(
  { now, subscription }: Pick<LockedLicense, 'now' | 'subscription'>,
  { frequency }: catalog.ProductPrice,
  change: billing.PlanChange,
): Date | null {
  if (change.when === 'in_trial') return change.trial_end
  if (frequency === null) return null
  const anchor = change.when === 'now' ? now : subscription!.period_end
  return billing.periodOf({ anchor, anchor_index: 0, frequency }, 1).period_end
}

/** Whether nothing has changed since the quote was shown to the buyer. */
export function isAsShown(
  { subscription, now }: LockedLicense,
  { price, change }: { price: catalog.ProductPrice; change: billing.PlanChange },
  pinned: Pinned,
): boolean {
  const age = now.getTime() - pinned.at
  return (
    age >= 0 &&
    age <= GOOD_FOR_SECONDS * 1000 &&
    price.amount === pinned.amount &&
    change.when === pinned.when &&
    dueNow(change) === pinned.due &&
    trialEndOf(change) === pinned.trial_end &&
    subscription!.price_id === pinned.price_id_before &&
    subscription!.period_index === pinned.period_index
  )
}

/** Whether the tax that was shown is still owed: the address and the rate are the same. */
export function isTaxSame(
  { taxes }: World,
  { subscription, now }: LockedLicense,
  quote: tax.Quote,
): boolean {
  const { state, zip } = subscription!
  return quote.state === state && quote.zip === zip && tax.isQuoteValid(now, quote, taxes)
}

function dueNow(change: billing.PlanChange): Cents {
  return change.when === 'now' ? change.due : ZERO
}

function trialEndOf(change: billing.PlanChange): number | null {
  return change.when === 'in_trial' ? change.trial_end.getTime() : null
}

/** What an agreement pins. Undefined if this service did not sign it, or it has expired. */
export function readAgreement(world: World, agreement: string): Pinned | undefined {
  return readToken(world, AGREEMENT, agreement)
}
