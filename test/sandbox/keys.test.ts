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
  test('with other parameters or another path is a conflict, and takes no money', async () => {
    const request = requestFor(token)
    await world.charge(token, request)
    const others = [
      { description: 'Harbor Max' },
      { return_url: 'https://purser.example/elsewhere' },
    ]
    for (const other of others) {
      await assert.rejects(world.charge(token, { ...request, ...other }), KeyConflict)
    }
    const [charge, ...rest] = await recorded(request.key)
    assert.deepEqual([charge?.amount, rest.length], [1275, 0])
  })

  test('is kept for 24 hours, and then starts a new request', async () => {
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

test('that was closed is kept permanently', async () => {
  const request = requestFor(token)
  const closed = { status: 'closed' }
  assert.deepEqual(await world.closeKey(request.key), closed)
  world.pass(25 * HOUR)
  assert.deepEqual(await world.charge(token, request), closed)
  assert.deepEqual(await world.sandbox.find(request.key), closed)
})

describe('a lost answer', () => {
  const charge = (card_token: string, key: string) =>
    world.charge(card_token, { ...requestFor(card_token), key })

  test('4999 9900 0000 0015: the money is taken, and three seconds later the answer is found', async () => {
    const card = await world.enterCard({ number: '4999 9900 0000 0015' })
    const key = 'att_lost_answer'
    await assert.rejects(charge(card.token, key), ProcessorUnreachable)
    assert.deepEqual(
      (await recorded(key)).map(({ status }) => status),
      ['succeeded'],
    )
    world.pass(2999)
    await assert.rejects(world.sandbox.find(key), ProcessorUnreachable)
    await assert.rejects(world.closeKey(key), ProcessorUnreachable)
    await assert.rejects(charge(card.token, key), ProcessorUnreachable)
    world.pass(1)
    const found = await world.sandbox.find(key)
    assert.equal(found?.status, 'succeeded')
    assert.deepEqual(await world.closeKey(key), found)
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
    assert.deepEqual(await world.closeKey(key), { status: 'closed' })
    assert.deepEqual(await charge(card.token, key), { status: 'closed' })
  })
})

test('a charge of an unknown card, or of a negative amount, is refused and stores nothing', async () => {
  const key = 'att_refused'
  await assert.rejects(world.charge('card_unknown', { key }))
  await assert.rejects(world.charge(token, { key, amount: cents(-1) }), RangeError)
  assert.deepEqual(await recorded(key), [])
})
