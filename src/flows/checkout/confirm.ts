import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import * as tax from '#domain/tax'
import {
  type ChargeOutcome,
  chargeAttempt,
  closeAttempt,
  divide,
  lockContinued,
  openAttempt,
} from '#flows/payment'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { type CartId, mintId, type OrderId } from '#platform/ids'
import { writeTogether } from '#platform/write-together'
import { cardRefusal } from './card.ts'
import { discountOfCart, discountRefusal, requestOf, requote } from './cart-discount.ts'
import { type CheckoutTotals, checkoutTotals } from './totals.ts'

/** The outcome of pressing "Pay". */
export type Confirmed =
  | { outcome: 'completed'; order_id: OrderId }
  | { outcome: 'declined'; decline_code: payments.DeclineCode }
  | { outcome: 'action_required'; action_url: string }
  /** The processor's answer is pending, for this attempt or another one by the same buyer. */
  | { outcome: 'processing' }
  | { outcome: 'already_owned'; license: licensing.License }
  /** Nothing was charged. The page must be shown again. */
  | { outcome: 'changed' | 'card_needed' | 'sign_in_needed' | 'gone' | 'not_charged' | 'untried' }
  /** The imported license can no longer be continued: see `notContinued`. */
  | { outcome: 'not_continued' }
  /** The cart has expired. The buyer starts again. */
  | { outcome: 'expired' }
  /** The app's own seller is never charged for it; see `finishWalkthrough`. */
  | { outcome: 'preview' }

/** What a cart is waiting for: its own attempt, another attempt by the same buyer, or nothing. */
type Recorded =
  | { attempt: payments.Attempt; app: apps.App; order_id: OrderId; quote: tax.Quote }
  /** The price or its quote changed before the attempt was recorded. */
  | 'repriced'
  | { other: payments.Attempt | undefined; app: apps.App }
  | { end: Confirmed }

const ROUNDS = 3

/** A cart as it was just read, with what it buys. */
export interface SeenCart {
  cart: billing.Cart
  app: apps.App
  price: catalog.ProductPrice
  totals: CheckoutTotals
}

/** What the buyer confirms. The first round starts from `seen`, if given. */
interface Confirmation {
  cart_id: CartId
  agreement: string
  return_url: string
  seen?: SeenCart
}

/**
 * Confirms a cart as the buyer saw it (see `CheckoutTotals.agreement`). It may be called any number
 * of times, from any number of tabs: the cart is charged once.
 */
export async function confirm(
  world: World,
  { seen, ...request }: Confirmation,
): Promise<Confirmed> {
  let isRepriced = false
  for (let round = 0; round < ROUNDS; round++) {
    const recorded = await record(world, request, round === 0 ? seen : undefined)
    // Each round reads everything again: what the buyer saw must be what is charged now.
    isRepriced = recorded === 'repriced'
    if (recorded === 'repriced') continue
    if ('end' in recorded) return recorded.end
    const { app } = recorded
    if ('attempt' in recorded) {
      const { attempt, order_id, quote } = recorded
      const { return_url, cart_id } = request
      const known = { owner: { kind: 'purchase', cart_id }, quote } as const
      return ofCart(await chargeAttempt(world, { attempt, app, return_url, known }), order_id)
    }
    const { other } = recorded
    // It was settled between two statements: read everything again.
    if (!other) continue
    if (other.status === 'open') return { outcome: 'processing' }
    const closed = await closeAttempt(world, other, { app })
    if (closed.outcome === 'processing') return closed
    // It is paid: now there is an order or a license to find.
    if (closed.outcome === 'paid') return await confirm(world, request)
  }
  return { outcome: isRepriced ? 'changed' : 'untried' }
}

