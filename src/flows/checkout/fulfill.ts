import * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type LicenseId, mintId, type UserId } from '#platform/ids'
import { sum } from '#platform/money'
import { type Writes, writeTogether } from '#platform/write-together'

/** A purchase that was just paid, or whose card was just checked for its trial. */
interface PaidPurchase {
  draft: billing.DraftInvoice
  cart: billing.Cart
  quote: tax.Quote
  card: payments.Card
  /** Too small to be charged: the service bears it. */
  is_waived: boolean
}

/** A paid purchase with its buyer, and the terms that they agreed to. */
export interface PurchaseToFulfill extends PaidPurchase {
  terms: billing.Terms
  user_id: UserId
  /** The license that the purchase continues, or a new one. */
  license_id: LicenseId
  /** Whether the purchase created the buyer's account. */
  made_account: boolean
  /** The discount on later periods. */
  discount: discounts.Discount | undefined
}

/**
 * Finds the account of a paid purchase and the license that it continues, or makes them: the
 * account at once, the license with everything else (see `fulfill`).
 */
export async function prepareFulfillment(
  world: World,
  tx: Db,
  now: Date,
  paid: PaidPurchase,
): Promise<PurchaseToFulfill> {
  const { cart, draft } = paid
  const isDiscounted = draft.lines.some(({ kind }) => kind === 'discount')
  const discount = isDiscounted ? await discounts.discountOf(tx, draft.id) : undefined
  const purchase = { ...paid, terms: termsOf(now, paid), discount }
  if (cart.continues_license_id) {
    const license_id = cart.continues_license_id
    // An imported license renews from now on; its key stays the same.
    await licensing.continueImported(tx, now, license_id)
    return { ...purchase, user_id: cart.user_id!, made_account: false, license_id }
  }
  const { user_id, made: made_account } = await identity.findOrAddUser(tx, now, {
    id: mintId(world.random, 'usr'),
    email: cart.email!,
    email_normalized: cart.email_normalized!,
    created_via: 'checkout',
    language: cart.language,
  })
  return { ...purchase, user_id, made_account, license_id: mintId(world.random, 'lic') }
}

/**
 * Turns a paid purchase into a license, an order and, where it renews, a subscription. One that
 * continues an imported license adds order and subscription to this one.
 */
export async function fulfill(
  world: World,
  writes: Writes,
  now: Date,
  purchase: PurchaseToFulfill,
): Promise<void> {
  const { draft, cart, card, terms, user_id, license_id, made_account, is_waived } = purchase
  const { id: invoice_id, order_id, period_index } = draft
  const { app_id } = cart
  const { period_end } = terms
  const card_id = mintId(world.random, 'card')
  const subscription_id = period_end && mintId(world.random, 'sub')
  const of = { user_id, license_id, subscription_id }
  const period = { period_index, period_start: now, period_end }
  await writeTogether(writes, (each) => [
    ...(cart.continues_license_id ? [] : [mintLicense(world, each, now, purchase)]),
    billing.addOrder(each, now, { id: order_id, invoice_id, app_id, ...of, made_account }),
    payments.addCard(each, now, { id: card_id, user_id, card }),
    ...(subscription_id && period_end
      ? [subscribe(each, now, purchase, { id: subscription_id, card_id, period_end })]
      : []),
    billing.payPurchase(each, now, { id: invoice_id, ...of, ...period, is_waived }),
    billing.completeCart(each, now, { cart_id: cart.id, order_id, user_id }),
  ])
}

/** The terms that the buyer agreed to, even if the plan has others by now. */
function termsOf(now: Date, { draft, cart, quote }: PaidPurchase): billing.Terms {
  const total = sum(quote.amount, quote.tax)
  const prepaid_until = cart.continues_license_id ? draft.period_end! : undefined
  return billing.termsOf(now, draft, { total, trial_allowed: true, prepaid_until })
}

async function mintLicense(
  { random, keys }: World,
  writes: Writes,
  now: Date,
  { cart, draft, terms, user_id, license_id }: PurchaseToFulfill,
): Promise<void> {
  const license = {
    license_id,
    app_id: cart.app_id,
    user_id,
    product_id: draft.product_id,
    status: terms.status,
    period_end: terms.period_end,
    trigger: 'purchase' as const,
  }
  await licensing.mint(writes, now, { keys, random }, license)
}

/** Opens the subscription of a plan that renews. */
async function subscribe(
  writes: Writes,
  now: Date,
  { draft, cart, quote, terms, license_id, discount }: PurchaseToFulfill,
  made: Pick<billing.NewSubscription, 'id' | 'card_id' | 'period_end'>,
): Promise<void> {
  const { period_end } = made
  const isTrial = terms.status === 'trialing'
  // Nothing is charged until the trial, or the period paid at another service, has ended.
  const isLater = isTrial || cart.continues_license_id !== null
  const period_index = isLater ? 0 : 1
  await billing.addSubscription(writes, now, {
    ...made,
    license_id,
    app_id: cart.app_id,
    order_id: draft.order_id,
    price_id: draft.price_id,
    amount: billing.priceOf(draft),
    state: quote.state,
    zip: quote.zip,
    anchor: isLater ? period_end : now,
    period_index,
    ...discounts.runningOf(discount, period_index),
    next_at: billing.reminderOrEnd(now, isTrial ? 'trialing' : 'active', {
      period_end,
      frequency: draft.frequency,
    }),
  })
}
