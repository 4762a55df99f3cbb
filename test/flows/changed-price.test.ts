import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import type { CartId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp, changePrice, type OtherApp, setOnSale } from '../support/apps.ts'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, chargedAmounts, enterCard, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

let names = 0
const fresh = () => `changed-${names++}@example.com`

/** A buyer at the confirmation page of an app that only this test uses. */
async function atConfirm(facts: { amount?: number; trial_days?: number; zip?: string } = {}) {
  const slug = `changing-${names++}`
  const trial_days = facts.trial_days ?? 0
  const app = await addApp(service, { slug, amount: cents(facts.amount ?? 1200), trial_days })
  const agent = buyer(service)
  const email = fresh()
  await agent.open(`/buy/${app.price_id}/`)
  await agent.submit('Continue', { email, ...TEXAS, zip: facts.zip ?? TEXAS.zip })
  await enterCard(agent)
  return { app, agent, email }
}

const PAY = /^Pay |^Start free trial$/
const buttonOf = (agent: Agent) => /Pay \$[\d.,]+|Start free trial/.exec(agent.text)?.[0]

const change = ({ price_id }: OtherApp, amount: number) =>
  changePrice(service, { id: price_id, amount: cents(amount) })

const setTrial = ({ product_id }: OtherApp, days: number) =>
  service.world.db.run(sql`update products set trial_days = ${days} where id = ${product_id}`)

