import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Bill, bill } from './bill.ts'
import { cardRefusal } from './card.ts'
import { type Settled, settle } from './settle.ts'

/** What the buyer is told after pressing "Pay". */
export type Confirmed =
  | { outcome: 'completed'; order_id: string }
  | { outcome: 'declined'; decline_code: payments.DeclineCode }
  | { outcome: 'action_required'; action_url: string }
  /** The processor's answer is not known yet, to this or to the same buyer's other attempt. */
  | { outcome: 'processing' }
  | { outcome: 'already_owned'; license: licensing.License }
  /** Nothing was charged, and what is shown must be looked at again. */
  | { outcome: 'changed' | 'card_needed' | 'sign_in_needed' | 'gone' | 'not_charged' | 'untried' }
  /** The cart was left for too long: its buyer starts again. */
  | { outcome: 'expired' }
  /** The app's own developer is never charged for it; see `finishWalkthrough`. */
  | { outcome: 'preview' }

/** An attempt to charge; another one of the same buyer that is in its way, if still; or the end. */
type Recorded =
  | { attempt: payments.Attempt }
  /** The offer changed between the look at it and the record, or it was quoted again. */
  | 'repriced'
  | { other: payments.Attempt | undefined }
  | { end: Confirmed }

const ROUNDS = 3

/**
 * Confirms a cart as the buyer saw it (see `Bill.agreement`). It may be called any number of times,
 * by any number of tabs: the cart is charged once.
 */
export async function confirm(
  world: World,
  request: { cart_id: string; agreement: string; return_url: string },
): Promise<Confirmed> {
  let isRepriced = false
  for (let round = 0; round < ROUNDS; round++) {
    const recorded = await record(world, request)
    // Looked at again from the start: what the buyer saw must be what is charged now.
    isRepriced = recorded === 'repriced'
    if (recorded === 'repriced') continue
    if ('end' in recorded) return recorded.end
    if ('attempt' in recorded) return await charge(world, recorded.attempt, request.return_url)
    const { other } = recorded
    // It was settled in the blink between two statements: look again from the start.
    if (!other) continue
    if (other.status === 'open') return { outcome: 'processing' }
    const closed = await closeChallenge(world, other)
    if (closed.outcome === 'processing') return closed
    if (closed.outcome === 'completed' && other.cart_id === request.cart_id) return closed
  }
  return { outcome: isRepriced ? 'changed' : 'untried' }
}

/** Puts the intention on record, or says why there is none. */
async function record(
  world: World,
  request: { cart_id: string; agreement: string },
): Promise<Recorded> {
  const { db } = world
  const seen = await billing.findCart(db, request.cart_id)
  if (seen?.order_id) return end({ outcome: 'completed', order_id: seen.order_id })
  const offer = seen && (await catalog.findOffer(db, seen.price_id))
  const app = offer && (await apps.findOnSale(db, offer.app_id))
  if (!seen || !offer || !app) return end({ outcome: 'gone' })
  if (billing.hasExpired(world.clock.now(), seen)) return end({ outcome: 'expired' })
  const { card } = seen
  if (!card || cardRefusal(card, seen.state!)) return end({ outcome: 'card_needed' })
  const shown = await bill(world, seen, offer)
  const asked_at = appTime(world, app)
  const isValid = tax.isQuoteValid(asked_at, shown.quote, world.taxes)
  if (!isValid || shown.quote.amount !== offer.amount) {
    await requote(world, seen, { app, offer })
    return 'repriced'
  }
  if (shown.agreement !== request.agreement) return end({ outcome: 'changed' })
  return await db.tx((tx) => recordAttempt(world, tx, { seen, app, offer, card, shown, asked_at }))
}

