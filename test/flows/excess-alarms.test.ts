/** How the alarms about an excess of a buyer end. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { disputeClosed } from '#flows/dispute'
import { payBuyerOtherwise } from '#flows/staff-actions'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { bankOf, decide, disputeOf, objectTo } from '../support/disputes.ts'
import {
  COMES_BACK,
  disputedAfterRefund,
  repay,
  staffWithReason,
  writeOffSeen,
} from '../support/excess.ts'
import { closeSound } from '../support/invariants.ts'
import { type Bought, buy, passAndHandle, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => closeSound(service))

/** The open alarms about the dispute of a purchase. */
async function alarmsOf(bought: Bought): Promise<string[]> {
  const dispute = await disputeOf(service, bought)
  const alarms = await openAlarms(service.world.db)
  return alarms.filter(({ subject }) => subject === dispute?.id).map(({ message }) => message)
}

/** The processor reports that the appeal was decided otherwise. */
async function reverseAgain(bought: Bought): Promise<void> {
  service.clock.pass(86_400)
  const { processor_dispute_id } = (await disputeOf(service, bought))!
  const event = {
    id: `evt_again_${processor_dispute_id}`,
    kind: 'dispute_closed',
    at: service.clock.now(),
    dispute_id: processor_dispute_id,
    outcome: 'won',
  } as const
  await service.world.db.tx((tx) => disputeClosed(service.world, tx, event))
}

describe('the alarm about a lost appeal', () => {
  test('ends when the buyer has repaid what they received in excess', async () => {
    const bought = await disputedAfterRefund(service)
    const [message, ...others] = await alarmsOf(bought)
    assert.match(message!, /\$6\.30 of it had been refunded/)
    assert.match(message!, /or the buyer to repay it, and record it in Cases/)
    assert.match(message!, /The seller’s balance was charged with \$6\.30/)
    assert.deepEqual(others, [])
    await repay(service, bought, 300)
    assert.equal((await alarmsOf(bought)).length, 1)
    await repay(service, bought, 330)
    assert.deepEqual(await alarmsOf(bought), [])
  })

  test('ends when the excess is written off', async () => {
    const bought = await disputedAfterRefund(service)
    await writeOffSeen(service, bought, 630)
    assert.deepEqual(await alarmsOf(bought), [])
  })

  test('asks for all that the buyer received in excess, and says what the seller paid', async () => {
    const bought = await buy(service, { card: COMES_BACK })
    await refund(service, bought)
    await passAndHandle(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    const dispute = await objectTo(service, bought.charge)
    await decide(service, dispute, 'won')
    service.clock.pass(86_400)
    await bankOf(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
    await handleEvents(service.world)
    const [message] = await alarmsOf(bought)
    assert.match(message!, /\$12\.60 of it had been refunded/)
    assert.match(message!, /The seller’s balance was charged with the cost only/)
    await repay(service, bought, 1260)
    assert.deepEqual(await alarmsOf(bought), [])
  })

  test('is apart from the one about a decision that is not recorded, which stays', async () => {
    const bought = await disputedAfterRefund(service)
    await reverseAgain(bought)
    const both = (await alarmsOf(bought)).sort()
    assert.match(both[0]!, /\$6\.30 of it had been refunded/)
    assert.match(both[1]!, /was won on appeal. It was already decided on appeal/)
    await repay(service, bought, 630)
    const [left, ...others] = await alarmsOf(bought)
    assert.match(left!, /It was already decided on appeal/)
    assert.deepEqual(others, [])
  })
})