describe('a price that changes under an open cart', () => {
  test('is shown and confirmed again, higher or lower, and then charged as shown', async () => {
    for (const [amount, button, taken] of [
      [1500, 'Pay $15.75', 1575],
      [900, 'Pay $9.45', 945],
    ] as const) {
      const { app, agent, email } = await atConfirm()
      assert.equal(buttonOf(agent), 'Pay $12.60')
      await change(app, amount)
      // F10: until then the page shows the figures of its quote alone, and no others.
      const before = textOf((await agent.open(agent.page.url)).body)
      assert.deepEqual([...new Set(before.match(/\$\d+\.\d\d/g))], ['$12.60', '$12.00', '$0.60'])
      const page = await agent.submit(PAY)
      assert.match(textOf(page.body), /Your order has changed/)
      assert.deepEqual(await chargedAmounts(service, email), [])
      assert.equal(buttonOf(agent), button)
      assert.match(textOf((await agent.submit(PAY)).body), /License key/)
      assert.deepEqual(await chargedAmounts(service, email), [taken])
    }
  })

  test('is not the only change to confirm again: a test clock moves every date', async () => {
    const { app, agent, email } = await atConfirm()
    const dateOf = () => /Next charge: (\w+ \d+, \d+)/.exec(agent.text)![1]
    const shown = dateOf()
    await apps.setClockAhead(service.world.db, app.client_id, 40 * DAY)
    await agent.submit(PAY)
    assert.match(agent.text, /Your order has changed An amount or a date has changed/)
    assert.notEqual(dateOf(), shown)
    assert.deepEqual(await chargedAmounts(service, email), [])
    assert.match(textOf((await agent.submit(PAY)).body), /License key/)
  })

  test('between two page views is charged as shown on the submitted page, or not at all', async () => {
    const { app, agent, email } = await atConfirm()
    const old = agent.tab()
    await change(app, 2000)
    await agent.submit(PAY)
    assert.equal(buttonOf(agent), 'Pay $21.00')
    // The other tab still shows the old price: its button must not charge the new one.
    await old.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [])
    await change(app, 1200)
    await agent.submit(PAY)
    assert.equal(buttonOf(agent), 'Pay $12.60')
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('and back again before the buyer pays is not a change', async () => {
    const { app, agent, email } = await atConfirm()
    await change(app, 2000)
    await change(app, 1200)
    assert.match(textOf((await agent.submit(PAY)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('does not matter once the card was charged: the buyer pays what was shown', async () => {
    const { app, agent, email } = await atConfirm()
    const page = await agent.submit(PAY)
    await change(app, 9900)
    const after = textOf((await agent.open(page.url)).body)
    // F10
    assert.deepEqual([...new Set(after.match(/\$\d+\.\d\d/g))], ['$12.60', '$12.00', '$0.60'])
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('a forged agreement, or that of another cart, charges nothing', async () => {
    const { agent, email } = await atConfirm()
    const other = await atConfirm({ amount: 100 })
    for (const agreement of ['', 'x', 'A'.repeat(43), other.agent.form(PAY).agreement!]) {
      const tab = agent.tab()
      await tab.submit(PAY, { agreement })
      assert.deepEqual(await chargedAmounts(service, email), [])
    }
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })
})

describe('a trial that changes under an open cart', () => {
  test('is never turned into a charge by the button that promised it', async () => {
    const { app, agent, email } = await atConfirm({ trial_days: 14 })
    assert.equal(buttonOf(agent), 'Start free trial')
    await setTrial(app, 0)
    const page = await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [])
    assert.match(textOf(page.body), /Your order has changed/)
    assert.equal(buttonOf(agent), 'Pay $12.60')
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('is never shorter than the page said', async () => {
    const { app, agent, email } = await atConfirm({ trial_days: 14 })
    await setTrial(app, 7)
    const page = await agent.submit(PAY)
    assert.match(textOf(page.body), /Your order has changed/)
    assert.match(textOf(page.body), /Free for 7 days/)
    await agent.submit(PAY)
    assert.match(agent.text, /Your free trial has started/)
    assert.deepEqual(await chargedAmounts(service, email), [0])
  })

  test('is not replaced by the full price without confirmation if it was used in another tab', async () => {
    const { app, agent, email } = await atConfirm({ trial_days: 14 })
    const other = buyer(service)
    await other.open(`/buy/${app.price_id}/`)
    await other.submit('Continue', { email: fresh(), ...TEXAS })
    await enterCard(other)
    await other.submit(PAY)
    assert.match(other.text, /Your free trial has started/)
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [])
    assert.equal(buttonOf(agent), 'Pay $12.60')
  })
})

describe('a price that is withdrawn under an open cart', () => {
  for (const [what, withdraw] of [
    [
      'its price was deleted',
      (app: OtherApp) =>
        service.world.db.run(sql`update prices
        set deleted_at = ${service.clock.now()} where id = ${app.price_id}`),
    ],
    [
      'its product was deleted',
      (app: OtherApp) =>
        service.world.db.run(sql`update products
        set deleted_at = ${service.clock.now()} where id = ${app.product_id}`),
    ],
    [
      'its app was unpublished',
      (app: OtherApp) =>
        setOnSale(service, app.client_id, { is_published: false, external_sales_enabled: true }),
    ],
    [
      'external sales were disabled',
      (app: OtherApp) =>
        setOnSale(service, app.client_id, { is_published: true, external_sales_enabled: false }),
    ],
  ] as const) {
    test(`because ${what} charges nothing, and is explained`, async () => {
      const { app, agent, email } = await atConfirm()
      const reloaded = agent.tab()
      await withdraw(app)
      const page = await agent.submit(PAY)
      assert.equal(page.status, 404)
      // No step offers to pay, and no card is asked for.
      for (const step of ['confirm', 'card']) {
        await reloaded.open(page.url.replace('details', step))
        assert.match(reloaded.text, /This plan is not for sale.*Nothing was charged/)
      }
      assert.deepEqual(await chargedAmounts(service, email), [])
    })
  }

  test('after it was paid for changes nothing about the license', async () => {
    const { app, agent } = await atConfirm()
    const page = await agent.submit(PAY)
    const now = service.clock.now()
    await service.world.db.run(
      sql`update prices set deleted_at = ${now} where id = ${app.price_id}`,
    )
    assert.match(textOf((await agent.open(page.url)).body), /License key/)
    assert.match(textOf((await agent.open(`/manage/${app.client_id}/`)).body), /Harbor Pro/)
  })
})

describe('a cart that is left open', () => {
  const DAY = 86_400

  const LAST_MINUTE = Date.UTC(2026, 8, 30, 23, 59)

  // M7
  test('past the start of a new rate is quoted and confirmed again', async () => {
    service.clock.pass((LAST_MINUTE - service.clock.now().getTime()) / 1000)
    const { agent, email } = await atConfirm({ amount: 10_000, zip: '20001' })
    const elsewhere = await atConfirm()
    assert.equal(buttonOf(agent), 'Pay $106.00')
    service.clock.pass(120)
    assert.match(textOf((await agent.submit(PAY)).body), /Your order has changed/)
    assert.deepEqual(await chargedAmounts(service, email), [])
    assert.equal(buttonOf(agent), 'Pay $107.00')
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [10_700])
    // Where no rate has started the buyer is not asked again.
    assert.match(textOf((await elsewhere.agent.submit(PAY)).body), /License key/)
  })

  // F15, M7
  test('expires after 24 hours, and starts again with the entered details', async () => {
    const { app, agent, email } = await atConfirm()
    const cart = await service.world.db.one<{ id: CartId }>(
      sql`select id from carts where email = ${email}`,
    )
    service.clock.pass(400 * DAY)
    await change(app, 1500)
    const old = agent.tab()
    for (const step of ['card', 'card-entered', 'confirm']) {
      const page = await agent.tab().open(`/checkout/${cart.id}/${step}`)
      assert.match(page.url, /\/details$/)
      assert.match(textOf(page.body), /This order has expired It was not paid within 24 hours/)
    }
    await old.submit(PAY)
    assert.match(old.text, /This order has expired/)
    assert.deepEqual(await chargedAmounts(service, email), [])
    assert.deepEqual(
      { ...old.form('Continue'), csrf_token: '' },
      { csrf_token: '', email, zip: TEXAS.zip },
    )
    await old.submit('Continue', { country: 'US' })
    await enterCard(old)
    assert.equal(buttonOf(old), 'Pay $15.75')
    await old.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [1575])
  })

  // F15
  test('is charged as quoted within 24 hours', async () => {
    const { agent, email } = await atConfirm()
    service.clock.pass(DAY - 1)
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })
})

test('preserves every invariant', () => assertInvariants(service))
