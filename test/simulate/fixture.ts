import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { addDays, type Frequency } from '#platform/calendar'
import {
  type AffiliateId,
  type AppId,
  type CartId,
  mintId,
  type SellerId,
  type UserId,
} from '#platform/ids'
import { cents } from '#platform/money'
import type { Harness } from './harness.ts'
import { SeededRandom } from './random.ts'
import { AnswerRecord } from './record.ts'

/** A person who buys, or may buy. */
export interface Person {
  email: string
  email_normalized: string
  state: string
  zip: string
}

/** A seller, and the account of its owner. */
export interface Seller {
  seller_id: SellerId
  seller_user_id: UserId
}

/** An app on sale, and its seller. */
export interface Shop extends Seller {
  id: AppId
}

/** The state of a simulation: sellers, affiliates and staff, and what has happened so far. */
export interface Fixture {
  harness: Harness
  world: World
  rng: SeededRandom
  /** A stream for each kind of actions apart: without them, the rest of a seed is the same. */
  apart_rngs: SeededRandom[]
  record: AnswerRecord
  sellers: Seller[]
  shops: Shop[]
  affiliates: AffiliateId[]
  operator_id: UserId
  people: Person[]
  /** Carts with a card that their buyers left, oldest first. */
  open_carts: { cart_id: CartId; at: Date }[]
  /** The completed actions, in order. */
  trace: string[]
}

/** Places with different tax: full, in part, at another rate, or none. */
export const PLACES = [
  { zip: '78701', state: 'TX' },
  { zip: '10001', state: 'NY' },
  { zip: '98101', state: 'WA' },
  { zip: '02108', state: 'MA' },
  { zip: '97365', state: 'OR' },
  { zip: '94107', state: 'CA' },
] as const

type Plan = readonly [name: string, frequency: Frequency | null, trial_days: number]

/** Plans with rising prices, so that upgrades and downgrades are always possible. */
const PLANS: readonly (readonly Plan[])[] = [
  [
    ['Dinghy', 'week', 0],
    ['Sloop', 'month', 0],
    ['Yawl', 'month', 0],
    ['Ketch', 'year', 0],
    ['Ship', null, 0],
  ],
  [
    ['Pebble', 'month', 14],
    ['Reef', 'month', 0],
    ['Tide', 'year', 0],
  ],
]

// Limits count by the clock of the machine, which a seed does not decide.
const ALLOWED = { allowed: true, limit: 1, remaining: 1, reset_seconds: 0 }

/** Opens the fixture of a seed on a cleared harness, with streams of these names. */
export async function openFixture(
  harness: Harness,
  seed: number,
  streams: readonly string[],
): Promise<Fixture> {
  const { limits } = harness.service.world
  const slow = async () => 0
  const world = { ...harness.service.world, limits: { ...limits, take: () => ALLOWED, slow } }
  const rng = new SeededRandom(seed * 2 + 1)
  const operator_id = await person(world, 'otto@purser.example')
  await identity.setStaffRole(world.db, operator_id, 'admin')
  const shops = [
    ...(await seller(world, rng, 'ada@harbor.example', [PLANS[0]!])),
    ...(await seller(world, rng, 'bo@strand.example', [PLANS[1]!])),
  ]
  const referrer = await affiliate(world, 'cleo@example.net', 'coast-walks')
  return {
    harness,
    world,
    rng,
    // Four characters in ASCII: far from the seeds of the other streams.
    apart_rngs: streams.map((name) => new SeededRandom(seed ^ Buffer.from(name).readUInt32BE())),
    record: new AnswerRecord(),
    sellers: shops.map(({ seller_id, seller_user_id }) => ({ seller_id, seller_user_id })),
    shops,
    affiliates: [referrer],
    operator_id,
    people: [],
    open_carts: [],
    trace: [],
  }
}

async function person({ db, clock, random }: World, address: string): Promise<UserId> {
  const { user_id } = await identity.findOrAddUser(db, clock.now(), {
    id: mintId(random, 'usr'),
    ...identity.readEmail(address)!,
    created_via: 'demo',
  })
  return user_id
}

async function affiliate(world: World, address: string, code: string): Promise<AffiliateId> {
  const { db, clock, random } = world
  const id = mintId(random, 'aff')
  await affiliates.add(db, clock.now(), { id, user_id: await person(world, address), code })
  return id
}

async function seller(
  world: World,
  rng: SeededRandom,
  address: string,
  sold: readonly (readonly Plan[])[],
): Promise<Shop[]> {
  const { db, clock, random } = world
  const now = clock.now()
  const seller_user_id = await person(world, address)
  const seller_id = mintId(random, 'sel')
  const legal_name = `${address} LLC`
  await sellers.addSeller(db, now, {
    id: seller_id,
    legal_name,
    address: '12 Harbor Street',
    city: 'Newport',
    state: 'OR',
    zip: '97365',
  })
  await sellers.addMember(db, now, { seller_id, user_id: seller_user_id, role: 'owner' })
  await sellers.acceptTerms(db, now, { seller_id, version: world.seller_terms_version })
  const shops: Shop[] = []
  for (const plans of sold) {
    const id = await openShop(world, rng, seller_id, plans)
    shops.push({ id, seller_id, seller_user_id })
  }
  return shops
}

async function openShop(
  world: World,
  rng: SeededRandom,
  seller_id: SellerId,
  plans: readonly Plan[],
): Promise<AppId> {
  const { db, clock, random } = world
  const now = clock.now()
  const id = mintId(random, 'app')
  const slug = plans[0]![0].toLowerCase()
  const url = `https://${slug}.example`
  await apps.add(db, now, {
    id,
    slug,
    seller_id,
    name: `The ${slug} app`,
    tagline: '',
    description: '',
    url,
    oauth_login_url: `${url}/login`,
    listing_mode: 'external',
    is_published: true,
    external_sales_enabled: true,
  })
  await apps.addClient(db, now, { client_id: id, app_id: id, client_secret: slug })
  await apps.setAllowsPause(db, id, true)
  // Its three free months end during the simulation, are over, or never began.
  if (rng.odds(60)) await apps.enableAddOn(db, addDays(now, -rng.between(0, 120)), id)
  let amount = rng.between(100, 900)
  for (const [position, [name, often, trial_days]] of plans.entries()) {
    // Daily plans fill the books with little variety, so they are rare.
    const frequency = often === 'week' && rng.odds(15) ? 'day' : often
    const product_id = mintId(random, 'prod')
    const plan = { name, description: '', is_free: false, position, trial_days }
    await catalog.addProduct(db, now, { ...plan, id: product_id, app_id: id })
    const price = { id: mintId(random, 'prc'), product_id, frequency }
    await catalog.addPrice(db, now, { ...price, amount: cents(amount) })
    const isNextAlike = plans[position + 1]?.[1] === often
    // Two plans that differ by cents: the amount due between them is below the minimum charge.
    if (isNextAlike) amount += rng.between(1, 60)
    else if (frequency === 'month') amount = amount * 9 + rng.below(1000)
    else amount = amount * 4 + rng.below(99)
  }
  return id
}
