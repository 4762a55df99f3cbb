import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { KeyConflict, ProcessorUnreachable } from '#domain/payments'
import { cents } from '#platform/money'
import { openWorld, requestFor } from './world.ts'

const HOUR = 60 * 60 * 1000
const world = await openWorld()
let token: string

beforeEach(async () => {
  token = (await world.enterCard()).token
})

/** The requests on record under a key. */
async function recorded(key: string) {
  return (await world.charges()).filter((charge) => charge.key === key)
}

describe('one key', () => {
  test('asked fifty times at once charges once, and all hear the same', async () => {
    const request = requestFor(token)
    const asked = Array.from({ length: 50 }, () => world.charge(token, request))
    const answers = await Promise.all(asked)
    assert.equal(answers[0]?.status, 'succeeded')
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal((await recorded(request.key)).length, 1)
  })

  test('answers a declined request as it was, even if the card would work by now', async () => {
    const card = await world.enterCard({ number: '4999 9900 0000 0114' })
    const request = { ...requestFor(card.token), off_session: true }
    const first = await world.charge(card.token, request)
    assert.equal(first.status, 'declined')
    assert.deepEqual(await world.charge(card.token, request), first)
    const retry = await world.charge(card.token, { off_session: true })
    assert.equal(retry.status, 'succeeded')
    assert.deepEqual(await world.charge(card.token, request), first)
  })

  test('under a request that says something else is a conflict and takes nothing', async () => {
    const request = requestFor(token)
    await world.charge(token, request)
    const others = [
      { amount: cents(1276) },
      { description: 'Harbor Max' },
      { off_session: true },
      { return_url: 'https://purser.example/elsewhere' },
      { card_token: (await world.enterCard()).token },
    ]
    for (const other of others) {
      await assert.rejects(world.charge(token, { ...request, ...other }), KeyConflict)
    }
    const [charge, ...rest] = await recorded(request.key)
    assert.deepEqual([charge?.amount, rest.length], [1275, 0])
  })

  test('is kept for 24 hours, and then is a new request', async () => {
    const request = requestFor(token)
    const first = await world.charge(token, request)
    world.pass(24 * HOUR - 1)
    assert.deepEqual(await world.charge(token, request), first)
    world.pass(1)
    assert.deepEqual(await world.sandbox.find(request.key), first)
    const second = await world.charge(token, request)
    assert.notDeepEqual(second, first)
    assert.deepEqual(await world.sandbox.find(request.key), second)
  })
})

test('find tells what became of a key, and nothing of an unknown one', async () => {
  const request = requestFor(token)
  assert.equal(await world.sandbox.find(request.key), undefined)
  const answer = await world.charge(token, request)
  assert.deepEqual(await world.sandbox.find(request.key), answer)
})

describe('close', () => {
  test('answers a finished request as it ended', async () => {
    const request = requestFor(token)
    const answer = await world.charge(token, request)
    assert.deepEqual(await world.close(request.key), answer)
    assert.deepEqual(await world.sandbox.find(request.key), answer)
  })

  test('of an unknown key keeps it closed for good: a late charge takes nothing', async () => {
    const request = requestFor(token)
    const closed = { status: 'closed' }
    assert.deepEqual(await world.close(request.key), closed)
    assert.deepEqual(await world.close(request.key), closed)
    assert.deepEqual(await world.charge(token, request), closed)
    world.pass(25 * HOUR)
    assert.deepEqual(await world.charge(token, request), closed)
    assert.deepEqual(await world.sandbox.find(request.key), closed)
  })

  test('and a charge at the same moment agree on who was first', async () => {
    const requests = Array.from({ length: 10 }, () => requestFor(token))
    for (const request of requests) {
      const [charged, closed] = await Promise.all([
        world.charge(token, request),
        world.close(request.key),
      ])
      assert.deepEqual(charged, closed)
    }
  })
})

describe('a lost answer', () => {
  const charge = (card_token: string, key: string) =>
    world.charge(card_token, { ...requestFor(card_token), key })

  test('4999 9900 0000 0015: the money is taken, and three seconds later it can be known', async () => {
    const card = await world.enterCard({ number: '4999 9900 0000 0015' })
    const key = 'att_lost_answer'
    await assert.rejects(charge(card.token, key), ProcessorUnreachable)
    assert.deepEqual(
      (await recorded(key)).map(({ status }) => status),
      ['succeeded'],
    )
    world.pass(2999)
    await assert.rejects(world.sandbox.find(key), ProcessorUnreachable)
    await assert.rejects(world.close(key), ProcessorUnreachable)
    await assert.rejects(charge(card.token, key), ProcessorUnreachable)
    world.pass(1)
    const found = await world.sandbox.find(key)
    assert.equal(found?.status, 'succeeded')
    assert.deepEqual(await world.close(key), found)
    assert.deepEqual(await charge(card.token, key), found)
    assert.equal((await recorded(key)).length, 1)
  })

  test('4999 9900 0000 0023: the request never arrives, and its key can be closed', async () => {
    const card = await world.enterCard({ number: '4999 9900 0000 0023' })
    const key = 'att_lost_request'
    await assert.rejects(charge(card.token, key), ProcessorUnreachable)
    world.pass(3000)
    assert.equal(await world.sandbox.find(key), undefined)
    assert.deepEqual(await recorded(key), [])
    assert.deepEqual(await world.close(key), { status: 'closed' })
    assert.deepEqual(await charge(card.token, key), { status: 'closed' })
  })
})

test('a charge for an unknown card, or of a negative amount, is refused and leaves nothing', async () => {
  const key = 'att_refused'
  await assert.rejects(world.charge('card_unknown', { key }))
  await assert.rejects(world.charge(token, { key, amount: cents(-1) }), RangeError)
  assert.deepEqual(await recorded(key), [])
})
