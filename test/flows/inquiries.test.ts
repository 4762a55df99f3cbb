import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type * as payments from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import { disputeClosed, disputeOpened, sendEvidence } from '#flows/dispute'
import { handleEvents } from '#surfaces/processor-events/worker'
import { CARD } from '../support/cards.ts'
import { bankSandbox, decideDispute, disputeOf, owedToSeller } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import {
  advanceAndHandleEvents,
  type Bought,
  buy,
  postedTotals,
  sellerActor,
  stateOf,
} from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

// Guards decision 28: a bank may ask before it takes money.

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const statusOf = async (bought: Bought) => (await stateOf(service, bought)).status

/** A purchase whose bank asks about it, and the inquiry. */
async function inquired(): Promise<{ bought: Bought; inquiry: payments.Dispute }> {
  const bought = await buy(service, { card: CARD.inquiry })
  await handleEvents(service.world)
  return { bought, inquiry: (await disputeOf(service, bought))! }
}

/** The same after the seller answered, which closed the inquiry. */
async function answered() {
  const { bought, inquiry } = await inquired()
  const evidence = { dispute_id: inquiry.id, statement: '' }
  await sendEvidence(service.world, await sellerActor(service), evidence)
  await handleEvents(service.world)
  return { bought, inquiry: (await disputeOf(service, bought))! }
}

async function assertSound(): Promise<void> {
  assert.deepEqual((await checkBooks(service.world)).differences, [])
}

describe('an inquiry', () => {
  test('moves no money; unanswered it becomes a dispute', async () => {
    const { bought, inquiry } = await inquired()
    assert.equal(await statusOf(bought), 'active')
    assert.equal(inquiry.status, 'inquiry')
    assert.deepEqual(await postedTotals(service, [inquiry.id]), {})
    await advanceAndHandleEvents(service, 8)
    assert.equal((await disputeOf(service, bought))?.status, 'open')
    assert.equal(await statusOf(bought), 'paused')
    assert.equal((await postedTotals(service, [inquiry.id])).dispute_costs, -1500)
  })

  test('that is answered closes, without suspending the license', async () => {
    const { bought, inquiry } = await answered()
    assert.equal(inquiry.status, 'inquiry_closed')
    assert.deepEqual(await postedTotals(service, [inquiry.id]), {})
    assert.equal(await statusOf(bought), 'active')
  })

  test('that becomes a dispute after it was closed suspends the license, and can be lost', async () => {
    const { bought, inquiry } = await answered()
    const before = await owedToSeller(service)
    service.clock.pass(DAY)
    await bankSandbox(service).appealDispute(service.clock.now(), inquiry.processor_dispute_id)
    await handleEvents(service.world)
    const dispute = await disputeOf(service, bought)
    assert.deepEqual([dispute?.status, dispute?.closed_at], ['open', null])
    assert.equal(await statusOf(bought), 'paused')
    await assertSound()
    await decideDispute(service, inquiry, 'lost')
    await assertLost(bought, before)
  })

  test('that becomes one unreported is booked as a dispute when it is lost, not as an appeal', async () => {
    const { bought, inquiry } = await answered()
    const { world, clock } = service
    const before = await owedToSeller(service)
    clock.pass(DAY)
    await bankSandbox(service).appealDispute(clock.now(), inquiry.processor_dispute_id)
    for (const { id } of await world.processor.events(clock.now())) {
      await world.processor.acknowledge(id)
    }
    await advanceAndHandleEvents(service, 8)
    await assertLost(bought, before)
  })

  test('that becomes a dispute before its end is handled suspends the license', async () => {
    const { bought, inquiry } = await inquired()
    const { world, clock } = service
    await bankSandbox(service).decideDispute(clock.now(), {
      dispute_id: inquiry.processor_dispute_id,
      outcome: 'won',
    })
    clock.pass(DAY)
    await bankSandbox(service).appealDispute(clock.now(), inquiry.processor_dispute_id)
    clock.pass(DAY)
    await handleEvents(world)
    assert.equal((await disputeOf(service, bought))?.status, 'open')
    assert.equal(await statusOf(bought), 'paused')
    await assertSound()
  })

  test('that became a dispute stays open when the report of its end as an inquiry arrives late', async () => {
    const { bought, inquiry } = await answered()
    const { world, clock } = service
    const event = {
      id: 'evt_late_end',
      kind: 'dispute_closed',
      at: inquiry.reported_at,
      dispute_id: inquiry.processor_dispute_id,
      outcome: 'won',
    } as const
    clock.pass(DAY)
    await bankSandbox(service).appealDispute(clock.now(), inquiry.processor_dispute_id)
    await handleEvents(world)
    assert.equal(await world.db.tx((tx) => disputeClosed(world, tx, event)), 'done')
    assert.equal((await disputeOf(service, bought))?.status, 'open')
    assert.equal(await statusOf(bought), 'paused')
  })

  test('stays closed when a report of what was before its end arrives late', async () => {
    const { bought, inquiry } = await answered()
    const { world } = service
    const event = {
      id: 'evt_late',
      kind: 'dispute_opened',
      at: inquiry.opened_at,
      charge_id: bought.charge.processor_charge_id,
      dispute_id: inquiry.processor_dispute_id,
      amount: inquiry.amount,
      reason: inquiry.reason,
      due_at: inquiry.due_at,
      is_inquiry: false,
    } as const
    assert.equal(await world.db.tx((tx) => disputeOpened(world, tx, event)), 'done')
    assert.deepEqual(await disputeOf(service, bought), inquiry)
  })
})

/** The seller lost the price and the cost of the dispute, and the buyer the license. */
async function assertLost(bought: Bought, before: number): Promise<void> {
  const dispute = await disputeOf(service, bought)
  assert.deepEqual([dispute?.status, dispute?.appeal], ['lost', null])
  assert.equal(await statusOf(bought), 'canceled')
  // The price, and the cost of a dispute.
  assert.equal(before - (await owedToSeller(service)), 1200 + 1500)
  await assertSound()
}
