import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type * as payments from '#domain/payments'
import { cardRefusal } from '#flows/checkout'
import { reconcile } from '#flows/payment'
import type { CartId } from '#platform/ids'
import { sql } from '#platform/sql'
import { durationText } from '#platform/text'
import { type Agent, mainButtons, textOf } from '../support/agent.ts'
import { payWithAnotherCard } from '../support/cards.ts'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, chargedAmounts, enterCard, goToConfirm, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService

before(async () => {
  service = await openTestService()
})
after(() => service.close())

let emails = 0
const fresh = () => `cards-${emails++}@example.com`

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
      assert.deepEqual(await chargedAmounts(service, email), [])
      const paid = await payWithAnotherCard(service, agent)
      assert.match(textOf(paid.body), /License key/)
      assert.deepEqual(await chargedAmounts(service, email), [1260])
    })
  }

  // F22
  test('has another card as the main action', async () => {
    for (const card of ['4000000000009995', '4000000000000127', '4000000000000119']) {
      const declined = await purchase(service, buyer(service), { email: fresh(), card })
      assert.deepEqual(mainButtons(declined.body), ['Use another card'])
    }
  })

  test('can be entered again after a mistake: the card page says what to check', async () => {
    for (const [card, sentence] of [
      ['4000000000000127', /Use another card, or enter this one again with the correct code\./],
      ['4000000000000069', /Use another card, or enter this one again\./],
      ['4000000000009995', undefined],
    ] as const) {
      const agent = buyer(service)
      const email = fresh()
      const declined = await purchase(service, agent, { email, card })
      if (sentence) assert.match(textOf(declined.body), sentence)
      const { body } = await agent.press('Use another card')
      assert.equal(/check its number, expiry date and security/.test(body), sentence !== undefined)
      assert.match(textOf(body), new RegExp(`For ${email}`))
      assert.equal(agent.form('Continue').zip, '78701')
    }
  })

  test('is no longer shown as declined after another card was entered', async () => {
    const agent = buyer(service)
    await purchase(service, agent, { email: fresh(), card: '4000000000000002' })
    await agent.press('Use another card')
    const page = await enterCard(agent)
    assert.ok(!textOf(page.body).includes('declined'))
  })

  /** Enters declined cards until the next one is refused; returns how many were declined. */
  async function declineUntilRefused(agent: Agent, email: string): Promise<number> {
    let declined = 0
    do {
      // A checkout is confirmed six times a minute at most.
      if (declined % 5 === 0) {
        await goToConfirm(service, agent, { email, card: '4000000000000002' })
      }
      service.clock.pass(1)
    } while ((await agent.submit(/^Pay /)).status === 200 && ++declined < 20)
    assert.equal(agent.page.status, 429)
    return declined
  }

  // Threat 49
  test('of another person does not count against a buyer with the same email address', async () => {
    const email = fresh()
    await declineUntilRefused(buyer(service), email)
    const paid = await purchase(service, buyer(service), { email })
    assert.match(textOf(paid.body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('stops a buyer for an hour after twelve declined cards, in any number of checkouts', async () => {
    const agent = buyer(service)
    const email = fresh()
    const declined = await declineUntilRefused(agent, email)
    assert.equal(declined, 12)
    // The thirteenth card is refused before the processor is asked.
    const asked = await service.world.db.one<{ count: number }>(
      sql`select count(*)::int as count from attempts where email_normalized = ${email}`,
    )
    assert.equal(asked.count, 12)
    // F12
    const seconds = Number(agent.page.headers['retry-after'])
    assert.ok(seconds > 3000 && seconds <= 3600, `${seconds} seconds`)
    assert.ok(agent.text.includes(`Try again in ${durationText(seconds)}.`))
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
      assert.deepEqual(await chargedAmounts(service, email), [1260])
    }
  })

  test('is not one that is billed in a US territory, which processors name as a country', () => {
    const billed = (billing_country: string, billing_zip: string) =>
      ({ billing_country, billing_zip }) as payments.Card
    for (const [territory, zip] of Object.entries({
      PR: '00901',
      VI: '00802',
      GU: '96910',
      MP: '96950',
      AS: '96799',
    })) {
      assert.equal(cardRefusal(billed(territory, zip), territory), undefined)
      assert.equal(cardRefusal(billed('US', zip), territory), undefined)
      assert.equal(cardRefusal(billed(territory, zip), 'TX'), 'other_state')
      assert.equal(cardRefusal(billed(territory, '00000'), territory), 'unknown_zip')
    }
    assert.equal(cardRefusal(billed('CA', '90210'), 'CA'), 'abroad')
  })

  test('is rejected if its billing ZIP code does not exist', async () => {
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: fresh(), card: '4000000000000002' })
    await agent.press('Use another card')
    const fields = { number: '4242424242424242', expiry: '12/30', cvc: '123', zip: '00000' }
    const page = await agent.submit('Continue', fields)
    assert.equal(page.status, 422)
    assert.match(
      textOf(page.body),
      /is not a US ZIP code\. Use another card, or enter this one again with the correct ZIP/,
    )
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
    assert.deepEqual(await chargedAmounts(service, email), [])
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
    assert.deepEqual(await chargedAmounts(service, email), [1248])
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

test('preserves every invariant', async () => {
  service.clock.pass(16 * 60)
  await reconcile(service.world)
  await assertInvariants(service)
})
