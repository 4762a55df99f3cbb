import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProcessorUnreachable } from '#domain/payments'
import { type ProcessorSteps, processorSteps } from '../processor/outside.ts'
import { CARD } from '../support/cards.ts'
import { openStripeWorld, type StripeWorld, testModeOf } from './world.ts'

const DAY = 86_400
const EVIDENCE = {
  customer_email_address: 'buyer@example.com',
  product_description: 'Harbor Pro, a month',
  service_date: '2026-03-10',
  access_activity_log: '2026-03-10 12:00 UTC: signed in',
  refund_policy_disclosure: 'Refunds within 60 days.',
  receipt: 'Order ord_1: $12.75',
}

// M14
describe('evidence at Stripe', () => {
  let world: StripeWorld
  let steps: ProcessorSteps
  before(async () => {
    world = await openStripeWorld()
    steps = processorSteps(testModeOf(world))
  })
  after(() => world.close())

  async function disputed() {
    const { charge_id } = await steps.charged(CARD.fraudulent)
    const { dispute_id } = await steps.waitForEvent(
      'dispute_opened',
      (event) => event.charge_id === charge_id,
    )
    return dispute_id
  }
  const submissions = (id: string): number =>
    world.double.state.find(id, 'dispute').evidence_details.submission_count

  test('with a statement is complete, and is submitted at once', async () => {
    const dispute_id = await disputed()
    const evidence = { ...EVIDENCE, uncategorized_text: 'The buyer used it every day.' }
    await world.processor.answerDispute(steps.now(), { dispute_id, evidence })
    assert.equal(submissions(dispute_id), 1)
  })

  test('without one is stored, and is submitted five days before it is due', async () => {
    const dispute_id = await disputed()
    await world.processor.answerDispute(steps.now(), { dispute_id, evidence: EVIDENCE })
    // It is due after nine days.
    world.clock.pass(4 * DAY - 60)
    await world.processor.events(steps.now())
    assert.equal(submissions(dispute_id), 0)
    world.clock.pass(60)
    await world.processor.events(steps.now())
    assert.equal(submissions(dispute_id), 1)
  })

  test('is submitted in time also if the answer of Stripe was lost', async () => {
    const dispute_id = await disputed()
    const request = { dispute_id, evidence: EVIDENCE }
    await world.unanswered(() => world.processor.answerDispute(steps.now(), request), 'POST')
    world.clock.pass(4 * DAY)
    await world.processor.events(steps.now())
    assert.equal(submissions(dispute_id), 1)
  })

  test('that Stripe never got is not submitted, and can be sent again until it is due', async () => {
    const dispute_id = await disputed()
    const answer = () =>
      world.processor.answerDispute(steps.now(), { dispute_id, evidence: EVIDENCE })
    world.double.fault = { method: 'POST', loses: 'request' }
    await assert.rejects(answer(), ProcessorUnreachable)
    world.double.fault = undefined
    world.clock.pass(4 * DAY)
    await world.processor.events(steps.now())
    assert.equal(submissions(dispute_id), 0)
    await answer()
    assert.equal(submissions(dispute_id), 1)
  })
})
