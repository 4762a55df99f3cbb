import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProcessorRecord, ProcessorRecords } from '#domain/payments'
import { cents } from '#platform/money'
import { type ProcessorSteps, processorSteps } from '../processor/outside.ts'
import { openStripeWorld, type StripeWorld, testModeOf } from './world.ts'

const KINDS = ['charges', 'refunds', 'payouts', 'disputes'] as const

describe('the records of Stripe', () => {
  let world: StripeWorld
  let steps: ProcessorSteps
  before(async () => {
    world = await openStripeWorld()
    steps = processorSteps(testModeOf(world))
  })
  after(() => world.close())

  async function listed(kind: keyof ProcessorRecords): Promise<ProcessorRecord[]> {
    const all: ProcessorRecord[] = []
    const end = new Date(world.clock.now().getTime() + 1000)
    for await (const each of world.processor[kind](new Date(0), end)) all.push(each)
    return all
  }

  test('have nothing of another service on the same account', async () => {
    const { state } = world.double
    const theirs = { currency: 'usd', metadata: { key: 'theirs' }, status: 'succeeded' }
    const money = { ...theirs, amount: 900, amount_received: 900 }
    const { id: payment_intent } = state.add('pi', 'payment_intent', money)
    state.add('re', 'refund', { ...theirs, amount: 900, payment_intent })
    state.add('du', 'dispute', { ...theirs, amount: 900, payment_intent, balance_transactions: [] })
    const reversals = { object: 'list', data: [], has_more: false, url: '' }
    state.add('tr', 'transfer', { ...theirs, amount: 900, amount_reversed: 0, reversals })
    for (const kind of KINDS) assert.deepEqual(await listed(kind), [], kind)
  })

  test('have objects whose answer was lost, under their keys', async () => {
    const { token } = await steps.enterCard('4242424242424242')
    const request = steps.requestFor(token)
    await world.unanswered(() => world.processor.charge(steps.now(), request))
    const [charge] = await listed('charges')
    assert.partialDeepStrictEqual(charge, { key: request.key, amount: 1275, moved: 1275 })
    await world.processor.find(request.key)
    const requested = { key: 'ref_lost', charge_id: charge!.id!, amount: cents(300) }
    await world.unanswered(() => world.processor.refund(steps.now(), requested))
    const [refund] = await listed('refunds')
    assert.partialDeepStrictEqual(refund, { key: 'ref_lost', moved: -300, is_unconfirmed: false })
  })

  test("throw the port's errors if Stripe refuses or does not respond", async () => {
    for (const [status, pattern] of [
      [400, /^ProcessorRefused: Stripe refused listing charges/],
      [503, /^ProcessorUnreachable: Stripe did not answer/],
    ] as const) {
      world.double.faultAt = { route: 'GET /v1/payment_intents', status }
      await assert.rejects(listed('charges'), (error: Error) =>
        pattern.test(`${error.constructor.name}: ${error.message}`),
      )
      world.double.faultAt = undefined
    }
  })
})