/** The same inside of its transaction, with all that was seen before it. */
async function recordAttempt(
  { clock, random }: World,
  tx: Db,
  facts: {
    seen: billing.Cart
    app: apps.App
    offer: catalog.Offer
    card: payments.Card
    shown: Bill
    asked_at: Date
  },
): Promise<Recorded> {
  const now = clock.now()
  const { app, offer, card, shown } = facts
  const cart = await billing.lockCart(tx, facts.seen.id)
  if (cart.order_id) return end({ outcome: 'completed', order_id: cart.order_id })
  // Locked until the attempt is on record: its seller changes neither price nor version meanwhile.
  const locked = await catalog.lockOffer(tx, cart.price_id)
  if (!locked) return end({ outcome: 'gone' })
  if (locked.amount !== offer.amount || locked.trial_days !== offer.trial_days) return 'repriced'
  const buyer = { app_id: cart.app_id, email_normalised: cart.email_normalised! }
  const attempt = {
    id: mintId(random, 'att'),
    cart_id: cart.id,
    ...buyer,
    order_id: mintId(random, 'ord'),
    tax_quote_id: shown.quote.id,
    amount: shown.terms.due_now,
    trial_days: shown.trial_days,
    card,
  }
  if (!(await payments.open(tx, now, { ...attempt, asked_at: facts.asked_at }))) {
    return { other: await payments.findPending(tx, buyer) }
  }
  const withdraw = async (why: Confirmed) => {
    await payments.record(tx, now, attempt.id, { status: 'closed' })
    return end(why)
  }
  // Asked after the attempt is on record: whoever bought before us has committed a license by now.
  // What an account holds is told to its owner alone, so whose cart this is comes first.
  const user = await identity.findByEmail(tx, buyer.email_normalised)
  if (user && user.id !== cart.user_id) return await withdraw({ outcome: 'sign_in_needed' })
  if (user?.id === app.developer_id) return await withdraw({ outcome: 'preview' })
  const license = await licensing.findLive(tx, buyer)
  if (license) return await withdraw({ outcome: 'already_owned', license })
  const open = { status: 'open' as const, action_url: null, decline_code: null, created_at: now }
  return { attempt: { ...attempt, ...open } }
}

function end(outcome: Confirmed): Recorded {
  return { end: outcome }
}

/** The price changed under the cart, or its quote no longer holds: quotes it anew. */
async function requote(
  world: World,
  cart: billing.Cart,
  { app, offer }: { app: apps.App; offer: catalog.Offer },
): Promise<void> {
  const now = appTime(world, app)
  const { state, zip } = cart as { state: string; zip: string }
  const sale = { state, zip, amount: offer.amount }
  const figures = await world.taxes.quote(now, sale)
  await world.db.tx(async (tx) => {
    const id = mintId(world.random, 'quote')
    await tax.keepQuote(tx, now, { id, ...sale, ...figures })
    await billing.requote(tx, world.clock.now(), { cart_id: cart.id, tax_quote_id: id })
  })
}

/** Closes a challenge that was left unanswered, so that its answer cannot come late. */
async function closeChallenge(
  world: World,
  attempt: payments.Attempt,
): Promise<Settled | { outcome: 'processing' }> {
  return await settleOrWait(world, attempt, async () =>
    world.processor.close(await timeThere(world, attempt), attempt.id),
  )
}

/** What time it is for the app that is bought. */
async function timeThere(world: World, { app_id }: { app_id: string }): Promise<Date> {
  return appTime(world, (await apps.find(world.db, app_id))!)
}

async function charge(
  world: World,
  attempt: payments.Attempt,
  return_url: string,
): Promise<Confirmed> {
  const app = (await apps.find(world.db, attempt.app_id))!
  const { statement_descriptor } = world.config.operator
  return await settleOrWait(world, attempt, () =>
    world.processor.charge(appTime(world, app), {
      key: attempt.id,
      amount: attempt.amount,
      currency: 'usd',
      card_token: attempt.card.token,
      description: `Order ${attempt.order_id}`,
      statement_suffix: payments.statementText(statement_descriptor, app.name).suffix,
      off_session: false,
      return_url,
    }),
  )
}

/** Writes the processor's answer; where none comes, `recover` looks for it. */
async function settleOrWait(
  world: World,
  attempt: payments.Attempt,
  ask: () => Promise<payments.ChargeAnswer>,
): Promise<Settled | { outcome: 'processing' }> {
  try {
    return await settle(world, attempt, await ask())
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    world.log.warn({ attempt_id: attempt.id }, 'the processor did not answer')
    return { outcome: 'processing' }
  }
}
