import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyConflict, ProcessorUnreachable } from '#domain/payments'
import { cents } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

const GOOD = '4242424242424242'
const CLOSED = { status: 'closed' } as const

/** Keys: what makes it safe to ask again. */
export function describeKeys(world: () => ProcessorSteps): void {
  const fresh = async () => world().requestFor((await world().enterCard(GOOD)).token)
  const ask = (request: ReturnType<ProcessorSteps['requestFor']>) =>
    world().processor.charge(world().now(), request)
  const close = (key: string) => world().processor.close(world().now(), key)

  describe('the key of a charge', () => {
    test('used twenty times concurrently charges once, with the same answer for all', async () => {
      const request = await fresh()
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(request)))
      assert.equal(answers[0]?.status, 'succeeded')
      for (const answer of answers) assert.deepEqual(answer, answers[0])
    })

    test('repeats the answer of a declined request', async () => {
      const request = world().requestFor((await world().enterCard('4000000000009995')).token)
      const first = await ask(request)
      assert.equal(first.status, 'declined')
      assert.deepEqual(await ask(request), first)
      assert.deepEqual(await world().processor.find(request.key), first)
    })

    test('with other parameters is a conflict, and the first request is kept', async () => {
      const request = await fresh()
      const answer = await ask(request)
      const others = [
        { amount: cents(1276) },
        { card_token: (await world().enterCard(GOOD)).token },
        { off_session: true },
      ]
      for (const other of others) {
        await assert.rejects(ask({ ...request, ...other }), KeyConflict)
      }
      assert.deepEqual(await world().processor.find(request.key), answer)
    })

    test('is found with its answer, and an unknown one is not found', async () => {
      const request = await fresh()
      assert.equal(await world().processor.find(request.key), undefined)
      const answer = await ask(request)
      assert.deepEqual(await world().processor.find(request.key), answer)
    })

    test('that has ended returns its answer when it is closed', async () => {
      const request = await fresh()
      const answer = await ask(request)
      assert.deepEqual(await close(request.key), answer)
      assert.deepEqual(await world().processor.find(request.key), answer)
    })

    test('that was closed before any request stays closed: a late charge takes nothing', async () => {
      const request = await fresh()
      assert.deepEqual(await close(request.key), CLOSED)
      assert.deepEqual(await close(request.key), CLOSED)
      assert.deepEqual(await ask(request), CLOSED)
      assert.deepEqual(await world().processor.find(request.key), CLOSED)
    })

    test('charged and closed concurrently has one outcome', async () => {
      for (let round = 0; round < 5; round++) {
        const request = await fresh()
        const [charged, closed] = await Promise.all([ask(request), close(request.key)])
        assert.deepEqual(charged, closed)
      }
    })
  })

  describe('a lost answer', () => {
    test('after the charge was made: it is found, and closing it returns the same', async () => {
      const card = await world().enterLossyCard('answer')
      const request = world().requestFor(card.token)
      await assert.rejects(ask(request), ProcessorUnreachable)
      await world().settle()
      const found = await world().processor.find(request.key)
      assert.equal(found?.status, 'succeeded')
      assert.deepEqual(await close(request.key), found)
      assert.deepEqual(await ask(request), found)
    })

    test('before the request arrived: nothing is found, and the key can be closed', async () => {
      const card = await world().enterLossyCard('request')
      const request = world().requestFor(card.token)
      await assert.rejects(ask(request), ProcessorUnreachable)
      await world().settle()
      assert.equal(await world().processor.find(request.key), undefined)
      assert.deepEqual(await close(request.key), CLOSED)
      assert.deepEqual(await ask(request), CLOSED)
    })
  })
}
