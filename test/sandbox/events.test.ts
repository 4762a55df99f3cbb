import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProcessorEvent } from '#domain/payments'
import { addDays } from '#platform/calendar'
import { cents } from '#platform/money'
import { openWorld } from './world.ts'

const GOOD = '4242 4242 4242 4242'
const PENDS = '4000 0000 0000 7726'
const NOT_RECEIVED = '4000 0000 0000 2685'

const world = await openWorld()
const kinds = async (now = world.now()) => (await world.sandbox.events(now)).map((e) => e.kind)

describe('an event', () => {
  test('is returned from its due time until it is acknowledged', async () => {
    const { charge_id } = await world.charged(PENDS)
    await world.refund(charge_id)
    assert.deepEqual(await kinds(), [])
    world.passDays(1)
    const [event, ...rest] = await world.sandbox.events(world.now())
    assert.deepEqual([event?.kind, event?.at, rest.length], ['refund_settled', world.now(), 0])
    assert.deepEqual(await world.sandbox.events(world.now()), [event])
    await world.sandbox.acknowledge(event!.id)
    await world.sandbox.acknowledge(event!.id)
    assert.deepEqual(await kinds(), [])
  })

  test('follows the time of the call that caused it, not the clock of the service', async () => {
    const { charge_id } = await world.charged(PENDS)
    const ahead = addDays(world.now(), 100)
    const request = { key: 'ref_ahead', charge_id, amount: cents(100) }
    await world.sandbox.refund(ahead, request)
    assert.deepEqual(await kinds(addDays(ahead, 0.5)), [])
    const [event] = await world.sandbox.events(addDays(ahead, 1))
    assert.deepEqual(event?.at, addDays(ahead, 1))
    await world.sandbox.acknowledge(event!.id)
  })

  test('is on one page of those that are due, also if an earlier one is never acknowledged', async () => {
    const { charge_id } = await world.charged(PENDS)
    for (let refunds = 0; refunds < 5; refunds++) await world.refund(charge_id, 200)
    world.passDays(1)
    const read: string[] = []
    let after: ProcessorEvent | undefined
    for (const length of [2, 2, 1, 0]) {
      const page = await world.sandbox.events(world.now(), { after, limit: 2 })
      assert.equal(page.length, length)
      // Of each page, the first one is handled, and the other one fails.
      if (page[0]) await world.sandbox.acknowledge(page[0].id)
      read.push(...page.map(({ id }) => id))
      after = page.at(-1)
    }
    assert.equal(new Set(read).size, 5)
    assert.equal((await world.receive()).length, 2)
  })

  test('is ordered by its time, not its creation', async () => {
    const { charge_id } = await world.charged(PENDS)
    await world.refund(charge_id, 100)
    world.passDays(0.5)
    await world.charged(NOT_RECEIVED)
    world.passDays(7)
    assert.deepEqual(await kinds(), ['dispute_opened', 'refund_settled', 'dispute_closed'])
    await world.receive()
  })
})

test('the next event is returned for all charges, or for some', async () => {
  const { nextEventAt } = world.sandbox
  assert.equal(await nextEventAt(world.now()), undefined)
  const now = world.now()
  const first = await world.charged(NOT_RECEIVED)
  const second = await world.charged(PENDS)
  const plain = await world.charged(GOOD)
  await world.refund(second.charge_id)
  assert.deepEqual(await nextEventAt(now), addDays(now, 1))
  assert.deepEqual(await nextEventAt(addDays(now, 1)), addDays(now, 7))
  assert.deepEqual(await nextEventAt(now, [first.charge_id, plain.charge_id]), addDays(now, 7))
  assert.deepEqual(await nextEventAt(now, [second.charge_id]), addDays(now, 1))
  assert.equal(await nextEventAt(now, [plain.charge_id]), undefined)
  assert.equal(await nextEventAt(now, []), undefined)
})
