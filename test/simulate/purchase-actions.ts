import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import {
  type CheckoutTotals,
  type Confirmed,
  checkoutTotals,
  confirm,
  findPricedApp,
  identifyBuyer,
  openCardPage,
  openCart,
  resume,
  storeEnteredCard,
} from '#flows/checkout'
import { type AppId, type CartId, type PriceId, readId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { TEST_CARDS } from '../../src/sandbox/index.ts'
import { endChallenge } from '../../src/sandbox/processor.ts'
import { testId } from '../support/ids.ts'
import { someCode } from './discount-actions.ts'
import { type Fixture, type Person, PLACES, type Shop } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { OfferedCode, RecordedRequest } from './record.ts'

const RETURN_URL = 'https://harbor.example/back'

/** A new person, or an existing one. */
export function somePerson(fixture: Fixture, rng: SeededRandom): Person {
  if (fixture.people.length > 0 && rng.odds(25)) return rng.pick(fixture.people)
  const person = {
    ...identity.readEmail(`Buyer-${fixture.people.length + 1}@example.com`)!,
    ...rng.pick(PLACES),
  }
  fixture.people.push(person)
  return person
}

/** The session of a person with an account; undefined without one, or when signed out. */
export async function sessionOf(
  { world }: Fixture,
  { email, email_normalized }: Person,
): Promise<identity.Session | undefined> {
  const user = await identity.findByEmail(world.db, email_normalized)
  if (!user || user.locked_at) return undefined
  const now = world.clock.now()
  return {
    id: testId('ses_simulated'),
    user_id: user.id,
    app_id: null,
    seller_id: null,
    viewing_seller_id: null,
    viewing_until: null,
    email,
    email_normalized,
    email_verified_at: now,
    authenticated_at: now,
    last_seen_at: now,
  }
}

// Cards with later events: failing renewals, challenges, disputes, unusual refunds, lost calls.
const EVENTFUL = TEST_CARDS.filter(({ behavior }) =>
  /^(renews|never|challenges|disputes|refunds|loses)/.test(behavior),
)

/** A random test card: a good one, one with later events, or any. */
export function someCard(rng: SeededRandom): string {
  const draw = rng.below(100)
  if (draw < 50) return '4242424242424242'
  return rng.pick(draw < 85 ? EVENTFUL : TEST_CARDS).number
}

/** A card as it is entered on the processor's page. */
export async function enterCard(
  { harness, world }: Fixture,
  rng: SeededRandom,
  entry_id: string,
): Promise<string> {
  const number = someCard(rng)
  await harness.sandbox.enterCard(world.clock.now(), { entry_id, number })
  return number
}

/**
 * A person buys something: from the buy link to a license, or until something stops the purchase.
 */
export async function buy(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const person = somePerson(fixture, rng)
  return await buyAs(fixture, rng, person, rng.pick(fixture.shops))
}

/** A person buys from a shop, as `buy` does for a random one. */
export async function buyAs(
  fixture: Fixture,
  rng: SeededRandom,
  person: Person,
  shop: Shop,
): Promise<string> {
  const price = rng.pick(await catalog.livePrices(fixture.world.db, shop.id))
  return await buyFrom(fixture, rng, { person, shop, price_id: price.id })
}

/** What a person buys, and from whom. */
interface Wanted {
  person: Person
  shop: Shop
  price_id: PriceId
  /** The code that they enter; undefined: a random one, or none. */
  code?: OfferedCode
}

/** A person follows the buy link of a price. */
export async function buyFrom(
  fixture: Fixture,
  rng: SeededRandom,
  wanted: Wanted,
): Promise<string> {
  const { person } = wanted
  const opened = await openSomeCart(fixture, rng, wanted)
  const cart_id = readId('cart', opened)
  if (!cart_id) return `${person.email}: ${opened}`
  return `${person.email} with ${await finishPurchase(fixture, rng, cart_id)}`
}

/** A person leaves a purchase that they began, to pay later; returns its cart. */
export async function leaveCartOpen(
  fixture: Fixture,
  rng: SeededRandom,
  wanted: Wanted,
): Promise<CartId | undefined> {
  const cart_id = readId('cart', await openSomeCart(fixture, rng, wanted))
  if (cart_id) await giveCard(fixture, rng, cart_id)
  return cart_id
}

/** A buyer enters a card and pays; returns the card and the answer. */
export async function finishPurchase(
  fixture: Fixture,
  rng: SeededRandom,
  cart_id: CartId,
): Promise<string> {
  const number = await giveCard(fixture, rng, cart_id)
  return `${number}: ${await pay(fixture, rng, cart_id)}`
}

/** Opens a cart; returns its ID, or where the buyer was redirected instead. */
async function openSomeCart(
  fixture: Fixture,
  rng: SeededRandom,
  { person, shop, price_id, code: wanted }: Wanted,
): Promise<string> {
  const { world } = fixture
  const priced = await findOffered(fixture, shop, price_id)
  if (!priced) return 'not for sale'
  const { app, price } = priced
  const session = rng.odds(80) ? await sessionOf(fixture, person) : undefined
  const affiliate_id = rng.odds(35) ? rng.pick(fixture.affiliates) : null
  const brought_by = rng.odds(40) ? 'service' : 'seller'
  const { entered, was_sure } = someCode(fixture, rng, { shop, wanted })
  const entered_at = world.clock.now()
  const opened = await openCart(world, {
    app,
    price,
    details: person,
    browser_hash: Buffer.from(person.email),
    next_url: null,
    session,
    affiliate_id,
    brought_by,
    discount_code: entered,
  })
  if (opened.step === 'owner') return 'owns it already'
  const { state, email_normalized: email } = person
  fixture.record.carts.set(opened.cart_id, {
    state,
    brought_by,
    affiliate_id,
    prices: new Set(),
    email,
    code: entered?.trim().toUpperCase() ?? null,
    entered_at,
    was_sure,
  })
  if (opened.step === 'sign_in') {
    const cart = (await billing.findCart(world.db, opened.cart_id))!
    const known = await identifyBuyer(world, cart, await sessionOf(fixture, person))
    if (!known) return 'could not sign in'
  }
  return opened.cart_id
}

/** What a buy link leads to, as its page reads it; undefined if it answers 404. */
async function findOffered(fixture: Fixture, { id: app_id }: Shop, price_id: PriceId) {
  const { world, record } = fixture
  const at = world.clock.now()
  const priced = await findPricedApp(world.db, price_id)
  const is_refused = !priced?.app.is_on_sale
  record.offers.push({ app_id, price_id, at, until: world.clock.now(), what: 'link', is_refused })
  return is_refused ? undefined : priced
}

/** Opens the price and the card page, on which the buyer enters a card. */
async function giveCard(fixture: Fixture, rng: SeededRandom, cart_id: CartId): Promise<string> {
  const { world } = fixture
  const cart = (await billing.findCart(world.db, cart_id))!
  const price = await catalog.getPrice(world.db, cart.price_id)
  const app = { name: 'The app' } as Parameters<typeof openCardPage>[2]['app']
  const place = { return_url: RETURN_URL, back_url: RETURN_URL }
  await openCardPage(world, cart, { app, price, summary: [], ...place })
  const requests = (await billing.findCart(world.db, cart_id))!
  const number = await enterCard(fixture, rng, requests.card_entry_id!)
  await storeEnteredCard(world, requests)
  return number
}

/** Presses "Pay", perhaps twice or in two tabs, and completes what follows. */
export async function pay(fixture: Fixture, rng: SeededRandom, cart_id: CartId): Promise<string> {
  let said: Confirmed['outcome'] = 'untried'
  for (let round = 0; round < 3; round++) {
    const presses = rng.odds(12) ? 2 : 1
    const answers = await Promise.all(
      Array.from({ length: presses }, () => press(fixture, cart_id)),
    )
    said = answers.at(-1)!
    if (said === 'action_required') said = await authenticate(fixture, rng, cart_id)
    if (said !== 'changed') break
  }
  if (said === 'processing' && rng.odds(50)) {
    const { clock } = fixture.harness
    clock.pass(rng.between(1, 8))
    const cart = (await billing.findCart(fixture.world.db, cart_id))!
    return (await resume(fixture.world, cart)).outcome
  }
  return said
}

/** Reads the current totals, and confirms them. */
async function press(fixture: Fixture, cart_id: CartId): Promise<Confirmed['outcome']> {
  const seen = await seeTotals(fixture, cart_id)
  return seen ? await confirmSeen(fixture, seen) : 'card_needed'
}

/** The totals that a buyer saw before they pay. */
interface SeenTotals extends Pick<CheckoutTotals, 'agreement'> {
  cart_id: CartId
  app_id: AppId
  price: catalog.ProductPrice
  due_now: Cents
}

/** Reads the totals of a cart; undefined if it cannot be paid. */
export async function seeTotals(
  { world }: Fixture,
  cart_id: CartId,
): Promise<SeenTotals | undefined> {
  const cart = (await billing.findCart(world.db, cart_id))!
  const price = await catalog.findLivePrice(world.db, cart.price_id)
  if (!price || !cart.card) return undefined
  const app = await apps.get(world.db, cart.app_id)
  const { agreement, terms } = await checkoutTotals(world, cart, { app, price })
  return { cart_id, app_id: app.id, price, agreement, due_now: terms.due_now }
}

/** Confirms totals that the buyer saw, however long ago. */
export async function confirmSeen(
  { world, record }: Fixture,
  { cart_id, app_id, price, agreement, due_now }: SeenTotals,
): Promise<Confirmed['outcome']> {
  record.carts.get(cart_id)!.prices.add(price.amount)
  const requests: RecordedRequest = record.ask('purchase', cart_id, due_now)
  const at = world.clock.now()
  const { outcome } = await confirm(world, { cart_id, agreement, return_url: RETURN_URL })
  requests.outcome = outcome
  const until = world.clock.now()
  const [offer, is_refused] = [{ app_id, price_id: price.id }, outcome === 'gone']
  record.offers.push({ ...offer, at, until, what: 'purchase', is_refused })
  return outcome
}

/** The bank's page: the buyer passes, fails, or leaves. */
async function authenticate(
  fixture: Fixture,
  rng: SeededRandom,
  cart_id: CartId,
): Promise<Confirmed['outcome']> {
  const { world, harness } = fixture
  if (rng.odds(20)) return 'action_required'
  const attempt = await payments.latestOfCart(world.db, cart_id)
  await endChallenge(harness.db, attempt!.action_url!.split('/').at(-1)!, rng.odds(75))
  const cart = (await billing.findCart(world.db, cart_id))!
  return (await resume(world, cart)).outcome
}
