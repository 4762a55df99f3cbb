import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { reconcile } from '#flows/payment'
import type { World } from '#flows/world'
import type { OrderId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { mainButtons, textOf } from '../support/agent.ts'
import { CARD, payWithAnotherCard } from '../support/cards.ts'
import { assertInvariants } from '../support/invariants.ts'
import { manage, twoPlans } from '../support/manage-page.ts'
import {
  basic,
  buyer,
  chargedAmounts,
  enterCard,
  goToConfirm,
  licenseKey,
  orderReference,
  purchase,
  TEXAS,
} from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import { otherApp, subscribe } from '../support/subscriber.ts'

let service: TestService

/** Set while closing a charge fails because of the network. */
let isDown = false
/** Set while the processor does not say what became of a charge. */
let isSilent = false
before(async () => {
  service = await openTestService({
    processor: (sandbox): World['processor'] => ({
      ...sandbox,
      async find(key) {
        if (isSilent) throw new payments.ProcessorUnreachable('the processor is silent')
        return await sandbox.find(key)
      },
      async close(now, key) {
        if (isDown || isSilent) throw new payments.ProcessorUnreachable('the network is down')
        return await sandbox.close(now, key)
      },
    }),
  })
})
after(() => service.close())

let emails = 0
const fresh = () => `cards-${emails++}@example.com`

const lookUp = (reference: string) =>
  service.app.inject({ url: `/api/v1/orders/${reference}`, headers: basic(service) })

describe('3-D Secure', () => {
  test('passed, creates a license', async () => {
    for (const card of [CARD.asks_always, '4000002500003155']) {
      const agent = buyer(service)
      const email = fresh()
      const challenge = await purchase(service, agent, { email, card })
      assert.match(textOf(challenge.body), /Confirm that it is you/)
      assert.deepEqual(await chargedAmounts(service, email), [])
      const page = await agent.submit('Complete authentication')
      assert.match(textOf(page.body), /License key/)
      assert.deepEqual(await chargedAmounts(service, email), [1260])
    }
  })

  // F13
  test('finished after a purchase in another tab, returns to the app', async () => {
    const agent = buyer(service)
    const email = fresh()
    await goToConfirm(service, agent, { email, card: CARD.asks_always })
    const other = agent.tab()
    await agent.submit(/^Pay /)
    await purchase(service, other, { email })
    const page = await agent.submit('Complete authentication')
    assert.match(page.url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('failed, is not called a decline, and the same card is the first choice', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email, card: CARD.asks_always })
    const { body } = await agent.submit('Fail authentication')
    assert.match(textOf(body), /Your card could not be confirmed/)
    assert.doesNotMatch(textOf(body), /declined/)
    assert.match(mainButtons(body).join(), /^Pay [^,]*$/)
    assert.match(textOf(body), /Use another card/)
    await agent.submit(/^Pay /)
    assert.match(textOf((await agent.submit('Complete authentication')).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('failed, is explained, and another card works', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email, card: CARD.asks_always })
    const page = await agent.submit('Fail authentication')
    assert.match(textOf(page.body), /You did not confirm the payment with your bank/)
    assert.match(textOf((await payWithAnotherCard(service, agent)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('left open, is closed by the next attempt, and cannot be passed late', async () => {
    const agent = buyer(service)
    const email = fresh()
    const challenge = await purchase(service, agent, { email, card: CARD.asks_always })
    const bank = agent.tab()
    await agent.open((await confirmPageOf(email))!)
    assert.match(textOf((await payWithAnotherCard(service, agent)).body), /License key/)
    bank.page = challenge
    await bank.submit('Complete authentication').catch(() => undefined)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('passed in another tab just before the next attempt, counts', async () => {
    const agent = buyer(service)
    const email = fresh()
    const challenge = await purchase(service, agent, { email, card: CARD.asks_always })
    await agent.open((await confirmPageOf(email))!)
    service.clock.pass(5)
    await agent.press('Use another card')
    await enterCard(agent)
    // The bank's page shows success, but its response never reaches the service.
    await service.app.inject({
      method: 'POST',
      url: challenge.url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'result=complete',
    })
    assert.match(textOf((await agent.submit(/^Pay /)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('left open for fifteen minutes, is closed without a charge', async () => {
    const agent = buyer(service)
    const email = fresh()
    const challenge = await purchase(service, agent, { email, card: CARD.asks_always })
    service.clock.pass(15 * 60)
    await reconcile(service.world)
    await assertInvariants(service)
    agent.page = challenge
    await agent.submit('Complete authentication')
    assert.deepEqual(await chargedAmounts(service, email), [])
    assert.match(agent.text, /Confirm your order/)
    assert.match(agent.text, /Nothing was charged .* your bank did not confirm it/)
    assert.match(textOf((await payWithAnotherCard(service, agent)).body), /License key/)
  })

  test('passed after another card was entered, names the card that paid on the receipt', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email, card: CARD.asks_always })
    const other = agent.tab()
    await other.open((await confirmPageOf(email))!.replace('confirm', 'card'))
    await enterCard(other, '5555555555554444')
    await agent.submit('Complete authentication')
    const { db } = service.world
    const { id } = await db.one<{ id: OrderId }>(sql`select o.id from orders o
      join users u on u.id = o.user_id where u.email_normalized = ${email}`)
    assert.equal((await billing.orderDetails(db, id))?.card_last4, '3184')
  })

  test('is not closed from an unknown browser in which the same email is entered', async () => {
    const app = await otherApp(service, { amount: cents(700) })
    const { agent, email, user_id } = await subscribe(service)
    // Their email is confirmed, and they are signed in for every app.
    const { db, clock } = service.world
    await db.run(sql`update users set email_verified_at = ${clock.now()} where id = ${user_id}`)
    await db.run(sql`update sessions set app_id = null where user_id = ${user_id}`)
    await agent.open(`/buy/${app.price_id}/`)
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent, CARD.asks_always)
    await agent.submit(/^Pay /)
    const other = buyer(service)
    await other.open(`/buy/${app.price_id}/`)
    const { url } = await other.submit('Continue', { email, ...TEXAS })
    await other.open(url.replace('sign-in', 'card'))
    await enterCard(other)
    assert.match((await other.submit(/^Pay /)).url, /\/sign-in\?notice=not_charged$/)
    assert.match(textOf((await agent.submit('Complete authentication')).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260, 735])
  })

  test('that cannot be closed yet shows the waiting page instead of an error', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email, card: CARD.asks_always })
    await agent.open((await confirmPageOf(email))!)
    await agent.press('Use another card')
    await enterCard(agent)
    isDown = true
    try {
      const page = await agent.submit(/^Pay /)
      assert.ok(page.status < 500, `${page.status}: ${textOf(page.body)}`)
      assert.ok(!textOf(page.body).includes('License key'))
    } finally {
      isDown = false
    }
    assert.deepEqual(await chargedAmounts(service, email), [])
  })
})

/** The confirmation page of a buyer's latest cart, to which the bank's page returns. */
async function confirmPageOf(email: string): Promise<string | undefined> {
  const { db } = service.world
  const attempt = await payments.findPending(db, {
    app_id: service.demo.app.client_id,
    email_normalized: email,
  })
  const owner = attempt && (await billing.ownerOf(db, attempt.invoice_id))
  return owner?.kind === 'purchase' ? `/checkout/${owner.cart_id}/confirm` : undefined
}

describe('a lost answer', () => {
  test('of a charge that was made is explained, waited for and found', async () => {
    const agent = buyer(service)
    const email = fresh()
    const waiting = await purchase(service, agent, { email, card: CARD.loses_answer })
    assert.equal(waiting.status, 202)
    assert.match(textOf(waiting.body), /Processing your payment/)
    const reference = orderReference(waiting)
    const processing = await lookUp(reference)
    assert.equal(processing.statusCode, 202)
    assert.deepEqual(processing.json(), { status: 'processing' })
    assert.equal(processing.headers['retry-after'], '1')
    // Opening other steps before the answer changes nothing: the card is charged once.
    for (const step of ['confirm', 'card', 'processing', 'resume']) {
      const page = await agent.open(waiting.url.replace('processing', step))
      assert.equal(page.status, 202, step)
    }
    service.clock.pass(5)
    await reconcile(service.world)
    const page = await agent.open(waiting.url)
    assert.match(page.url, /\/success$/)
    const order = await lookUp(reference)
    assert.equal(order.statusCode, 200)
    assert.equal(order.json().license_key, licenseKey(page))
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('is found by the waiting page, without any job', async () => {
    const agent = buyer(service)
    const waiting = await purchase(service, agent, { email: fresh(), card: CARD.loses_answer })
    service.clock.pass(5)
    assert.match(textOf((await agent.open(waiting.url)).body), /License key/)
  })

  test('of a charge that never arrived is closed within 30 seconds, and the buyer tries again', async () => {
    const agent = buyer(service)
    const email = fresh()
    const waiting = await purchase(service, agent, { email, card: CARD.loses_request })
    assert.equal(waiting.status, 202)
    const reference = orderReference(waiting)
    service.clock.pass(5)
    await reconcile(service.world)
    assert.equal((await lookUp(reference)).statusCode, 202)
    service.clock.pass(20)
    await reconcile(service.world)
    assert.equal((await lookUp(reference)).statusCode, 404)
    const page = await agent.open(waiting.url)
    assert.match(page.url, /\/confirm\?notice=not_charged$/)
    assert.match(textOf(page.body), /Nothing was charged/)
    assert.match(textOf((await payWithAnotherCard(service, agent)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('is not shown to a visitor who enters the email of the buyer’s account', async () => {
    const { user_id, email } = await subscribe(service, { app: await otherApp(service, {}) })
    const owner = await signInAs(service, { user_id }, { agent: buyer(service) })
    assert.equal((await purchase(service, owner, { email, card: CARD.loses_answer })).status, 202)
    const visitor = buyer(service)
    await visitor.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const { url } = await visitor.submit('Continue', { email, ...TEXAS })
    const seen = await visitor.open(url.replace('sign-in', 'processing'))
    assert.doesNotMatch(textOf(seen.body), /Processing your payment/)
    service.clock.pass(5)
    await reconcile(service.world)
  })

  test('delays a second cart of the same buyer, and both pages show the correct status', async () => {
    const one = buyer(service)
    const two = one.tab()
    const email = fresh()
    await goToConfirm(service, two, { email })
    const waiting = await purchase(service, one, { email, card: CARD.loses_answer })
    const second = await two.submit(/^Pay /)
    assert.ok(!/Nothing was charged|payment was canceled/.test(textOf(second.body)))
    assert.match(textOf(second.body), /Processing your payment/)
    assert.equal(second.status, 202)
    assert.equal((await two.open(second.url)).status, 202)
    service.clock.pass(5)
    assert.match(textOf((await one.open(waiting.url)).body), /License key/)
    assert.match(textOf((await two.open(second.url)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('that takes over a minute says so, and where the receipt goes', async () => {
    const one = buyer(service)
    const two = buyer(service)
    const email = fresh()
    await goToConfirm(service, two, { email })
    isSilent = true
    try {
      const { url } = await purchase(service, one, { email, card: CARD.loses_answer })
      await two.submit(/^Pay /)
      service.clock.pass(59)
      await one.open(url)
      assert.match(one.text, /usually within seconds\./)
      service.clock.pass(1)
      await one.open(url)
      assert.match(one.text, new RegExp(`longer than usual.*we email the receipt to ${email} `))
      await two.open(two.page.url)
      assert.match(two.text, new RegExp(`It takes longer than usual.*receipt to ${email} `))
    } finally {
      isSilent = false
    }
    assert.match(textOf((await one.open(one.page.url)).body), /License key/)
  })

  test('of a plan change that takes over a minute says so too', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const agent = await signInAs(service, subscriber, { agent: buyer(service) })
    await service.world.db.run(sql`update sandbox.cards set behavior = 'loses_answer'
      where token in (select token from cards where user_id = ${subscriber.user_id})`)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    isSilent = true
    try {
      await agent.submit(/^Pay /)
      assert.match(agent.text, /Processing your payment.*usually within seconds/)
      service.clock.pass(60)
      await agent.open(agent.page.url)
      assert.match(agent.text, new RegExp(`longer than usual.*receipt to ${subscriber.email} `))
    } finally {
      isSilent = false
    }
    assert.match(textOf((await agent.open(agent.page.url)).body), /Plan changed/)
  })
})
