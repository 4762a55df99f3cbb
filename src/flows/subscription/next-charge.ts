import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as tax from '#domain/tax'
import { isWaived } from '#flows/payment'
import { appTime, type World } from '#flows/world'
import { isoDate } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { plannedPrice } from './planned-price.ts'
import { discountedPrice } from './running-discount.ts'

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
  state: string
}

/**
 * The next charge for a license, whether or not auto-renew is on; undefined if nothing is ever
 * charged again.
 */
export async function nextCharge(
  world: World,
  facts: { license_id: LicenseId; app: { clock_ahead: number } },
): Promise<NextCharge | undefined> {
  const { db } = world
  const { license_id, app } = facts
  const subscription = await billing.subscriptionOf(db, license_id)
  const license = await licensing.findPausable(db, license_id)
  if (!subscription || license.status === 'canceled') return undefined
  const owed = await billing.openInvoiceOf(db, subscription.id)
  if (owed) return await chargeOf(world, subscription, owed)
  const { price_id, period_end } = subscription
  const resumes = license.paused_for === 'buyer'
  const wanted = await plannedPrice(db, subscription)
  const price = wanted ?? (await catalog.findPrice(db, price_id))
  const taxed = await withTax(world, subscription, {
    amount: await dueNext(db, subscription, wanted),
    at: resumes ? appTime(world, app) : period_end,
  })
  const { state } = subscription
  return { why: resumes ? 'resumption' : 'renewal', price, ...taxed, state }
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
    const wanted = await plannedPrice(db, subscription)
    const next = { amount: await dueNext(db, subscription, wanted), at: period_end }
    charges.set(id, { why: 'renewal', ...(await withTax(world, subscription, next)) })
  }
  return charges
}

/** The total of an open invoice. */
async function chargeOf(
  { db }: World,
  { state }: billing.Subscription,
  owed: billing.Invoice,
): Promise<NextCharge> {
  const price = await catalog.findPrice(db, owed.price_id)
  return { why: 'owed', price, ...owedBy(owed), state }
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
  wanted: catalog.ProductPrice | undefined,
): Promise<Cents> {
  const { amount, price_id, discount_id } = subscription
  if (discount_id === null) return wanted?.amount ?? amount
  const agreed = wanted ?? { ...(await catalog.findPrice(db, price_id)), amount }
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
    const last = await tax.findQuote(db, tax_quote_id)
    // The buyer has moved, and the service was not asked about the new state yet.
    return last.state === state ? last : tax.ruleFor(state, isoDate(at))
  }
}
