import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cents, ZERO } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

const GOOD = '4242424242424242'
const ASKS_ONCE = '4000002500003155'
const ASKS_ALWAYS = '4000002760003184'

/** Cards: what is known of them, what they decline, when they ask their buyer. */
export function describeCards(world: () => ProcessorSteps): void {
  describe('a card', () => {
    test('is returned once it was entered, and never its number', async () => {
      const entry = await world().openEntry()
      assert.equal(await world().processor.readCardEntry(entry.id), undefined)
      const card = await world().enterCard(GOOD, '10001')
      assert.partialDeepStrictEqual(card, {
        brand: 'visa',
        last4: '4242',
        billing_country: 'US',
        billing_zip: '10001',
        issuer_country: 'US',
      })
      assert.ok(!JSON.stringify(card).includes(GOOD))
    })

    test('has one fingerprint per number', async () => {
      const [first, second] = [await world().enterCard(GOOD), await world().enterCard(GOOD)]
      const other = await world().enterCard('5555555555554444')
      assert.equal(first.fingerprint, second.fingerprint)
      assert.notEqual(first.fingerprint, other.fingerprint)
    })

    const issued = { '4000001240000000': 'CA', '4000008260000000': 'GB' }
    for (const [number, country] of Object.entries(issued)) {
      test(`issued abroad has its country: ${country}`, async () => {
        assert.equal((await world().enterCard(number)).issuer_country, country)
      })
    }
  })

  describe('a declined card', () => {
    const declines = {
      '4000000000000002': 'generic_decline',
      '4000000000009995': 'insufficient_funds',
      '4000000000009987': 'lost_card',
      '4000000000009979': 'stolen_card',
      '4000000000000069': 'expired_card',
      '4000000000000127': 'incorrect_cvc',
      '4000000000000119': 'processing_error',
      '4100000000000019': 'fraudulent',
    }
    for (const [number, decline_code] of Object.entries(declines)) {
      test(`${number}: ${decline_code}, for charges and verification`, async () => {
        const card = await world().enterCard(number)
        const declined = { status: 'declined', decline_code }
        assert.deepEqual(await world().charge(card.token), declined)
        assert.deepEqual(await world().charge(card.token, { amount: ZERO }), declined)
      })
    }

    test('4000000000000341: verified without a charge, and then every charge is declined', async () => {
      const card = await world().enterCard('4000000000000341')
      assert.equal((await world().charge(card.token, { amount: ZERO })).status, 'succeeded')
      for (const off_session of [false, true]) {
        const answer = await world().charge(card.token, { off_session })
        assert.deepEqual(answer, { status: 'declined', decline_code: 'generic_decline' })
      }
    })
  })

  test('a good card is verified without a charge, pays, and pays again off session', async () => {
    const card = await world().enterCard(GOOD)
    assert.equal((await world().charge(card.token, { amount: ZERO })).status, 'succeeded')
    assert.equal((await world().charge(card.token)).status, 'succeeded')
    assert.equal((await world().charge(card.token, { off_session: true })).status, 'succeeded')
  })

  // M1
  test('a charge below the minimum is refused, and so is closing its key or repeating it', async () => {
    const { processor, now, requestFor } = world()
    const card = await world().enterCard(GOOD)
    const amount = cents(processor.smallest_charge - 1)
    const request = requestFor(card.token, { amount, off_session: true })
    const refused = { status: 'refused', reason: 'amount_too_small' }
    assert.deepEqual(await processor.charge(now(), request), refused)
    assert.deepEqual(await processor.charge(now(), request), refused)
    const closed = await processor.close(now(), request.key)
    assert.ok(closed.status === 'closed' || closed.status === 'refused', closed.status)
    const least = await world().charge(card.token, { amount: processor.smallest_charge })
    assert.equal(least.status, 'succeeded')
  })

  describeChallenges(world)
}

function describeChallenges(world: () => ProcessorSteps): void {
  /** Charges a card whose bank asks the buyer to confirm. */
  async function challenged(number: string) {
    const card = await world().enterCard(number)
    const request = world().requestFor(card.token)
    const answer = await world().processor.charge(world().now(), request)
    assert.ok(answer.status === 'action_required', `the charge is ${answer.status}`)
    assert.match(answer.action_url, /^https?:/)
    return {
      card,
      request,
      end: (how: 'passed' | 'failed') => world().endChallenge(answer.action_url, how),
      find: () => world().processor.find(request.key),
    }
  }

  describe('a challenge', () => {
    test('takes no money before it is passed', async () => {
      const { end, find, request } = await challenged(ASKS_ONCE)
      assert.equal((await find())?.status, 'action_required')
      await end('passed')
      const found = await find()
      assert.equal(found?.status, 'succeeded')
      assert.deepEqual(await world().processor.charge(world().now(), request), found)
    })

    test('that is failed declines the charge', async () => {
      const { end, find } = await challenged(ASKS_ONCE)
      await end('failed')
      const declined = { status: 'declined', decline_code: 'authentication_failed' }
      assert.deepEqual(await find(), declined)
    })

    test('can be closed, and nothing is charged after it', async () => {
      const { find, request } = await challenged(ASKS_ONCE)
      const { processor, now } = world()
      assert.deepEqual(await processor.close(now(), request.key), { status: 'closed' })
      assert.deepEqual(await find(), { status: 'closed' })
    })

    test(`${ASKS_ONCE}: renews without a challenge once one was passed`, async () => {
      const { card, end } = await challenged(ASKS_ONCE)
      await end('passed')
      const renewal = await world().charge(card.token, { off_session: true })
      assert.equal(renewal.status, 'succeeded')
    })

    test(`${ASKS_ALWAYS}: requires a challenge every time, so it cannot renew`, async () => {
      const { card, end } = await challenged(ASKS_ALWAYS)
      await end('passed')
      const renewal = await world().charge(card.token, { off_session: true })
      const declined = { status: 'declined', decline_code: 'authentication_required' }
      assert.deepEqual(renewal, declined)
    })
  })
}
