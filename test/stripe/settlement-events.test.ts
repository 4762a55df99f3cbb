import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listFailed, type ProcessorEvent, retryFailed } from '#domain/payments'
import { cents } from '#platform/money'
import { processorSteps } from '../processor/outside.ts'
import { openAlarms } from '../support/alarms.ts'
import { eventOf, openStripeEvents, refundOf, type StripeEvents } from './stripe-events.ts'
import { type StripeWorld, testModeOf } from './world.ts'

describe('events of Stripe', () => {
  let setup: StripeEvents
  let world: StripeWorld
  before(async () => {
    setup = await openStripeEvents()
    world = setup.world
  })
  after(() => world.close())

  test('of a failed refund are not undone by an older success', async () => {
    const refund_id = await setup.ourRefund()
    await setup.send(eventOf(world, 'refund.failed', refundOf(refund_id, 'failed'), {}, 60))
    assert.equal((await setup.listen()).length, 1)
    await setup.send(eventOf(world, 'refund.updated', refundOf(refund_id, 'succeeded')))
    assert.deepEqual(await setup.listen(), [])
  })

  test('of several refunds in the dashboard are reported until each of them is handled', async () => {
    const { charge_id } = await processorSteps(testModeOf(world)).charged('4242424242424242')
    const ids = [100, 200].map((amount) => world.double.refundByHand(charge_id, amount))
    await setup.send(
      eventOf(world, 'charge.refunded', { id: 'ch_hand', payment_intent: charge_id }),
    )
    const refundsIn = (events: ProcessorEvent[]) =>
      events.flatMap((event) => (event.kind === 'refund_made' ? [event.refund_id] : []))
    const [first, last] = await setup.receive()
    assert.deepEqual(refundsIn([first!, last!]).sort(), ids.sort())
    await world.processor.acknowledge(last!.id)
    // Handling the event about the first refund does not make this one old.
    const settled = eventOf(
      world,
      'refund.updated',
      { ...refundOf(refundsIn([first!])[0]!, 'succeeded') },
      {},
      60,
    )
    await setup.send(settled)
    await world.processor.acknowledge(settled.id)
    assert.deepEqual(await setup.receive(), [first])
    await world.processor.acknowledge(first!.id)
    assert.deepEqual(await setup.receive(), [])
  })

  test('of a failed payout wait until the money is returned', async () => {
    const { processor, double } = world
    const owner = { owner: 'sel_1', email: 'seller@example.com' }
    const now = world.clock.now()
    const { account_id } = await processor.openAccount(now, owner)
    const return_url = 'https://purser.example/'
    const { url } = await processor.openOnboarding(now, { account_id, return_url })
    double.enterBank(url, 'fails')
    const payout = { key: 'po_key', account_id, amount: 5000 as never, description: 'PURSER' }
    await processor.payOut(now, payout)
    world.clock.pass(24 * 60 * 60)
    await double.settle()
    double.fault = 500
    const early = await setup.listen()
    assert.ok(early.every(({ kind }) => kind !== 'payout_settled'))
    double.fault = undefined
    world.clock.pass(2)
    assert.partialDeepStrictEqual(await setup.listen(), [
      { kind: 'payout_settled', outcome: 'failed' },
    ])
  })

  test('of a payout whose reversal is refused are retried ever later, and alert staff', async () => {
    const { processor, double, clock, db } = world
    const now = clock.now()
    const owner = { owner: 'sel_empty', email: 'seller@example.com' }
    const { account_id } = await processor.openAccount(now, owner)
    const return_url = 'https://purser.example/'
    const { url } = await processor.openOnboarding(now, { account_id, return_url })
    double.enterBank(url, 'fails')
    await setup.listen()
    const payout = { key: 'po_empty', account_id, amount: cents(5000), description: 'PURSER' }
    await processor.payOut(now, payout)
    clock.pass(24 * 60 * 60)
    await double.settle()
    double.state.balances.set(account_id, 0)
    const reversals = () => double.requests.filter(({ path }) => path.endsWith('/reversals')).length
    const before = reversals()
    for (let seconds = 0; seconds < 3600; seconds += 2) {
      assert.ok((await setup.listen()).every(({ kind }) => kind !== 'payout_settled'))
      clock.pass(2)
    }
    // After 2, 4, 8 … 512 seconds, and then every ten minutes.
    assert.equal(reversals() - before, 14)
    const alarms = (await openAlarms(db)).filter(({ kind }) => kind === 'processor_refused')
    assert.partialDeepStrictEqual(alarms, [{ subject: 'the reversal of a transfer', count: 14 }])
    assert.match(alarms[0]!.message, /insufficient funds for the reversal/)
    const [failed] = await listFailed(db, { limit: 10 })
    assert.partialDeepStrictEqual(failed, { kind: 'payout.failed', failures: 14 })
    assert.ok(failed!.retry_at > clock.now())
    double.state.balances.set(account_id, 5000)
    await retryFailed(db, clock.now())
    assert.partialDeepStrictEqual(await setup.listen(), [
      { kind: 'payout_settled', outcome: 'failed' },
    ])
  })
})
