import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { LETTERS, queueLetter } from '#platform/letters'
import { cents, sum, ZERO } from '#platform/money'

/** What an attempt came to. */
export type Settled =
  | { outcome: 'completed'; order_id: string }
  | { outcome: 'declined'; decline_code: payments.DeclineCode }
  | { outcome: 'action_required'; action_url: string }
  | { outcome: 'not_charged' }

/** Writes the processor's answer to an attempt. Said twice, the second time changes nothing. */
export async function settle(
  world: World,
  attempt_id: string,
  answer: payments.ChargeAnswer,
): Promise<Settled> {
  const now = world.clock.now()
  const settled = await world.db.tx(async (tx): Promise<Settled> => {
    const attempt = await payments.lock(tx, attempt_id)
    if (attempt.status !== 'open' && attempt.status !== 'action_required') return told(attempt)
    await payments.record(tx, now, attempt_id, answer)
    if (answer.status === 'succeeded') await complete(world, tx, now, attempt, answer.charge_id)
    return told({ ...attempt, ...answer } as payments.Attempt)
  })
  if (settled.outcome === 'completed') world.jobs.wake(LETTERS)
  return settled
}

/** The outcome that an attempt's row tells. */
export function told(attempt: payments.Attempt): Settled {
  if (attempt.status === 'succeeded') return { outcome: 'completed', order_id: attempt.order_id }
  if (attempt.status === 'declined') {
    return { outcome: 'declined', decline_code: attempt.decline_code! }
  }
  if (attempt.status === 'action_required') {
    return { outcome: 'action_required', action_url: attempt.action_url! }
  }
  return { outcome: 'not_charged' }
}

/** The one transaction in which money becomes a license: every room writes its part, or none. */
async function complete(
  world: World,
  tx: Db,
  now: Date,
  attempt: payments.Attempt,
  processor_charge_id: string,
): Promise<void> {
  const { random, keys, processor } = world
  const { order_id, card } = attempt
  const cart = await billing.lockCart(tx, attempt.cart_id)
  const price = await catalog.findBought(tx, cart.price_id)
  const app = (await apps.find(tx, cart.app_id))!
  const quote = await tax.findQuote(tx, attempt.tax_quote_id)
  const total = sum(quote.amount, quote.tax)
  const terms = billing.termsOf(now, price, { total, trial_allowed: attempt.amount === ZERO })

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
      app_id: app.id,
      user_id,
      product_id: price.product_id,
      status: terms.status,
      period_end: terms.period_end,
      trigger: 'purchase',
    },
  )
  const card_id = mintId(random, 'card')
  await payments.keepCard(tx, now, { id: card_id, user_id, card })
  if (terms.period_end) {
    await billing.addSubscription(tx, now, {
      id: mintId(random, 'sub'),
      license_id,
      price_id: price.id,
      card_id,
      anchor: terms.status === 'trialing' ? terms.period_end : now,
      period_index: terms.status === 'trialing' ? 0 : 1,
      period_end: terms.period_end,
    })
  }

  const affiliate_id = await payableAffiliate(tx, cart, card)
  const isPaid = attempt.amount > ZERO
  const fee = isPaid ? billing.feeOn(quote.amount, cart.brought_by) : ZERO
  const commission = isPaid ? billing.commissionOn(fee, affiliate_id) : ZERO
  await billing.addOrder(tx, now, {
    id: order_id,
    cart_id: cart.id,
    app_id: app.id,
    user_id,
    product_id: price.product_id,
    price_id: price.id,
    license_id,
    tax_quote_id: quote.id,
    amount: quote.amount,
    tax: quote.tax,
    charged: attempt.amount,
    fee,
    commission,
    brought_by: cart.brought_by,
    affiliate_id,
    made_account: made,
  })
  if (isPaid) {
    await payments.recordCharge(tx, now, {
      id: mintId(random, 'ch'),
      attempt_id: attempt.id,
      order_id,
      processor: processor.name,
      processor_charge_id,
      amount: cents(attempt.amount),
    })
    const { seller_id } = app
    const { state, amount, tax: taxed } = quote
    const facts = { order_id, seller_id, state, affiliate_id, amount, tax: taxed, fee, commission }
    await ledger.post(tx, now, mintId(random, 'txn'), ledger.sale(facts))
  }
  await billing.completeCart(tx, now, { cart_id: cart.id, order_id, user_id })
  await queueLetter(tx, now, world.jobs, {
    id: mintId(random, 'letter'),
    cause: `receipt:${order_id}`,
    kind: 'receipt',
    subject_id: order_id,
  })
}

/** The affiliate who earns on a cart: nobody earns on his own purchase. */
async function payableAffiliate(
  tx: Db,
  cart: billing.Cart,
  card: payments.Card,
): Promise<string | null> {
  if (!cart.affiliate_id) return null
  const isSelf = await affiliates.isSelf(tx, cart.affiliate_id, {
    email_normalised: cart.email_normalised!,
    fingerprint: card.fingerprint,
  })
  return isSelf ? null : cart.affiliate_id
}