/** Records the invoice and the attempt, or returns why nothing is charged. */
async function record(
  world: World,
  request: { cart_id: CartId; agreement: string },
  seen: SeenCart | undefined,
): Promise<Recorded> {
  const { db } = world
  const cart = seen?.cart ?? (await billing.findCart(db, request.cart_id))
  if (cart?.order_id) return end({ outcome: 'completed', order_id: cart.order_id })
  // A price that was seen may be deleted: it is locked before anything is recorded.
  const price = seen?.price ?? (cart && (await catalog.findLivePrice(db, cart.price_id)))
  const app = seen?.app ?? (price && (await apps.find(db, price.app_id)))
  if (!cart || !price || !app?.is_on_sale) return end({ outcome: 'gone' })
  if (billing.hasExpired(world.clock.now(), cart)) return end({ outcome: 'expired' })
  const { card } = cart
  if (!card || cardRefusal(card, cart.state!)) return end({ outcome: 'card_needed' })
  const totals = seen?.totals ?? (await checkoutTotals(world, cart, { app, price }))
  const requested_at = appTime(world, app)
  const isValid = tax.isQuoteValid(requested_at, totals.quote, world.taxes)
  if (!isValid || !(await isPriceSame(world, { cart, app, price, totals }))) {
    await requote(world, cart, { app, price })
    return 'repriced'
  }
  if (totals.agreement !== request.agreement) return end({ outcome: 'changed' })
  const facts = { cart, app, price, card, totals, requested_at }
  return await db.tx((tx) => recordAttempt(world, tx, facts), { generic_plans: true })
}

/** Whether the price and the discount are still the ones that a cart was quoted. */
async function isPriceSame(world: World, { cart, app, price, totals }: SeenCart): Promise<boolean> {
  const { discount_id, discount_amount } = cart
  if (totals.quote.amount + discount_amount !== price.amount) return false
  if (discount_id === null) return true
  const { discount } = await discountOfCart(world, cart, { app, price })
  return discount.discount_id === discount_id && discount.discount_amount === discount_amount
}

/** A cart that can be charged, as it was read before the transaction. */
interface ChargeableCart extends SeenCart {
  card: payments.Card
  requested_at: Date
}

/** Records the attempt, if nothing has changed since the cart was read. */
async function recordAttempt(world: World, tx: Db, facts: ChargeableCart): Promise<Recorded> {
  const { app, price, card } = facts
  const cart = await billing.lockCart(tx, facts.cart.id)
  if (cart.order_id) return end({ outcome: 'completed', order_id: cart.order_id })
  // Its account was deleted or disowned since the page was read.
  if (cart.has_ended) return end({ outcome: 'expired' })
  // A code was entered or removed in another tab: the use of one must not be recorded for another.
  if (cart.tax_quote_id !== facts.cart.tax_quote_id) return 'repriced'
  // Locked until the attempt is recorded: until then the seller cannot change price or product, nor
  // take the app off sale.
  const locked = await catalog.lockLivePrice(tx, cart.price_id, { is_on_sale: true })
  if (!locked) return end({ outcome: 'gone' })
  if (locked.amount !== price.amount || locked.trial_days !== price.trial_days) return 'repriced'
  const { discount_id } = cart
  // Locked until the use is recorded, so that no other purchase takes the last one.
  const discount = discount_id && (await discounts.lockDiscount(tx, discount_id))
  const request = requestOf(cart, { app, price })
  if (discount && (await discountRefusal(world, tx, request, discount))) return 'repriced'
  const draft = draftOf(world, cart, facts)
  const email_normalized = cart.email_normalized!
  await payments.lockPurchaser(tx, { app_id: app.id, email_normalized })
  const charge = { invoice: draft, app, email_normalized, card, requested_by: 'buyer' as const }
  const [, attempt] = await writeTogether(tx, (writes) => [
    billing.addDraft(writes, facts.requested_at, draft),
    openAttempt(world, writes, charge),
  ])
  const { order_id } = draft
  if (!attempt) {
    await billing.voidInvoice(tx, draft.id)
    return await otherOf(tx, cart, facts)
  }
  const refusal = await refusalOf(tx, cart, facts)
  if (!refusal) {
    const use = { invoice_id: draft.id, id: discount_id! }
    if (discount) await discounts.useDiscount(tx, facts.requested_at, use)
    return { attempt, app, order_id, quote: facts.totals.quote }
  }
  await payments.recordAnswer(tx, world.clock.now(), attempt.id, { status: 'closed' })
  await billing.voidInvoice(tx, draft.id)
  return end(refusal)
}

