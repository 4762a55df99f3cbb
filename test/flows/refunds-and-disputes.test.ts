import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import type { World } from '#flows/world'
import { cents } from '#platform/money'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import {
  bankSandbox,
  decideDispute,
  disputeCharge,
  disputeOf,
  owedToSeller,
} from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { type Bought, buy, postedTotals, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const PENNSYLVANIA = { country: 'US', zip: '19103' }

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/** The bank reverses its decision of a dispute, and the service handles the event. */
async function appeal({ processor_dispute_id }: payments.Dispute): Promise<void> {
  service.clock.pass(DAY)
  await bankSandbox(service).appealDispute(service.clock.now(), processor_dispute_id)
  await handleEvents(service.world)
}

async function assertBooks(): Promise<void> {
  const { differences } = await checkBooks(service.world)
  assert.deepEqual(differences, [])
}

/** The service while some events do not arrive. */
function withoutEvents(isMissing: (event: payments.ProcessorEvent) => boolean): World {
  const { processor, ...world } = service.world
  const events = async (now: Date) =>
    (await processor.events(now)).filter((event) => !isMissing(event))
  return { ...world, processor: { ...processor, events } }
}

/** A purchase whose dispute was won, and of which some cents were refunded since. */
async function refundedSince(amount?: number): Promise<Bought & { dispute: payments.Dispute }> {
  const bought = await buy(service)
  const dispute = await disputeCharge(service, bought.charge)
  await decideDispute(service, dispute, 'won')
  assert.equal((await refund(service, bought, amount)).outcome, 'refunded')
  return { ...bought, dispute }
}

describe('a dispute that is lost on appeal after a refund', () => {
  test('takes only what the refund left; the service bears the rest, and notifies staff', async () => {
    const { dispute, charge, ...bought } = await refundedSince(630)
    const before = await owedToSeller(service)
    await appeal(dispute)
    const appealed = (await disputeOf(service, { ...bought, charge }))!
    assert.deepEqual(
      [appealed.status, appealed.amount, appealed.owed, appealed.tax],
      ['lost', 1260, 630, 30],
    )
    assert.equal(before - (await owedToSeller(service)), 600 + 1500)
    const moved = await postedTotals(service, [dispute.id])
    assert.deepEqual([moved.processor, moved.buyer_payable], [-1260, 630])
    const alarms = await openAlarms(service.world.db)
    assert.ok(alarms.some(({ message }) => /\$6\.30 of it had been refunded/.test(message)))
    await assertBooks()
  })

  test('takes nothing from the seller but the cost where everything was refunded', async () => {
    const { dispute } = await refundedSince()
    const before = await owedToSeller(service)
    await appeal(dispute)
    assert.equal(before - (await owedToSeller(service)), 1500)
    await assertBooks()
  })
})

test('what one moment books is listed in the order in which it was booked', async () => {
  for (let sale = 0; sale < 4; sale++) {
    const bought = await buy(service)
    const dispute = await disputeCharge(service, bought.charge)
    await decideDispute(service, dispute, 'won')
    await appeal(dispute)
    const entries = await ledger.entriesOf(service.world.db, [bought.invoice_id, dispute.id])
    const events = entries.map(({ event }) => event)
    assert.deepEqual(
      events.filter((event, index) => event !== events[index - 1]),
      ['sale', 'dispute_opened', 'dispute_won', 'appeal_opened', 'dispute_lost'],
    )
    const positions = entries
      .filter(({ event }) => event === 'sale')
      .map(({ position }) => position)
    assert.deepEqual(positions, [...positions].sort())
  }
})

test('an inquiry that is lost, but never became a dispute here, takes what refunds left', async () => {
  const bought = await buy(service)
  await disputeCharge(service, bought.charge, { is_inquiry: true })
  assert.equal((await refund(service, bought, 630)).outcome, 'refunded')
  service.clock.pass(7 * DAY)
  const { processor } = service.world
  for (const { id, kind } of await processor.events(service.clock.now())) {
    if (kind === 'dispute_opened') await processor.acknowledge(id)
  }
  service.clock.pass(7 * DAY)
  await handleEvents(service.world)
  const dispute = (await disputeOf(service, bought))!
  assert.deepEqual([dispute.status, dispute.amount, dispute.tax], ['lost', 630, 30])
  await assertBooks()
})

test('a refund that is reported during a dispute that is won counts with the refunds after it', async () => {
  const bought = await buy(service, { address: PENNSYLVANIA })
  const charge_id = bought.charge.processor_charge_id
  await bankSandbox(service).refundOutside(service.clock.now(), { charge_id, amount: cents(53) })
  const isRefund = ({ kind }: payments.ProcessorEvent) => kind === 'refund_made'
  const deaf = { ...service, world: withoutEvents(isRefund) }
  await bankSandbox(service).disputeCharge(service.clock.now(), { charge_id, reason: 'fraudulent' })
  await handleEvents(deaf.world)
  await handleEvents(service.world)
  await decideDispute(service, (await disputeOf(service, bought))!, 'won')
  const refunds = await payments.refundsOf(service.world.db, bought.charge.id)
  assert.deepEqual(
    refunds.map(({ amount, fee }) => [amount, fee]),
    [[53, 2]],
  )
  await assertBooks()
  assert.equal((await refund(service, bought, 1)).outcome, 'refunded')
  assert.equal((await refund(service, bought)).outcome, 'refunded')
  await assertBooks()
})
