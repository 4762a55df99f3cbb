import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { after, before, describe, test } from 'node:test'
import * as catalog from '#domain/catalog'
import * as payouts from '#domain/payouts'
import { confirm } from '#flows/checkout'
import { openOnboarding } from '#flows/pay-out'
import { reconcile } from '#flows/payment'
import { givePlan } from '#flows/subscription'
import type { Database, Db } from '#platform/db'
import { type CartId, mintId, parseId } from '#platform/ids'
import { openLog } from '#platform/log'
import { cents } from '#platform/money'
import { once } from '#platform/once'
import { type Sql, sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { addApp, changePrice } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { SERVER_URL } from '../support/database.ts'
import { assertInvariants } from '../support/invariants.ts'
import {
  buyer,
  chargedAmounts,
  enterCard,
  goToConfirm,
  licenseKey,
  purchase,
  TEXAS,
} from '../support/purchase.ts'
import { sellerActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const ROUNDS = 10

// The embedded database has one connection, on which transactions queue: nothing races there.
const skip =
  SERVER_URL === undefined && 'only PostgreSQL runs transactions side by side (TEST_DATABASE_URL)'

describe('at the same time', { skip }, () => {
  let service: TestService
  const errors: string[] = []
  before(async () => {
    const log = openLog('error', { write: (line) => errors.push(line) })
    service = await openTestService({ log })
  })
  after(() => service.close())

  let names = 0
  const fresh = () => `race-${names++}@example.com`
  const times = <Result>(count: number, make: (index: number) => Result) =>
    Array.from({ length: count }, (_, index) => make(index))

  test('fifty confirmations of one cart are one charge', async () => {
    const agent = buyer(service)
    const email = fresh()
    const { url } = await goToConfirm(service, agent, { email })
    const cart_id = parseId('cart', /cart_\w+/.exec(url)![0])
    const { agreement = '' } = agent.form(/^Pay /)
    // Below the pages, as a checkout may ask six times a minute at most.
    const ends = await Promise.all(
      times(50, () => confirm(service.world, { cart_id, agreement, return_url: url })),
    )
    for (const { outcome } of ends) assert.match(outcome, /^(completed|processing)$/)
    assert.ok(ends.some(({ outcome }) => outcome === 'completed'))
    assert.deepEqual(await chargedAmounts(service, email), [1260])
    assert.match(textOf((await agent.open(url)).body), /License key/)
  })

  test('two carts of one new address are one charge and one account', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const email = fresh()
      const agents = [buyer(service), buyer(service)]
      for (const agent of agents) await goToConfirm(service, agent, { email })
      const pages = await Promise.all(agents.map((agent) => agent.submit(/^Pay /)))
      const bought = pages.filter((page) => /License key/.test(textOf(page.body)))
      assert.equal(bought.length, 1)
      for (const page of pages) {
        if (page === bought[0]) continue
        const expected = /already has an account|Another payment is processing|Confirm your order/
        assert.match(textOf(page.body), expected)
        assert.ok(!/key_|svc_order|Nothing was charged/.test(page.body))
      }
      assert.deepEqual(await chargedAmounts(service, email), [1260])
      const users = await service.world.db.rows(
        sql`select id from users where email_normalized = ${email}`,
      )
      assert.equal(users.length, 1)
    }
  })

  test('twenty buyers buy at once, each a license of their own', async () => {
    const emails = times(20, fresh)
    const pages = await Promise.all(
      emails.map((email) => purchase(service, buyer(service), { email })),
    )
    assert.equal(new Set(pages.map(licenseKey)).size, 20)
    for (const email of emails) assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('a confirmation and a concurrent price change charge the old price, or ask again', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const app = await addApp(service, { slug: `race-${names++}`, amount: cents(1200) })
      const agent = buyer(service)
      const email = fresh()
      await agent.open(`/buy/${app.price_id}/`)
      await agent.submit('Continue', { email, ...TEXAS })
      await enterCard(agent)
      const [page] = await Promise.all([
        agent.submit(/^Pay /),
        changePrice(service, { id: app.price_id, amount: cents(1500) }),
      ])
      const paid = /License key/.test(textOf(page.body))
      assert.deepEqual(await chargedAmounts(service, email), paid ? [1260] : [])
      if (!paid) assert.match(textOf(page.body), /Your order has changed.*Pay \$15\.75/)
    }
  })

  test('a confirmation and a concurrent withdrawal charge once or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const app = await addApp(service, { slug: `race-${names++}`, amount: cents(1200) })
      const agent = buyer(service)
      const email = fresh()
      await agent.open(`/buy/${app.price_id}/`)
      await agent.submit('Continue', { email, ...TEXAS })
      await enterCard(agent)
      const [page] = await Promise.all([
        agent.submit(/^Pay /),
        service.world.db.run(sql`update prices set deleted_at = ${service.clock.now()}
          where id = ${app.price_id}`),
      ])
      const paid = /License key/.test(textOf(page.body))
      if (!paid) assert.equal(page.status, 404)
      assert.deepEqual(await chargedAmounts(service, email), paid ? [1260] : [])
    }
  })

  test('a passed challenge and another card in another tab charge once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = buyer(service)
      const email = fresh()
      const challenge = await purchase(service, agent, { email, card: CARD.asks_always })
      const other = agent.tab()
      const { id } = await service.world.db.one<{ id: CartId }>(
        sql`select id from carts where email_normalized = ${email}`,
      )
      await other.open(`/checkout/${id}/card`)
      await enterCard(other)
      agent.page = challenge
      service.clock.pass(1)
      await Promise.all([
        agent.submit('Complete authentication'),
        other.submit(/^Pay /),
        reconcile(service.world),
      ])
      assert.deepEqual(await chargedAmounts(service, email), [1260])
      assert.match(textOf((await agent.open(`/checkout/${id}/confirm`)).body), /License key/)
    }
  })

  test('many reconciling processes and the buyer’s own page finish a purchase once', async () => {
    const buyers = await Promise.all(
      times(ROUNDS, async () => {
        const agent = buyer(service)
        const email = fresh()
        await purchase(service, agent, { email, card: CARD.loses_answer })
        return { agent, email }
      }),
    )
    service.clock.pass(5)
    await Promise.all([
      ...times(8, () => reconcile(service.world)),
      ...buyers.map(({ agent }) => agent.tab().open(agent.page.url)),
    ])
    for (const { agent, email } of buyers) {
      assert.match(textOf((await agent.open(agent.page.url)).body), /License key/)
      assert.deepEqual(await chargedAmounts(service, email), [1260])
    }
  })

  test('a plan is not given to a buyer whose purchase is settled at that moment', async () => {
    const { world } = service
    const email = fresh()
    await purchase(service, buyer(service), { email, card: CARD.loses_answer })
    service.clock.pass(5)
    const { client_id: app_id, prices } = service.demo.app
    const { product_id } = await catalog.getPrice(world.db, prices[0]!.public_id)
    // Another process settles it after the first read of what the buyer has, or is paying.
    const settle = AsyncResource.bind(once(() => reconcile(world)))
    const settling = (tx: Db): Db => ({
      ...tx,
      async maybe<Row>(statement: Sql) {
        const found = await tx.maybe<Row>(statement)
        if (/from (licenses|attempts)\b/.test(statement.text)) await settle()
        return found
      },
    })
    const db: Database = { ...world.db, tx: (work) => world.db.tx((tx) => work(settling(tx))) }
    const gift = { app_id, product_id, email, email_normalized: email, ends_at: null }
    const given = await givePlan({ ...world, db }, await sellerActor(service), {
      ...gift,
      reason: 'A contributor',
    })
    assert.equal(given.outcome, 'owned')
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('a payee who opens the bank page many times at once has one account', async () => {
    const { world } = service
    for (let round = 0; round < 3 * ROUNDS; round++) {
      const owner = mintId(world.random, 'sel')
      const opening = { owner, email: fresh(), return_url: 'https://example.com/' }
      const urls = await Promise.all(times(8, () => openOnboarding(world, opening)))
      assert.equal(urls.length, 8)
      assert.ok(await payouts.findAccount(world.db, owner))
    }
  })

  test('preserves every invariant', async () => {
    service.clock.pass(30)
    await reconcile(service.world)
    await assertInvariants(service)
  })

  test('logs no error', () => assert.deepEqual(errors, []))
})
