import * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type LicenseId, mintId, type SubscriptionId, type UserId } from '#platform/ids'
import { sum } from '#platform/money'

/** A purchase that was just paid, or whose card was just checked for its trial. */
interface PaidPurchase {
  draft: billing.DraftInvoice
  cart: billing.Cart
  quote: tax.Quote
  card: payments.Card
  /** Too small to be charged: the service bears it. */
  is_waived: boolean
}

/** A paid purchase with the terms that its buyer agreed to. */
interface AgreedPurchase extends PaidPurchase {
  terms: billing.Terms
}

/**
 * Turns a paid purchase into an account, a license, an order and, where it renews, a subscription.
 * One that continues an imported license adds order and subscription to this one.
 */
export async function fulfill(world: World, tx: Db, now: Date, paid: PaidPurchase): Promise<void> {
  const purchase = { ...paid, terms: termsOf(now, paid) }
  const { draft, cart, terms } = purchase
  const { id: invoice_id, order_id } = draft
  const { user_id, made_account, license_id } = cart.continues_license_id
    ? await continueLicense(tx, now, cart, cart.continues_license_id)
    : await addLicense(world, tx, now, purchase)
  const order = { id: order_id, invoice_id, app_id: cart.app_id, user_id, license_id, made_account }
  await billing.addOrder(tx, now, order)
  const subscription_id = await subscribe(world, tx, now, { purchase, user_id, license_id })
  await billing.payPurchase(tx, now, {
    id: invoice_id,
    user_id,
    license_id,
    subscription_id,
    period_index: draft.period_index,
    period_start: now,
    period_end: terms.period_end,
    is_waived: paid.is_waived,
  })
  await billing.completeCart(tx, now, { cart_id: cart.id, order_id, user_id })
}

/** The terms that the buyer agreed to, even if the plan has others by now. */
function termsOf(now: Date, { draft, cart, quote }: PaidPurchase): billing.Terms {
  const total = sum(quote.amount, quote.tax)
  const prepaid_until = cart.continues_license_id ? draft.period_end! : undefined
  return billing.termsOf(now, draft, { total, trial_allowed: true, prepaid_until })
}

/** The license that a purchase is for, and its buyer. */
interface LicenseOfPurchase {
  user_id: UserId
  made_account: boolean
  license_id: LicenseId
}

/** An imported license renews from now on; its key stays the same. */
async function continueLicense(
  tx: Db,
  now: Date,
  { user_id }: billing.Cart,
  license_id: LicenseId,
): Promise<LicenseOfPurchase> {
  await licensing.continueImported(tx, now, license_id)
  return { user_id: user_id!, made_account: false, license_id }
}

async function addLicense(
  world: World,
  tx: Db,
  now: Date,
  purchase: AgreedPurchase,
): Promise<LicenseOfPurchase> {
  const { cart } = purchase
  const { user_id, made: made_account } = await identity.findOrAddUser(tx, now, {
    id: mintId(world.random, 'usr'),
    email: cart.email!,
    email_normalized: cart.email_normalized!,
    created_via: 'checkout',
    language: cart.language,
  })
  const license_id = await mintLicense(world, tx, now, { purchase, user_id })
  return { user_id, made_account, license_id }
}

async function mintLicense(
  { random, keys }: World,
  tx: Db,
  now: Date,
  { purchase, user_id }: { purchase: AgreedPurchase; user_id: UserId },
): Promise<LicenseId> {
  const { cart, draft, terms } = purchase
  const license_id = mintId(random, 'lic')
  const license = {
    license_id,
    app_id: cart.app_id,
    user_id,
    product_id: draft.product_id,
    status: terms.status,
    period_end: terms.period_end,
    trigger: 'purchase' as const,
  }
  await licensing.mint(tx, now, { keys, random }, license)
  return license_id
}

/** Stores the card, and opens the subscription of a plan that renews; null for one paid once. */
async function subscribe(
  { random }: World,
  tx: Db,
  now: Date,
  facts: { purchase: AgreedPurchase; user_id: UserId; license_id: LicenseId },
): Promise<SubscriptionId | null> {
  const { user_id, license_id } = facts
  const { draft, cart, card, quote, terms } = facts.purchase
  const card_id = mintId(random, 'card')
  await payments.keepCard(tx, now, { id: card_id, user_id, card })
  if (!terms.period_end) return null
  const isTrial = terms.status === 'trialing'
  // Nothing is charged until the period ends that is free, or that was paid at another service.
  const isLater = isTrial || cart.continues_license_id !== null
  const isDiscounted = draft.lines.some(({ kind }) => kind === 'discount')
  const discount = isDiscounted ? await discounts.discountOf(tx, draft.id) : undefined
  const id = mintId(random, 'sub')
  await billing.addSubscription(tx, now, {
    id,
    app_id: cart.app_id,
    license_id,
    order_id: draft.order_id,
    price_id: draft.price_id,
    card_id,
    amount: billing.priceOf(draft),
    state: quote.state,
    zip: quote.zip,
    anchor: isLater ? terms.period_end : now,
    period_index: isLater ? 0 : 1,
    period_end: terms.period_end,
    ...discounts.runningOf(discount, isLater ? 0 : 1),
    next_at: isTrial ? billing.trialDue(now, terms.period_end) : terms.period_end,
  })
  return id
}
