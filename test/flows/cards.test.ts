import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { reconcile } from '#flows/payment'
import type { World } from '#flows/world'
import type { CartId } from '#platform/ids'
import { sql } from '#platform/sql'
import { durationText } from '#platform/text'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariants } from '../support/invariants.ts'
import {
  basic,
  buyer,
  enterCard,
  goToConfirm,
  licenseKey,
  orderReference,
  purchase,
  takenFrom,
} from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const ASKS_ALWAYS = '4000002760003184'
const LOSES_ANSWER = '4999990000000015'
const LOSES_REQUEST = '4999990000000023'

let service: TestService
/** Set while closing a charge fails because of the network. */
let isDown = false
before(async () => {
  service = await openTestService({
    processor: (sandbox): World['processor'] => ({
      ...sandbox,
      async close(now, key) {
        if (isDown) throw new payments.ProcessorUnreachable('the network is down')
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

/** Goes from the confirmation page to the card page, enters another card and confirms again. */
async function payWithAnother(agent: Agent, card?: string) {
  service.clock.pass(5)
  await agent.press('Use another card')
  await enterCard(agent, card)
  return await agent.submit(/^Pay /)
}

describe('a declined card', () => {
  for (const [card, sentence] of [
    ['4000000000000002', /declined this card/],
    ['4000000000009995', /does not have enough funds/],
    ['4000000000009987', /declined this card/],
    ['4000000000009979', /declined this card/],
    ['4000000000000069', /has expired/],
    ['4000000000000127', /security code \(CVC\) does not match/],
    ['4000000000000119', /could not process the card/],
    ['4000000000000341', /declined this card/],
    ['4100000000000019', /declined this card/],
  ] as const) {
    test(`${card} is explained in a sentence, charges nothing, and another card then works`, async () => {
      const agent = buyer(service)
      const email = fresh()
      const page = await purchase(service, agent, { email, card })
      assert.match(page.url, /\/confirm$/)
      assert.match(textOf(page.body), /Your card was declined/)
      assert.match(textOf(page.body), sentence)
      assert.ok(!/lost|stolen|fraud|_/.test(textOf(page.body).match(/Your card was.*?Plan/)![0]))
      assert.deepEqual(await takenFrom(service, email), [])
      const paid = await payWithAnother(agent)
      assert.match(textOf(paid.body), /License key/)
      assert.deepEqual(await takenFrom(service, email), [1260])
    })
  }

  test('is no longer shown as declined after another card was entered', async () => {
    const agent = buyer(service)
    await purchase(service, agent, { email: fresh(), card: '4000000000000002' })
    await agent.press('Use another card')
    const page = await enterCard(agent)
    assert.ok(!textOf(page.body).includes('declined'))
  })

  test('stops a buyer for an hour after twelve declined cards, in any number of checkouts', async () => {
    const agent = buyer(service)
    const email = fresh()
    let declined = 0
    do {
      // A checkout is confirmed six times a minute at most.
      if (declined % 5 === 0) {
        await goToConfirm(service, agent, { email, card: '4000000000000002' })
      }
      service.clock.pass(1)
    } while ((await agent.submit(/^Pay /)).status === 200 && ++declined < 20)
    assert.equal(agent.page.status, 429)
    assert.equal(declined, 12)
    // F12
    const seconds = Number(agent.page.headers['retry-after'])
    assert.ok(seconds > 3000 && seconds <= 3600, `${seconds} seconds`)
    assert.ok(textOf(agent.page.body).includes(`Try again in ${durationText(seconds)}.`))
  })
})

describe('a card from abroad', () => {
  test('is rejected after the card step, before it is charged', async () => {
    for (const card of ['4000001240000000', '4000008260000000']) {
      const agent = buyer(service)
      const email = fresh()
      const page = await goToConfirm(service, agent, { email, card })
      assert.equal(page.status, 422)
      assert.match(textOf(page.body), /This card cannot be used here Nothing was charged/)
      const confirm = await agent.open(page.url.replace('card-entered', 'confirm'))
      assert.match(textOf(confirm.body), /Enter your card/)
      await enterCard(agent)
      assert.match(textOf((await agent.submit(/^Pay /)).body), /License key/)
      assert.deepEqual(await takenFrom(service, email), [1260])
    }
  })

  test('is rejected if its billing ZIP code does not exist', async () => {
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: fresh(), card: '4000000000000002' })
    await agent.press('Use another card')
    const fields = { number: '4242424242424242', expiry: '12/30', cvc: '123', zip: '00000' }
    const page = await agent.submit('Continue', fields)
    assert.equal(page.status, 422)
    assert.match(textOf(page.body), /is not a US ZIP code/)
  })
})

// F3
describe('a card with a billing address in another state than the tax address', () => {
  const OREGON = { country: 'US', zip: '97201' }
  const atCard = async (email: string) => {
    const agent = buyer(service)
    const link = `/buy/${service.demo.app.prices[0]!.public_id}/`
    await agent.open(link)
    await agent.submit('Continue', { email, ...OREGON })
    return agent
  }

  test('is not charged, and the page shows both addresses and both corrections', async () => {
    const email = fresh()
    const agent = await atCard(email)
    const page = await enterCard(agent, undefined, { zip: '10001' })
    assert.equal(page.status, 422)
    assert.match(textOf(page.body), /Tax address OR 97201 Billing address NY 10001/)
    const confirm = await agent.open(page.url.replace('card-entered', 'confirm'))
    assert.match(textOf(confirm.body), /Enter your card/)
    assert.deepEqual(await takenFrom(service, email), [])
  })

  test('is charged once the tax address is corrected, with the tax of that state', async () => {
    const email = fresh()
    const agent = await atCard(email)
    await enterCard(agent, undefined, { zip: '10001' })
    await agent.press('Change your details')
    assert.equal(agent.form('Continue').zip, '97201')
    await agent.submit('Continue', { country: 'US', zip: '10001' })
    await enterCard(agent)
    assert.match(textOf((await agent.submit('Pay $12.48')).body), /License key/)
    assert.deepEqual(await takenFrom(service, email), [1248])
  })

  test('can be replaced by a card of the declared state', async () => {
    const email = fresh()
    const agent = await atCard(email)
    await enterCard(agent, undefined, { zip: '10001' })
    await agent.press('Use another card')
    await enterCard(agent, undefined, { zip: '97365' })
    assert.match(textOf((await agent.submit('Pay $12.00')).body), /License key/)
  })
})

// F22
test('offers another card as the main action after a decline, and the same one as the second', async () => {
  const agent = buyer(service)
  const page = await purchase(service, agent, { email: fresh(), card: '4000000000000002' })
  const primary = [...page.body.matchAll(/<(a|button)[^>]*btn-primary[^>]*>(.*?)<\/\1>/gs)]
  assert.deepEqual(
    primary.map(([, , inside]) => textOf(inside!)),
    ['Use another card'],
  )
  assert.match(textOf(page.body), /Use another card Pay \$12\.60/)
})

// S3
test('opens one card page of the processor for a cart, even if the step is opened repeatedly', async () => {
  const agent = buyer(service)
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  const email = fresh()
  await agent.submit('Continue', { email, country: 'US', zip: '78701' })
  const { url } = agent.page
  const cart = await service.world.db.one<{ id: CartId }>(
    sql`select id from carts where email = ${email}`,
  )
  const opened = async () => {
    const row = sql`select count(*)::int as count from sandbox.card_entries where email = ${email}`
    return (await service.world.db.one<{ count: number }>(row)).count
  }
  for (let time = 0; time < 30; time++) {
    assert.equal((await agent.open(`/checkout/${cart.id}/card`)).url, url)
  }
  assert.equal(await opened(), 1)
  // A card entered by a buyer who never returned is used all the same.
  const fields = { number: '4242424242424242', expiry: '12/30', cvc: '123' }
  await service.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: agent.cookie },
    payload: new URLSearchParams({ ...agent.form('Continue'), ...fields }).toString(),
  })
  const card = `/checkout/${cart.id}/card`
  assert.match((await agent.open(card)).url, /\/confirm$/)
  assert.equal(await opened(), 1)
  const tries = []
  for (let time = 0; time < 130; time++) tries.push((await agent.open(card)).status)
  assert.ok(tries.includes(429))
  assert.equal(await opened(), 2)
})

describe('3-D Secure', () => {
  test('passed, creates a license', async () => {
    for (const card of [ASKS_ALWAYS, '4000002500003155']) {
      const agent = buyer(service)
      const email = fresh()
      const challenge = await purchase(service, agent, { email, card })
      assert.match(textOf(challenge.body), /Confirm that it is you/)
      assert.deepEqual(await takenFrom(service, email), [])
      const page = await agent.submit('Complete authentication')
      assert.match(textOf(page.body), /License key/)
      assert.deepEqual(await takenFrom(service, email), [1260])
    }
  })

  // F13
  test('finished after a purchase in another tab, returns to the app', async () => {
    const agent = buyer(service)
    const email = fresh()
    await goToConfirm(service, agent, { email, card: ASKS_ALWAYS })
    const other = agent.tab()
    await agent.submit(/^Pay /)
    await purchase(service, other, { email })
    const page = await agent.submit('Complete authentication')
    assert.match(page.url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    assert.deepEqual(await takenFrom(service, email), [1260])
  })

  test('failed, is explained, and another card works', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email, card: ASKS_ALWAYS })
    const page = await agent.submit('Fail authentication')
    assert.match(textOf(page.body), /You did not confirm the payment with your bank/)
    assert.match(textOf((await payWithAnother(agent)).body), /License key/)
    assert.deepEqual(await takenFrom(service, email), [1260])
  })

  test('left open, is closed by the next attempt, and cannot be passed late', async () => {
    const agent = buyer(service)
    const email = fresh()
    const challenge = await purchase(service, agent, { email, card: ASKS_ALWAYS })
    const bank = agent.tab()
    await agent.open((await confirmPageOf(email))!)
    assert.match(textOf((await payWithAnother(agent)).body), /License key/)
    bank.page = challenge
    await bank.submit('Complete authentication').catch(() => undefined)
    assert.deepEqual(await takenFrom(service, email), [1260])
  })

  test('passed in another tab just before the next attempt, counts', async () => {
    const agent = buyer(service)
    const email = fresh()
    const challenge = await purchase(service, agent, { email, card: ASKS_ALWAYS })
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
    assert.deepEqual(await takenFrom(service, email), [1260])
  })

  test('left open for fifteen minutes, is closed without a charge', async () => {
    const agent = buyer(service)
    const email = fresh()
    const challenge = await purchase(service, agent, { email, card: ASKS_ALWAYS })
    service.clock.pass(15 * 60)
    await reconcile(service.world)
    await assertInvariants(service)
    agent.page = challenge
    await agent.submit('Complete authentication')
    assert.deepEqual(await takenFrom(service, email), [])
    assert.match(textOf(agent.page.body), /Confirm your order/)
    assert.match(textOf((await payWithAnother(agent)).body), /License key/)
  })

  test('that cannot be closed yet shows the waiting page instead of an error', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email, card: ASKS_ALWAYS })
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
    assert.deepEqual(await takenFrom(service, email), [])
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
    const waiting = await purchase(service, agent, { email, card: LOSES_ANSWER })
    assert.equal(waiting.status, 202)
    assert.match(textOf(waiting.body), /Processing your payment/)
    const reference = orderReference(waiting)
    const processing = await lookUp(reference)
    assert.equal(processing.statusCode, 202)
    assert.deepEqual(processing.json(), { status: 'processing' })
    assert.equal(processing.headers['retry-after'], '1')
    // Opening other steps meanwhile changes nothing: the card is charged once.
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
    assert.deepEqual(await takenFrom(service, email), [1260])
  })

  test('is found by the waiting page, without any job', async () => {
    const agent = buyer(service)
    const waiting = await purchase(service, agent, { email: fresh(), card: LOSES_ANSWER })
    service.clock.pass(5)
    assert.match(textOf((await agent.open(waiting.url)).body), /License key/)
  })

  test('of a charge that never arrived is closed within 30 seconds, and the buyer tries again', async () => {
    const agent = buyer(service)
    const email = fresh()
    const waiting = await purchase(service, agent, { email, card: LOSES_REQUEST })
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
    assert.match(textOf((await payWithAnother(agent)).body), /License key/)
    assert.deepEqual(await takenFrom(service, email), [1260])
  })

  test('delays a second cart of the same buyer, and both pages show the correct status', async () => {
    const one = buyer(service)
    const two = one.tab()
    const email = fresh()
    await goToConfirm(service, two, { email })
    const waiting = await purchase(service, one, { email, card: LOSES_ANSWER })
    const second = await two.submit(/^Pay /)
    assert.ok(!/Nothing was charged|payment was canceled/.test(textOf(second.body)))
    assert.match(textOf(second.body), /Processing your payment/)
    assert.equal(second.status, 202)
    assert.equal((await two.open(second.url)).status, 202)
    service.clock.pass(5)
    assert.match(textOf((await one.open(waiting.url)).body), /License key/)
    const after = await two.open(second.url)
    assert.match(after.url, /\/confirm$/)
    assert.match((await two.submit(/^Pay /)).url, /svc_order=/)
    assert.deepEqual(await takenFrom(service, email), [1260])
  })
})

test('preserves every invariant', async () => {
  service.clock.pass(16 * 60)
  await reconcile(service.world)
  await assertInvariants(service)
})