/**
 * The attempt that blocks a new one: for a purchase, or for a license that already exists. Only a
 * person who may buy learns of it, and closes it.
 */
async function otherOf(tx: Db, cart: billing.Cart, facts: ChargeableCart): Promise<Recorded> {
  const refusal = await refusalOf(tx, cart, facts)
  if (refusal) return end(refusal)
  const { app } = facts
  const buyer = { app_id: app.id, email_normalized: cart.email_normalized! }
  const other = await payments.findPending(tx, buyer)
  const owner = other && (await billing.ownerOf(tx, other.invoice_id))
  if (!owner || owner.kind === 'purchase') return { other, app }
  return end({ outcome: 'processing' })
}

/** The invoice of a purchase, as the buyer agreed to it. */
function draftOf(
  { random }: World,
  cart: billing.Cart,
  { app, price, totals, requested_at }: ChargeableCart,
): billing.NewDraft {
  const { quote, lines, terms, trial_days, prepaid_until } = totals
  const { brought_by, affiliate_id } = cart
  const fixed_fee = billing.FIXED_FEE
  return {
    id: mintId(random, 'inv'),
    kind: 'purchase',
    cart_id: cart.id,
    app_id: app.id,
    order_id: mintId(random, 'ord'),
    trial_days,
    // What was paid at another service is the period before the first.
    period_index: terms.period_end === null ? null : Number(!prepaid_until),
    period_start: requested_at,
    period_end: terms.period_end,
    product_id: price.product_id,
    price_id: price.id,
    ...divide(requested_at, { app, lines, quote, brought_by, affiliate_id, fixed_fee }),
  }
}

/**
 * Why a buyer is not charged. Checked after the attempt is recorded, as an earlier buyer has
 * committed a license by then. The account is checked first, because purchases are shown only to
 * their owner.
 */
async function refusalOf(
  tx: Db,
  cart: billing.Cart,
  facts: ChargeableCart,
): Promise<Confirmed | undefined> {
  const { app } = facts
  const buyer = { app_id: app.id, email_normalized: cart.email_normalized! }
  const user = await identity.findByEmail(tx, buyer.email_normalized)
  if (user && user.id !== cart.user_id) return { outcome: 'sign_in_needed' }
  // The account that began this purchase has since changed its email.
  if (!user && cart.user_id !== null) return { outcome: 'expired' }
  const { seller_id } = app
  if (user && (await sellers.memberOf(tx, { seller_id, user_id: user.id }))) {
    return { outcome: 'preview' }
  }
  if (cart.continues_license_id !== null) return await continuationRefusalOf(tx, cart, facts)
  const license = user && (await licensing.findLive(tx, buyer))
  return license && { outcome: 'already_owned', license }
}

/** Why an imported license is not continued: it has changed since the buyer saw it, or ended. */
async function continuationRefusalOf(
  tx: Db,
  { continues_license_id, user_id }: billing.Cart,
  { price, totals, requested_at }: ChargeableCart,
): Promise<Confirmed | undefined> {
  const refusal = await lockContinued(tx, requested_at, {
    license_id: continues_license_id!,
    user_id,
    product_id: price.product_id,
    period_end: totals.terms.period_end,
  })
  if (refusal === undefined) return undefined
  return { outcome: refusal === 'other_end' ? 'changed' : 'not_continued' }
}

function end(outcome: Confirmed): Recorded {
  return { end: outcome }
}

/** The outcome of a cart's own attempt. */
function ofCart(charged: ChargeOutcome, order_id: OrderId): Confirmed {
  return charged.outcome === 'paid' ? { outcome: 'completed', order_id } : charged
}
