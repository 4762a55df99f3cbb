import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import type * as licensing from '#domain/licensing'
import * as tax from '#domain/tax'
import { isWaived } from '#flows/payment'
import { appTime, type World } from '#flows/world'
import { isoDate } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'
import type { JsonRow } from '#platform/json-row'
import { type Cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { discountedPrice, lessDiscount, runningDiscount } from './running-discount.ts'
import { scheduledPrice } from './scheduled-price.ts'

/** An amount, with the tax on the day it is charged. */
export interface Taxed {
  amount: Cents
  tax: Cents
  total: Cents
  /** What the card is charged: the total, or nothing if it is too small and waived. */
  charged: Cents
  /**
   * False if a tax service computes the tax at that time. Then this is an estimate at the last
   * rate, or after a move to another state, at the rate of that state.
   */
  is_exact: boolean
}

/** The next charge for a license. */
export interface NextCharge extends Taxed {
  /** The period after this one, an open invoice, or the first period after a pause. */
  why: 'renewal' | 'owed' | 'resumption'
  price: catalog.ProductPrice
  /** The discount on it and on later charges, if any. */
  discount: billing.CodeDiscount | undefined
  subscription: billing.RunningSubscription
  /** The app's time now. */
  now: Date
}

/**
 * The next charge for a license, whether or not auto-renew is on; undefined if nothing is ever
 * charged again.
 */
export async function nextCharge(
  world: World,
  license_id: LicenseId,
): Promise<NextCharge | undefined> {
  const { db } = world
  const running = await findRunningLicense(db, license_id)
  if (!running) return undefined
  const { subscription, owed } = running
  const now = appTime(world, running)
  if (owed) {
    const isSame = owed.price_id === running.price.id
    const price = isSame ? running.price : await catalog.getPrice(db, owed.price_id)
    const discount = await runningDiscount(db, subscription, price)
    return { why: 'owed', price, discount, ...owedBy(owed), subscription, now }
  }
  const resumes = running.paused_for === 'buyer'
  const scheduled = await scheduledPrice(db, subscription)
  const agreed = scheduled ?? { ...running.price, amount: subscription.amount }
  const discount = await runningDiscount(db, subscription, agreed)
  const taxed = await withTax(world, subscription, {
    amount: lessDiscount(agreed.amount, discount),
    at: resumes ? now : subscription.period_end,
  })
  const price = scheduled ?? running.price
  return { why: resumes ? 'resumption' : 'renewal', price, discount, ...taxed, subscription, now }
}

/** A license that has not ended, with what its next charge depends on. */
interface RunningLicense extends Pick<licensing.PausableLicense, 'paused_for'> {
  clock_ahead: number
  subscription: billing.RunningSubscription
  /** The price of the current plan. */
  price: catalog.ProductPrice
  /** The open invoice, if any. */
  owed: billing.Invoice | undefined
}

/** Reads it with one statement. */
async function findRunningLicense(
  db: Db,
  license_id: LicenseId,
): Promise<RunningLicense | undefined> {
  interface RunningRow extends Pick<RunningLicense, 'paused_for' | 'clock_ahead' | 'price'> {
    subscription: JsonRow<billing.RunningSubscription>
    owed: JsonRow<billing.Invoice> | null
  }
  const row = await db.maybe<RunningRow>(sql`select licenses.paused_for, apps.clock_ahead,
      ${billing.SUBSCRIPTION_AS_JSON} as subscription,
      ${catalog.priceAsJson(sql`s.price_id`)} as price,
      ${billing.openInvoiceAsJson(sql`s.id`)} as owed
    from licenses join apps on apps.id = licenses.app_id
      join subscriptions s on s.license_id = licenses.id and s.ended_at is null
    where licenses.id = ${license_id} and licenses.status <> 'canceled'`)
  return (
    row && {
      ...row,
      subscription: billing.subscriptionIn(row.subscription),
      owed: row.owed ? billing.invoiceOf(row.owed) : undefined,
    }
  )
}

/** The next charge of each subscription that is not paused, for any number of them at once. */
export async function nextCharges(
  world: World,
  subscriptions: billing.Subscription[],
): Promise<Map<string, Taxed & Pick<NextCharge, 'why'>>> {
  const { db } = world
  const ids = subscriptions.map(({ id }) => id)
  const open = await billing.openInvoicesOf(db, ids)
  const charges = new Map<string, Taxed & Pick<NextCharge, 'why'>>()
  for (const subscription of subscriptions) {
    const { id, period_end } = subscription
    const owed = open.get(id)
    if (owed) {
      charges.set(id, { why: 'owed', ...owedBy(owed) })
      continue
    }
    const scheduled = await scheduledPrice(db, subscription)
    const next = { amount: await dueNext(db, subscription, scheduled), at: period_end }
    charges.set(id, { why: 'renewal', ...(await withTax(world, subscription, next)) })
  }
  return charges
}

/** The amounts of an open invoice, which is never waived: a waived one is paid at once. */
function owedBy({ amount, tax: owed }: billing.Invoice): Taxed {
  const total = sum(amount, owed)
  return { amount, tax: owed, total, charged: total, is_exact: true }
}

/** The next amount before tax. Without a discount it needs no query. */
async function dueNext(
  db: Db,
  subscription: billing.Subscription,
  scheduled: catalog.ProductPrice | undefined,
): Promise<Cents> {
  const { amount, price_id, discount_id } = subscription
  if (discount_id === null) return scheduled?.amount ?? amount
  const agreed = scheduled ?? { ...(await catalog.getPrice(db, price_id)), amount }
  return await discountedPrice(db, subscription, agreed)
}

/** Adds the tax on the day that a subscription is charged. */
export async function withTax(
  world: World,
  { state, zip, license_id, order_id }: billing.Subscription,
  { amount, at }: { amount: Cents; at: Date },
): Promise<Taxed> {
  const { db, taxes } = world
  // A page must not call a tax service: it may be slow, costs money, and has no future rates.
  const is_exact = taxes.name === 'table'
  const owed = is_exact
    ? (await taxes.quote(at, { state, zip, amount })).tax
    : tax.taxOn(amount, await lastRule())
  const total = sum(amount, owed)
  return { amount, tax: owed, total, charged: isWaived(world, total) ? ZERO : total, is_exact }

  async function lastRule() {
    const { tax_quote_id } =
      (await billing.lastPaidInvoice(db, license_id)) ??
      (await billing.purchaseInvoiceOf(db, order_id))
    const last = await tax.getQuote(db, tax_quote_id)
    // The buyer has moved, and the service was not asked about the new state yet.
    return last.state === state ? last : tax.ruleFor(state, isoDate(at))
  }
}
