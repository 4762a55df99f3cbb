/** How the alarms about an excess of a buyer end. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import { disputeClosed } from '#flows/dispute'
import { payBuyerOtherwise } from '#flows/staff-actions'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { CARD } from '../support/cards.ts'
import {
  bankSandbox,
  decideDispute,
  disputeCharge,
  disputeOf,
  latestCharge,
  owedToSeller,
} from '../support/disputes.ts'
import {
  buyAndRefundTwice,
  disputedAfterRefund,
  refundOutside,
  repay,
  returnRefund,
  staffWithReason,
  writeOffSeen,
} from '../support/excess.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { advanceAndHandleEvents, type Bought, buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { runDue } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/** The open alarms about a refund or a dispute. */
async function alarmsAbout(about: string | undefined): Promise<string[]> {
  const alarms = await openAlarms(service.world.db)
  return alarms.filter(({ subject }) => subject === about).map(({ message }) => message)
}

/** The open alarms about the dispute of a purchase. */
async function alarmsOf(bought: Bought): Promise<string[]> {
  return await alarmsAbout((await disputeOf(service, bought))?.id)
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
  test('ends when the card returns the refund that made it an excess', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    const dispute = await disputeCharge(service, bought.charge)
    await decideDispute(service, dispute, 'won')
    await refund(service, bought, 630)
    await bankSandbox(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
    await handleEvents(service.world)
    assert.equal((await alarmsOf(bought)).length, 1)
    await advanceAndHandleEvents(service, 2)
    assert.deepEqual(await alarmsOf(bought), [])
  })

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
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    const dispute = await disputeCharge(service, bought.charge)
    await decideDispute(service, dispute, 'won')
    service.clock.pass(86_400)
    await bankSandbox(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
    await handleEvents(service.world)
    const [message] = await alarmsOf(bought)
    assert.match(message!, /\$12\.60 of it had been refunded/)
    assert.match(message!, /The seller’s balance was charged with the cost only/)
    await repay(service, bought, 1260)
    assert.deepEqual(await alarmsOf(bought), [])
  })

  test('stays if it gave no excess, whatever the buyer repays of another charge', async () => {
    const first = await buy(service, { card: CARD.comes_back })
    await advanceAndHandleEvents(service, 31)
    await runDue(service)
    const { id: invoice_id } = (await billing.lastPaidInvoice(service.world.db, first.license_id))!
    const renewal = { ...first, invoice_id, charge: await latestCharge(service, first) }
    await refund(service, renewal, 300)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), first)
    const dispute = await disputeCharge(service, first.charge)
    await decideDispute(service, dispute, 'won')
    await refund(service, first, 630)
    await advanceAndHandleEvents(service, 2)
    await bankSandbox(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
    await handleEvents(service.world)
    const before = await alarmsOf(first)
    assert.match(before[0]!, /was lost on appeal\. The seller’s balance was charged with \$6\.30/)
    await refundOutside(service, renewal, 1260)
    await repay(service, renewal, 300)
    assert.deepEqual(await alarmsOf(first), before)
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

describe('the alarm about an appeal that was won', () => {
  /** A disputed purchase of $12.60, of which some cents were refunded and returned before. */
  async function lostOf(amount: number, { isPaid = true } = {}) {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought, amount)
    await advanceAndHandleEvents(service, 2)
    const staff = await staffWithReason(service)
    if (isPaid) assert.equal(await payBuyerOtherwise(service.world, staff, bought), amount)
    await decideDispute(service, await disputeCharge(service, bought.charge), 'lost')
    return bought
  }

  /** The alarm, and what the seller got back. */
  async function winOf(bought: Bought): Promise<[message: string | undefined, returned: number]> {
    const before = await owedToSeller(service)
    const { processor_dispute_id } = (await disputeOf(service, bought))!
    service.clock.pass(86_400)
    await bankSandbox(service).appealDispute(service.clock.now(), processor_dispute_id)
    await handleEvents(service.world)
    return [(await alarmsOf(bought))[0], (await owedToSeller(service)) - before]
  }

  test('says that the money was returned to Purser if all of it had been refunded', async () => {
    const [message, returned] = await winOf(await lostOf(1260))
    assert.equal(returned, 1500)
    assert.match(
      message!,
      /\$12\.60 was won on appeal\. \$12\.60 of it had been refunded and was returned to Purser\./,
    )
    assert.match(
      message!,
      /The seller’s balance was credited with the cost only\. The license stays/,
    )
    assert.doesNotMatch(message!, /is owed/)
  })

  test('says how much of it was returned to the seller if a part had been refunded', async () => {
    const [message, returned] = await winOf(await lostOf(630))
    assert.equal(returned, 600 + 1500)
    assert.match(message!, /\$6\.30 of it had been refunded and was returned to Purser\./)
    assert.match(message!, /The seller’s balance was credited with \$6\.30 of it and the cost\./)
  })

  test('names what the buyer is owed, as they had repaid it or it was never paid', async () => {
    const repaid = await lostOf(1260)
    await repay(service, repaid, 260)
    assert.match(
      (await winOf(repaid))[0]!,
      /The buyer is owed \$2\.60: pay it, and record it in Cases/,
    )
    const unpaid = await lostOf(630, { isPaid: false })
    assert.match((await winOf(unpaid))[0]!, /The buyer is owed \$6\.30: pay it/)
  })

  test('says that the money was returned to the seller if nothing had been refunded', async () => {
    const bought = await buy(service)
    await decideDispute(service, await disputeCharge(service, bought.charge), 'lost')
    const [message] = await winOf(bought)
    assert.match(message!, /The money was returned to the seller\. The license stays canceled\.$/)
  })
})

