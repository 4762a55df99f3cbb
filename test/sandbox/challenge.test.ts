import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ZERO } from '#platform/money'
import { openWorld, requestFor } from './world.ts'

const ONCE = '4000 0025 0000 3155'

const world = await openWorld()

/** Charges a card that asks for a challenge, and opens the challenge. */
async function challenged(number: string) {
  const card = await world.enterCard({ number })
  const request = requestFor(card.token)
  const answer = await world.charge(card.token, request)
  assert.equal(answer.status, 'action_required')
  const url = answer.status === 'action_required' ? answer.action_url : ''
  return { card, request, url, find: () => world.sandbox.find(request.key) }
}

const complete = (url: string) => world.post(url, { result: 'complete' })
const fail = (url: string) => world.post(url, { result: 'fail' })
const renew = (token: string) => world.charge(token, { off_session: true })
const DECLINED = (decline_code: string) => ({ status: 'declined', decline_code })

describe('a challenge', () => {
  test('shows the payment and two buttons to end it', async () => {
    const { url } = await challenged(ONCE)
    const { statusCode, body } = await world.get(url)
    assert.equal(statusCode, 200)
    const facts = ['Harbor', '$12.75', 'Visa ending in 3155']
    for (const text of [...facts, 'Complete authentication', 'Fail authentication']) {
      assert.ok(body.includes(text), text)
    }
    assert.doesNotMatch(body, /inv_/, 'an ID that no receipt shows')
  })

  test('that is passed takes the money and redirects the buyer', async () => {
    const { url, request, find } = await challenged(ONCE)
    const answer = await complete(url)
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, request.return_url)
    assert.equal((await find())?.status, 'succeeded')
  })

  test('that is failed declines the request and redirects the buyer', async () => {
    const { url, request, find } = await challenged(ONCE)
    const answer = await fail(url)
    assert.equal(answer.headers.location, request.return_url)
    assert.deepEqual(await find(), DECLINED('authentication_failed'))
  })

  test('is decided once: later decisions change nothing', async () => {
    const passed = await challenged(ONCE)
    await complete(passed.url)
    const succeeded = await passed.find()
    const late = await fail(passed.url)
    assert.equal(late.statusCode, 303)
    assert.deepEqual(await passed.find(), succeeded)

    const failed = await challenged(ONCE)
    await fail(failed.url)
    await complete(failed.url)
    assert.deepEqual(await failed.find(), DECLINED('authentication_failed'))
  })

  test('decided both ways concurrently has one outcome', async () => {
    const { url, find } = await challenged(ONCE)
    await Promise.all([complete(url), fail(url)])
    const ended = await find()
    assert.ok(ended && ended.status !== 'action_required')
    assert.deepEqual(await find(), ended)
  })

  test('that has ended redirects to the order', async () => {
    const { url, request } = await challenged(ONCE)
    await complete(url)
    const answer = await world.get(url)
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, request.return_url)
  })

  test('whose request was closed charges nothing', async () => {
    const { url, request, find } = await challenged(ONCE)
    const closed = { status: 'closed' }
    assert.deepEqual(await world.closeKey(request.key), closed)
    const answer = await complete(url)
    assert.equal(answer.headers.location, request.return_url)
    assert.deepEqual(await find(), closed)
    assert.deepEqual(await world.charge(request.card_token, request), closed)
  })

  test('keeps its key for more than a day: the same request leads to the same page', async () => {
    const { card, request, url } = await challenged(ONCE)
    world.pass(25 * 60 * 60 * 1000)
    const again = await world.charge(card.token, request)
    assert.deepEqual(again, { status: 'action_required', action_url: url })
  })

  test('is not found by a charge ID, and not decided by an unknown value', async () => {
    const { url, find } = await challenged(ONCE)
    const unclear = await world.post(url, { result: 'perhaps' })
    assert.equal(unclear.statusCode, 400)
    assert.equal((await find())?.status, 'action_required')
    await complete(url)
    const ended = await find()
    const charge_id = ended?.status === 'succeeded' ? ended.charge_id : ''
    assert.equal((await world.get(`/sandbox/challenges/${charge_id}`)).statusCode, 404)
    assert.equal((await complete('/sandbox/challenges/chl_0000000000000000000000')).statusCode, 404)
  })

  test('is not decided by a form from another site', async () => {
    const { url, find } = await challenged(ONCE)
    const answer = await world.post(url, { result: 'complete' }, { origin: 'https://evil.example' })
    assert.equal(answer.statusCode, 403)
    assert.equal((await find())?.status, 'action_required')
  })
})

describe(`${ONCE} challenges once`, () => {
  test('and after it was passed, buys and renews without a challenge', async () => {
    const { card, url } = await challenged(ONCE)
    await complete(url)
    for (let month = 0; month < 3; month++) {
      assert.equal((await renew(card.token)).status, 'succeeded')
    }
    assert.equal((await world.charge(card.token)).status, 'succeeded')
  })

  test('but challenges again after a failure, and cannot renew before one was passed', async () => {
    const { card, url } = await challenged(ONCE)
    assert.deepEqual(await renew(card.token), DECLINED('authentication_required'))
    await fail(url)
    assert.equal((await world.charge(card.token)).status, 'action_required')
  })

  test('also for a verification', async () => {
    const card = await world.enterCard({ number: ONCE })
    const answer = await world.charge(card.token, { amount: ZERO })
    assert.ok(answer.status === 'action_required')
    assert.match((await world.get(answer.action_url)).body, /to verify the card/)
    await complete(answer.action_url)
    assert.equal((await renew(card.token)).status, 'succeeded')
  })
})
