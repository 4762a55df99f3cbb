import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import { type Confirmed, checkoutTotals, confirm, openCart } from '#flows/checkout'
import { replaceVersions } from '#flows/listing'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { CartId } from '#platform/ids'
import { openLog } from '#platform/log'
import { cents, formatAmount } from '#platform/money'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { addApp, type OtherApp } from '../support/apps.ts'
import { INTERLEAVINGS } from '../support/budget.ts'
import { SERVER_URL } from '../support/database.ts'
import { assertInvariants } from '../support/invariants.ts'
import { ownerOf } from '../support/listing.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const ROUNDS = INTERLEAVINGS
const LANES = 3

// The embedded database has one connection, on which transactions queue: nothing races there.
const skip =
  SERVER_URL === undefined && 'only PostgreSQL runs transactions side by side (TEST_DATABASE_URL)'

/** A seeded random generator, so that a seed identifies an order of steps. */
function seededBelow(seed: number): (below: number) => number {
  let state = seed + 0x9e3779b9
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A world in which each statement, and each call to the processor, waits for its seeded turn. */
function jittery(world: World, draw: (below: number) => number): World {
  const wait = async () => {
    for (let turns = draw(12) ** 2 / 4; turns > 0; turns--) await new Promise(setImmediate)
  }
  const slow = (db: Db): Db => ({
    rows: async (statement) => await wait().then(() => db.rows(statement)),
    one: async (statement) => await wait().then(() => db.one(statement)),
    maybe: async (statement) => await wait().then(() => db.maybe(statement)),
    run: async (statement) => await wait().then(() => db.run(statement)),
    raw: async (text, values) => await wait().then(() => db.raw(text, values)),
  })
  const { db, processor } = world
  return {
    ...world,
    db: { ...db, ...slow(db), tx: (work) => db.tx((tx) => work(slow(tx))) },
    processor: {
      ...processor,
      charge: async (now, request) => await wait().then(() => processor.charge(now, request)),
    },
  }
}

describe('versions that are replaced while people buy', { skip }, () => {
  let service: TestService
  const errors: string[] = []
  const seen: Record<string, number> = {}
  before(async () => {
    service = await openTestService({
      log: openLog('error', { write: (line) => errors.push(line) }),
    })
  })
  after(() => service.close())

  /** A cart at its last step. */
  async function readyCart(app: OtherApp, email: string): Promise<CartId> {
    const { world, clock } = service
    const opened = await openCart(world, {
      app: await apps.get(world.db, app.client_id),
      price: (await catalog.findLivePrice(world.db, app.price_id))!,
      details: { email, email_normalized: email, zip: '78701', state: 'TX' },
      browser_hash: sha256(email),
      next_url: null,
      session: undefined,
      affiliate_id: null,
      brought_by: 'seller',
    })
    assert.ok(opened.step === 'card')
    const card = {
      token: `tok_${email}`,
      brand: 'visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2030,
      billing_country: 'US',
      billing_zip: '78701',
      issuer_country: 'US',
      fingerprint: `print_${email}`,
    }
    await world.db.run(sql`insert into sandbox.cards (token, brand, last4, exp_month, exp_year,
        billing_country, billing_zip, issuer_country, fingerprint, behavior, created_at, app_name)
      values (${card.token}, ${card.brand}, ${card.last4}, ${card.exp_month}, ${card.exp_year},
        'US', '78701', 'US', ${card.fingerprint}, 'succeeds', ${clock.now()}, 'Harbor')`)
    await billing.setCard(world.db, clock.now(), { cart_id: opened.cart_id, card })
    return opened.cart_id
  }

  /** Confirms what is shown, and again if it has changed; never anything unseen. */
  async function buy(world: World, cart_id: CartId): Promise<{ end: Confirmed; agreed: number }> {
    for (;;) {
      const cart = (await billing.findCart(world.db, cart_id))!
      const price = await catalog.getPrice(world.db, cart.price_id)
      const app = await apps.get(world.db, cart.app_id)
      const { agreement, total } = await checkoutTotals(world, cart, { app, price })
      const return_url = 'https://harbor.example/'
      const end = await confirm(world, { cart_id, agreement, return_url })
      count(end.outcome)
      if (end.outcome !== 'changed') return { end, agreed: total }
    }
  }

  const count = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1
  }

  /** A seller's change of the version that is being bought. */
  async function edit(world: World, own: apps.App, app: OtherApp, draw: (below: number) => number) {
    const version = { product_id: app.product_id, name: 'Harbor Pro' }
    const amount = formatAmount(cents(500 + 100 * draw(20)))
    const other = { name: `Other ${draw(1000)}`, prices: [{ amount, frequency: 'year' }] }
    const edits = [
      [{ ...version, prices: [{ amount, frequency: 'month' }] }],
      [other],
      [{ ...version, prices: [{ amount, frequency: 'year' }] }],
      [{ ...version, prices: [{ amount, frequency: 'month' }] }, other],
      [other],
    ]
    const user_id = await ownerOf(world.db, own)
    const actor = { kind: 'seller', user_id, request_id: 'req_race' } as const
    const versions = edits[draw(edits.length)]!
    const outcome = await replaceVersions(world, actor, { app: own, versions, dry_run: false })
    count('faults' in outcome ? 'refused' : 'replaced')
    if (!('faults' in outcome)) return
    for (const { path, message } of outcome.faults) {
      const expected = /active subscription|being confirmed|was deleted/
      assert.match(message, expected, `${path}: ${message}`)
    }
  }

  async function runRound(seed: number): Promise<void> {
    const draw = seededBelow(seed)
    const app = await addApp(service, { slug: `versions-race-${seed}`, amount: cents(500) })
    const own = await apps.get(service.world.db, app.client_id)
    const emails = [`one-${seed}@example.com`, `two-${seed}@example.com`].slice(draw(2))
    const carts = await Promise.all(emails.map((email) => readyCart(app, email)))
    const world = () => jittery(service.world, seededBelow(draw(2 ** 30)))
    const [ends] = await Promise.all([
      Promise.all(carts.map((cart_id) => buy(world(), cart_id))),
      edit(world(), own, app, draw),
      edit(world(), own, app, draw),
    ])
    for (const [index, { end, agreed }] of ends.entries()) {
      const isPaid = end.outcome === 'completed'
      assert.ok(isPaid || end.outcome === 'gone', `seed ${seed}: ${end.outcome}`)
      assert.deepEqual(await chargedAmounts(service, emails[index]!), isPaid ? [agreed] : [])
    }
    const stranded = await service.world.db.rows(sql`select l.id from licenses l
      join subscriptions s on s.license_id = l.id join products p on p.id = l.product_id
      where l.app_id = ${app.client_id} and l.status <> 'canceled' and p.deleted_at is not null`)
    assert.deepEqual(stranded, [], `seed ${seed}: an active subscription on a deleted version`)
  }

  test(`${ROUNDS} times the agreed price is charged, or nothing and the buyer is notified`, async () => {
    let next = 0
    const lane = async () => {
      while (next < ROUNDS) await runRound(next++)
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    for (const outcome of ['completed', 'changed', 'gone', 'refused', 'replaced']) {
      assert.ok((seen[outcome] ?? 0) >= 20, `too few of ${outcome}: ${JSON.stringify(seen)}`)
    }
  })

  test('everything adds up afterwards, and no error was logged', async () => {
    await assertInvariants(service)
    assert.deepEqual(errors, [])
  })
})