describe('the alarm about a refund in excess', () => {
  test('ends when the card returns that refund, and asks for another one as before', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const other = await refundOutside(service, bought, 300)
    const before = await alarmsAbout(other)
    assert.match(before[0]!, /Ask the buyer to return it/)
    await returnRefund(service, bought)
    assert.deepEqual(await alarmsAbout(bought.refund_id), [])
    assert.deepEqual(await alarmsAbout(other), before)
    await repay(service, bought, 300)
    assert.deepEqual(await alarmsAbout(other), [])
  })

  test('ends when the card returns another refund, and nothing is left to repay', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const other = await refundOutside(service, bought, 300)
    await repay(service, bought, 500)
    assert.equal((await alarmsAbout(other)).length, 1)
    await returnRefund(service, { ...bought, refund_id: other })
    assert.deepEqual(await alarmsAbout(bought.refund_id), [])
  })

  test('is apart from the one that the same refund is one of the sale too', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought, 400)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    const refund_id = await refundOutside(service, bought, 1260)
    const [of_sale, in_excess] = (await alarmsAbout(refund_id)).sort((a) =>
      /Ask the buyer/.test(a) ? 1 : -1,
    )
    assert.match(of_sale!, /^\$12\.60 was refunded .* \$8\.60 of it is recorded like other/)
    assert.match(in_excess!, /^\$12\.60 was refunded .* \$4\.00 of it exceeds what was left/)
    await repay(service, bought, 400)
    assert.deepEqual(await alarmsAbout(refund_id), [of_sale])
    await returnRefund(service, { ...bought, refund_id })
    assert.deepEqual(await alarmsAbout(refund_id), [])
  })

  test('that settled a returned one ends when it is returned too', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought, 400)
    await advanceAndHandleEvents(service, 2)
    const refund_id = await refundOutside(service, bought, 400)
    assert.match((await alarmsAbout(refund_id))[0]!, /the buyer is no longer owed it/)
    await returnRefund(service, { ...bought, refund_id })
    assert.deepEqual(await alarmsAbout(refund_id), [])
  })

  test('ends when the buyer is owed as much of another charge', async () => {
    const first = await buy(service, { card: CARD.comes_back })
    await refund(service, first, 300)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), first)
    await advanceAndHandleEvents(service, 31)
    await runDue(service)
    const { id: invoice_id } = (await billing.lastPaidInvoice(service.world.db, first.license_id))!
    const refund_id = await refundOutside(service, first, 1260)
    const isAsked = async () => (await alarmsAbout(refund_id)).some((text) => /Ask/.test(text))
    assert.ok(await isAsked())
    await refund(service, { invoice_id }, 400)
    await advanceAndHandleEvents(service, 2)
    assert.ok(!(await isAsked()))
    const staff = await staffWithReason(service)
    assert.equal(await payBuyerOtherwise(service.world, staff, first), 100)
  })

  test('is not raised if it only reduces what the buyer is owed of another charge', async () => {
    const first = await buy(service, { card: CARD.comes_back })
    await refund(service, first, 300)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), first)
    await advanceAndHandleEvents(service, 31)
    await runDue(service)
    const { id: invoice_id } = (await billing.lastPaidInvoice(service.world.db, first.license_id))!
    await refund(service, { invoice_id }, 400)
    await advanceAndHandleEvents(service, 2)
    const refund_id = await refundOutside(service, first, 1260)
    const alarms = (await alarmsAbout(refund_id)).join(' ')
    assert.match(alarms, /\$3\.00 of it exceeds .* It is deducted from what they are owed/)
    assert.doesNotMatch(alarms, /Ask the buyer/)
  })
})
