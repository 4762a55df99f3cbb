import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { DisputeClosed, type Evidence, type ProcessorEvent } from '#domain/payments'
import { ZERO } from '#platform/money'
import { openWorld } from './world.ts'

const GOOD = '4242 4242 4242 4242'
const FRAUDULENT = '4000 0000 0000 0259'
const INQUIRY = '4000 0000 0000 1976'

const EVIDENCE: Evidence = {
  customer_email_address: 'buyer@example.com',
  product_description: 'Harbor Pro, a month',
  service_date: '2026-03-10',
  access_activity_log: 'The key was checked every day.',
  refund_policy_disclosure: 'Refunds within 60 days.',
  receipt: 'Order ord_1: $12.75',
}

const world = await openWorld()
beforeEach(async () => {
  world.passDays(60)
  await world.receive()
})

type Opened = Extract<ProcessorEvent, { kind: 'dispute_opened' }>

/** The dispute that is reported now. */
async function opened(): Promise<Opened> {
  const event = (await world.receive()).find(({ kind }) => kind === 'dispute_opened')
  assert.ok(event?.kind === 'dispute_opened')
  return event
}

const answer = (dispute_id: string, evidence = EVIDENCE) =>
  world.sandbox.answerDispute(world.now(), { dispute_id, evidence })
const outcomes = async () =>
  (await world.receive()).map((event) => 'outcome' in event && event.outcome)

describe('a dispute', () => {
  test('without evidence is lost after a week, and not before', async () => {
    await world.charged(FRAUDULENT)
    const { at, due_at, dispute_id } = await opened()
    assert.deepEqual([at, due_at.getTime() - at.getTime()], [world.now(), 7 * 24 * 60 * 60 * 1000])
    world.pass(due_at.getTime() - world.now().getTime() - 1)
    assert.deepEqual(await outcomes(), [])
    world.pass(1)
    assert.deepEqual(await outcomes(), ['lost'])
    await assert.rejects(answer(dispute_id), DisputeClosed)
  })

  test('with evidence is won on its due date', async () => {
    await world.charged(FRAUDULENT)
    const { dispute_id } = await opened()
    await answer(dispute_id)
    world.passDays(6)
    assert.deepEqual(await outcomes(), [])
    world.passDays(1)
    assert.deepEqual(await outcomes(), ['won'])
  })

  test('that was won leaves the charge refundable', async () => {
    const { charge_id } = await world.charged(FRAUDULENT)
    const { dispute_id } = await opened()
    await world.sandbox.decideDispute(world.now(), { dispute_id, outcome: 'won' })
    assert.equal((await world.refund(charge_id)).status, 'succeeded')
  })

  test('follows every successful charge of its card, renewals included', async () => {
    const { card } = await world.charged(FRAUDULENT)
    await opened()
    await world.charge(card.token, { amount: ZERO })
    assert.deepEqual(await world.receive(), [])
    await world.charge(card.token, { off_session: true })
    await opened()
  })

  test('of an unknown id is an error', async () => {
    await assert.rejects(answer('dp_unknown'))
  })
})

describe('an inquiry', () => {
  test('without an answer becomes a dispute with the same ID, which is then lost', async () => {
    await world.charged(INQUIRY)
    const inquiry = await opened()
    world.passDays(7)
    const disputed = await opened()
    assert.equal(disputed.dispute_id, inquiry.dispute_id)
    assert.deepEqual([inquiry.is_inquiry, disputed.is_inquiry], [true, false])
    assert.deepEqual(inquiry.due_at, disputed.at)
    world.passDays(7)
    assert.deepEqual(await outcomes(), ['lost'])
  })

  test('that was answered never becomes a dispute', async () => {
    await world.charged(INQUIRY)
    const { dispute_id } = await opened()
    await answer(dispute_id)
    assert.deepEqual(await outcomes(), ['won'])
    world.passDays(30)
    assert.deepEqual(await world.receive(), [])
  })

  test('allows a refund, after which only the rest can be disputed', async () => {
    const { charge_id } = await world.charged(INQUIRY)
    assert.equal((await opened()).amount, 1275)
    assert.equal((await world.refund(charge_id, 1000)).status, 'succeeded')
    world.passDays(7)
    assert.equal((await opened()).amount, 275)
  })

  test('closes once all was refunded', async () => {
    const { charge_id } = await world.charged(INQUIRY)
    await opened()
    await world.refund(charge_id)
    assert.deepEqual(await outcomes(), ['won'])
    world.passDays(30)
    assert.deepEqual(await world.receive(), [])
  })
})

describe('a scenario', () => {
  const dispute = (charge_id: string, is_inquiry = false) =>
    world.sandbox.disputeCharge(world.now(), { charge_id, reason: 'duplicate', is_inquiry })
  const decide = (dispute_id: string, outcome: 'won' | 'lost') =>
    world.sandbox.decideDispute(world.now(), { dispute_id, outcome })

  test('disputes what is left of any charge, once', async () => {
    const { charge_id } = await world.charged(GOOD)
    await world.refund(charge_id, 275)
    const scenario = await dispute(charge_id)
    const event = await opened()
    assert.partialDeepStrictEqual(event, {
      ...scenario,
      charge_id,
      amount: 1000,
      reason: 'duplicate',
    })
    assert.equal(await dispute(charge_id), undefined)
  })

  test('disputes nothing if nothing is left', async () => {
    const { charge_id } = await world.charged(GOOD)
    await world.refund(charge_id)
    assert.equal(await dispute(charge_id), undefined)
    await assert.rejects(dispute('ch_unknown'))
  })

  test('decides as the bank now, and only once', async () => {
    for (const outcome of ['won', 'lost'] as const) {
      const { charge_id } = await world.charged(GOOD)
      const { dispute_id } = (await dispute(charge_id))!
      await opened()
      await decide(dispute_id, outcome)
      assert.deepEqual(await outcomes(), [outcome])
      await assert.rejects(decide(dispute_id, outcome), DisputeClosed)
    }
  })

  test('that loses an inquiry makes it a dispute', async () => {
    const { charge_id } = await world.charged(GOOD)
    const { dispute_id } = (await dispute(charge_id, true))!
    assert.equal((await opened()).is_inquiry, true)
    await decide(dispute_id, 'lost')
    assert.partialDeepStrictEqual(await opened(), { dispute_id, is_inquiry: false })
    await decide(dispute_id, 'lost')
    assert.deepEqual(await outcomes(), ['lost'])
  })
})

test('a concurrent refund and answer have one outcome', async () => {
  for (let round = 0; round < 5; round++) {
    const { charge_id } = await world.charged(INQUIRY)
    const { dispute_id } = await opened()
    const [refunded] = await Promise.all([
      world.refund(charge_id),
      answer(dispute_id).catch((error: Error) => assert.ok(error instanceof DisputeClosed)),
    ])
    assert.equal(refunded.status, 'succeeded')
    assert.deepEqual(await outcomes(), ['won'])
  }
})
