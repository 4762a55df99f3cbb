import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { STATUSES } from '../../src/stripe/dispute-status.ts'
import { processorSteps } from '../processor/outside.ts'
import { eventOf, openStripeEvents, type StripeEvents } from './stripe-events.ts'
import { type StripeWorld, testModeOf } from './world.ts'

const EXPECTED: Record<(typeof STATUSES)[number], string[]> = {
  warning_needs_response: ['inquiry'],
  warning_under_review: ['inquiry'],
  warning_closed: ['inquiry', 'won'],
  needs_response: ['opened'],
  under_review: ['opened'],
  prevented: [],
  won: ['opened', 'won'],
  lost: ['opened', 'lost'],
  appeal_needs_response: ['notice'],
  appeal_under_review: ['notice'],
}

describe('events of Stripe', () => {
  let setup: StripeEvents
  let world: StripeWorld
  before(async () => {
    setup = await openStripeEvents()
    world = setup.world
  })
  after(() => world.close())

  test('of a dispute are returned in order, in any order of arrival', async () => {
    await setup.send(
      eventOf(world, 'charge.dispute.closed', setup.disputeOf('du_1', 'won'), {}, 60),
    )
    await setup.send(
      eventOf(world, 'charge.dispute.created', setup.disputeOf('du_1', 'needs_response')),
    )
    const received = await setup.listen()
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['dispute_opened', 'dispute_closed'],
    )
    assert.partialDeepStrictEqual(received[0], { charge_id: setup.payment_intent, amount: 1275 })
  })

  test('of the end of a dispute alone imply its opening, which is not returned again', async () => {
    await setup.send(
      eventOf(world, 'charge.dispute.closed', setup.disputeOf('du_2', 'lost'), {}, 60),
    )
    const received = await setup.listen()
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['dispute_opened', 'dispute_closed'],
    )
    await setup.send(
      eventOf(world, 'charge.dispute.created', setup.disputeOf('du_2', 'needs_response')),
    )
    assert.deepEqual(await setup.listen(), [])
  })

  test('of a dispute of a charge whose answer was lost are returned', async () => {
    const { token } = await processorSteps(testModeOf(world)).enterCard('4000000000000259')
    const { requestFor } = processorSteps(testModeOf(world))
    const request = requestFor(token)
    await world.unanswered(() => world.processor.charge(world.clock.now(), request))
    await world.double.settle()
    const [opened] = await setup.listen()
    const found = await world.processor.find(request.key)
    assert.ok(found?.status === 'succeeded')
    assert.partialDeepStrictEqual(opened, { kind: 'dispute_opened', charge_id: found.charge_id })
  })

  test('of an inquiry are marked as such, and report when it becomes a dispute', async () => {
    const inquiry = setup.disputeOf('du_3', 'warning_needs_response')
    await setup.send(eventOf(world, 'charge.dispute.created', inquiry))
    const [requested] = await setup.listen()
    assert.partialDeepStrictEqual(requested, { kind: 'dispute_opened', is_inquiry: true })
    const previous_attributes = { status: 'warning_needs_response' }
    const object = setup.disputeOf('du_3', 'needs_response')
    const data = { object, previous_attributes }
    await setup.send(eventOf(world, 'charge.dispute.updated', object, { data }, 10))
    const [opened] = await setup.listen()
    assert.partialDeepStrictEqual(opened, { kind: 'dispute_opened', is_inquiry: false })
    const closed = setup.disputeOf('du_4', 'warning_closed')
    await setup.send(eventOf(world, 'charge.dispute.closed', closed, {}, 20))
    assert.partialDeepStrictEqual((await setup.listen()).at(-1), { outcome: 'won' })
  })

  test('of an inquiry that is lost imply that it became a dispute, once', async () => {
    const inquiry = setup.disputeOf('du_i', 'warning_needs_response')
    await setup.send(eventOf(world, 'charge.dispute.created', inquiry))
    assert.equal((await setup.listen()).length, 1)
    const lost = { ...setup.disputeOf('du_i', 'lost'), amount: 1000 }
    await setup.send(eventOf(world, 'charge.dispute.closed', lost, {}, 20))
    const received = await setup.listen()
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['dispute_opened', 'dispute_closed'],
    )
    assert.partialDeepStrictEqual(received[0], { is_inquiry: false, amount: 1000 })
    const previous_attributes = { status: 'warning_needs_response' }
    const data = { object: setup.disputeOf('du_i', 'needs_response'), previous_attributes }
    await setup.send(eventOf(world, 'charge.dispute.updated', data.object, { data }, 10))
    assert.deepEqual(await setup.listen(), [])
  })

  // M6
  for (const status of STATUSES) {
    test(`of a dispute in the status ${status} are returned once, or change nothing`, async () => {
      const id = `du_${status}`
      await setup.send(eventOf(world, 'charge.dispute.created', setup.disputeOf(id, status)))
      const received = (await setup.listen()).map((event) => {
        if (event.kind === 'dispute_opened') return event.is_inquiry ? 'inquiry' : 'opened'
        return event.kind === 'dispute_closed' ? event.outcome : event.kind
      })
      assert.deepEqual(received, EXPECTED[status])
    })
  }

  // M6
  test('of a dispute that was open and is then prevented close it as won', async () => {
    await setup.send(
      eventOf(world, 'charge.dispute.created', setup.disputeOf('du_p', 'needs_response')),
    )
    assert.equal((await setup.listen()).length, 1)
    await setup.send(
      eventOf(world, 'charge.dispute.closed', setup.disputeOf('du_p', 'prevented'), {}, 60),
    )
    assert.partialDeepStrictEqual(await setup.listen(), [
      { kind: 'dispute_closed', outcome: 'won' },
    ])
  })

  // M6
  test('of a dispute in an unknown status alert staff, with its name', async () => {
    await setup.send(
      eventOf(world, 'charge.dispute.updated', setup.disputeOf('du_t', 'arbitrated')),
    )
    const [received] = await setup.listen()
    assert.ok(received?.kind === 'notice')
    assert.match(
      received.message,
      /du_t over \$12\.75 has a status that is not known here: arbitrated/,
    )
  })

  test('of a decision are reported until handled, also after a notice of its appeal', async () => {
    await setup.send(
      eventOf(world, 'charge.dispute.created', setup.disputeOf('du_a', 'needs_response')),
    )
    await setup.listen()
    const decision = eventOf(
      world,
      'charge.dispute.closed',
      setup.disputeOf('du_a', 'lost'),
      {},
      60,
    )
    const appeal = setup.disputeOf('du_a', 'appeal_needs_response')
    const notice = eventOf(world, 'charge.dispute.updated', appeal, {}, 120)
    await setup.send(decision)
    await setup.send(notice)
    assert.equal((await setup.receive()).length, 2)
    await world.processor.acknowledge(notice.id)
    assert.partialDeepStrictEqual(await setup.receive(), [
      { kind: 'dispute_closed', outcome: 'lost' },
    ])
    await world.processor.acknowledge(decision.id)
    assert.deepEqual(await setup.receive(), [])
  })
})
