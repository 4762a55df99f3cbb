import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { bookPayment } from '#flows/book'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { mintId } from '#platform/ids'
import { sum, ZERO } from '#platform/money'

/** All that is known of a paid cart before anything of it is written. */
interface Sale {
  attempt: payments.Attempt
  cart: billing.Cart
  app: apps.App
  offer: catalog.Offer
  quote: tax.Quote
  terms: billing.Terms
  affiliate_id: string | null
}

/** The holder and what was written for him, as the later records refer to it. */
interface Holding {
  user_id: string
  made_account: boolean
  license_id: string
}

/**
 * The one transaction in which money becomes a license: every room writes its part, or none does.
 * `processor_charge_id` is the processor's own name for the money.
 */
export async function complete(
  world: World,
  tx: Db,
  now: Date,
  paid: Pick<Sale, 'attempt' | 'cart' | 'app'> & { processor_charge_id: string },
): Promise<void> {
  const sale = await gather(tx, now, paid)
  const { cart, attempt } = sale
  const holding = await grantLicense(world, tx, now, sale)
  const order = await recordOrder(tx, now, sale, holding)
  const subscription = await subscribe(world, tx, now, sale, order)
  if (attempt.amount > ZERO) {
    const { processor_charge_id } = paid
    await bookMoney(world, tx, now, { sale, order, subscription, processor_charge_id })
  }
  const { user_id } = holding
  await billing.completeCart(tx, now, { cart_id: cart.id, order_id: order.id, user_id })
  await queueEmail(tx, now, world.jobs, {
    id: mintId(world.random, 'email'),
    cause: `receipt:${order.id}`,
    kind: 'receipt',
    subject_id: order.id,
  })
  await queueEmail(tx, now, world.jobs, {
    id: mintId(world.random, 'email'),
    cause: `seller_sale:${order.id}`,
    kind: 'seller_sale',
    subject_id: order.id,
  })
}

async function gather(
  tx: Db,
  now: Date,
  { attempt, cart, app }: Pick<Sale, 'attempt' | 'cart' | 'app'>,
): Promise<Sale> {
  const offer = await catalog.findBought(tx, cart.price_id)
  const quote = await tax.findQuote(tx, attempt.tax_quote_id)
  const total = sum(quote.amount, quote.tax)
  // What was promised holds, whatever the offer says by now.
  const promised = { frequency: offer.frequency, trial_days: attempt.trial_days }
  const terms = billing.termsOf(now, promised, { total, trial_allowed: true })
  const affiliate_id = await payableAffiliate(tx, cart, app, attempt.card)
  return { attempt, cart, app, offer, quote, terms, affiliate_id }
}

/** The affiliate who earns on a cart: nobody earns on his own purchase, or on his own app. */
async function payableAffiliate(
  tx: Db,
  cart: billing.Cart,
  { developer_id }: apps.App,
  card: payments.Card,
): Promise<string | null> {
  if (!cart.affiliate_id) return null
  const isSelf = await affiliates.isSelf(tx, cart.affiliate_id, {
    email_normalised: cart.email_normalised!,
    fingerprint: card.fingerprint,
    developer_id,
  })
  return isSelf ? null : cart.affiliate_id
}

async function grantLicense(world: World, tx: Db, now: Date, sale: Sale): Promise<Holding> {
  const { random, keys } = world
  const { attempt, cart, offer, terms } = sale
  const { user_id, made } = await identity.findOrAddUser(tx, now, {
    id: mintId(random, 'usr'),
    email: cart.email!,
    email_normalised: attempt.email_normalised,
    created_via: 'checkout',
  })
  const license_id = mintId(random, 'lic')
  await licensing.mint(
    tx,
    now,
    { keys, random },
    {
      license_id,
      app_id: cart.app_id,
      user_id,
      product_id: offer.product_id,
      status: terms.status,
      period_end: terms.period_end,
      trigger: 'purchase',
    },
  )
  return { user_id, made_account: made, license_id }
}

/** Keeps the card, and opens the subscription of what is paid again; none for what is paid once. */
async function subscribe(
  { random }: World,
  tx: Db,
  now: Date,
  { attempt, cart, offer, quote, terms }: Sale,
  order: NewOrder,
): Promise<string | null> {
  const card_id = mintId(random, 'card')
  await payments.keepCard(tx, now, { id: card_id, user_id: order.user_id, card: attempt.card })
  if (!terms.period_end) return null
  const isTrial = terms.status === 'trialing'
  const id = mintId(random, 'sub')
  await billing.addSubscription(tx, now, {
    id,
    app_id: cart.app_id,
    license_id: order.license_id,
    order_id: order.id,
    price_id: offer.id,
    card_id,
    amount: quote.amount,
    state: quote.state,
    zip: quote.zip,
    anchor: isTrial ? terms.period_end : now,
    period_index: isTrial ? 0 : 1,
    period_end: terms.period_end,
    next_at: isTrial ? billing.trialDue(now, terms.period_end) : terms.period_end,
  })
  return id
}

type NewOrder = Omit<billing.Order, 'created_at'>

async function recordOrder(
  tx: Db,
  now: Date,
  { attempt, cart, app, offer, quote, affiliate_id }: Sale,
  holding: Holding,
): Promise<NewOrder> {
  const isPaid = attempt.amount > ZERO
  const { brought_by } = cart
  const has_add_on = apps.addOnOf(now, app).is_charged
  const fee_terms = { brought_by, has_add_on }
  const { fee, add_on_fee } = isPaid ? billing.feeOn(quote.amount, fee_terms) : billing.NO_FEE
  const order = {
    id: attempt.order_id,
    cart_id: cart.id,
    app_id: cart.app_id,
    ...holding,
    product_id: offer.product_id,
    price_id: offer.id,
    tax_quote_id: quote.id,
    amount: quote.amount,
    tax: quote.tax,
    charged: attempt.amount,
    fee,
    add_on_fee,
    commission: isPaid ? billing.commissionOn(fee, affiliate_id) : ZERO,
    brought_by,
    affiliate_id,
  }
  await billing.addOrder(tx, now, order)
  return order
}

async function bookMoney(
  world: World,
  tx: Db,
  now: Date,
  facts: {
    sale: Sale
    order: NewOrder
    subscription: string | null
    processor_charge_id: string
  },
): Promise<void> {
  const { sale, order, subscription, processor_charge_id } = facts
  const invoice = {
    ...order,
    id: mintId(world.random, 'inv'),
    kind: 'purchase' as const,
    order_id: order.id,
    subscription_id: subscription,
    period_index: subscription === null ? null : 1,
    period_start: now,
    period_end: sale.terms.period_end,
    price_amount: order.amount,
    credit: ZERO,
    fixed_fee: billing.FIXED_FEE,
  }
  await billing.addInvoice(tx, now, { ...invoice, status: 'paid' })
  const payees = { seller_id: sale.app.seller_id, state: sale.quote.state }
  const paid_by = { attempt_id: sale.attempt.id, processor_charge_id }
  await bookPayment(world, tx, now, { invoice, payees, paid_by })
}
