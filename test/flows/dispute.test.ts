import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RefundAnswer } from '#domain/payments'
import * as payments from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import { assembleEvidence, disputeClosed, sendEvidence } from '#flows/dispute'
import { payOut } from '#flows/pay-out'
import { recordUses } from '#flows/record-uses'
import { reconcileRefunds } from '#flows/refund'
import { renewDue } from '#flows/subscription'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase } from '../support/database.ts'
import {
  bankSandbox,
  decideDispute,
  disputeCharge,
  disputeOf,
  latestCharge,
  owedToSeller,
} from '../support/disputes.ts'
import { assertInvariants, assertInvariantsAndClose } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import {
  advanceAndHandleEvents,
  type Bought,
  buy,
  postedTotals,
  refund,
  refundsOf,
  sellerActor,
  stateOf,
  subscriptionOf,
} from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400

let service: TestService
before(async () => {
  service = await openTestService({ db: killableDatabase(await openTestDatabase()) })
})
after(() => assertInvariantsAndClose(service))

const renew = async () => {
  while ((await renewDue(service.world)) > 0);
}
const pass = async (days: number) => {
  service.clock.pass(days * DAY)
  await renew()
}
const statusOf = async (bought: Bought) => (await stateOf(service, bought)).status

describe('a dispute', () => {
  test('suspends the license at once and debits the price and $15 from the seller', async () => {
    const before = await owedToSeller(service)
    const bought = await buy(service, { card: CARD.fraudulent })
    assert.equal(await statusOf(bought), 'active')
    await handleEvents(service.world)
    const state = await stateOf(service, bought)
    assert.deepEqual([state.status, state.entitled], ['paused', false])
    assert.equal((await subscriptionOf(service, bought.license_id))?.next_at, null)
    const dispute = (await disputeOf(service, bought))!
    assert.equal(dispute.status, 'open')
    assert.equal(dispute.reason, 'fraudulent')
    assert.deepEqual(await postedTotals(service, [dispute.id]), {
      dispute_costs: -1500,
      dispute_hold: -1200,
      disputes_open: 1260,
      processor: -1260,
      seller_payable: 2700,
    })
    // The sale brought $10.90 of $12.00.
    assert.equal(await owedToSeller(service), before + 1090 - 2700)
    assert.deepEqual(await refund(service, bought), { outcome: 'refused', refusal: 'disputed' })
    const emails = await service.world.db.rows(sql`select id from emails
      where kind = 'dispute_opened' and subject_id = ${dispute.id}`)
    assert.equal(emails.length, 1)
  })

  test('that is won returns everything, and the same key works again', async () => {
    const bought = await buy(service, { card: CARD.fraudulent })
    await handleEvents(service.world)
    const dispute = (await disputeOf(service, bought))!
    const facts = { dispute_id: dispute.id, statement: 'winning_evidence' }
    assert.equal(await sendEvidence(service.world, await sellerActor(service), facts), 'sent')
    await handleEvents(service.world)
    const state = await stateOf(service, bought)
    assert.deepEqual([state.status, state.entitled], ['active', true])
    assert.deepEqual(await postedTotals(service, [dispute.id]), {})
    const subscription = (await subscriptionOf(service, bought.license_id))!
    assert.deepEqual(subscription.next_at, subscription.period_end)
    assert.equal(await sendEvidence(service.world, await sellerActor(service), facts), 'closed')
    const history = await service.world.db.rows(sql`select from_status, to_status, trigger
      from license_history where license_id = ${bought.license_id} order by id`)
    assert.deepEqual(history, [
      { from_status: null, to_status: 'active', trigger: 'purchase' },
      { from_status: 'active', to_status: 'paused', trigger: 'disputed' },
      { from_status: 'paused', to_status: 'active', trigger: 'resumed' },
    ])
  })

  test('without evidence is lost: the license is canceled, the tax is not due, and the cost is kept', async () => {
    const bought = await buy(service, { card: CARD.not_received })
    await handleEvents(service.world)
    await advanceAndHandleEvents(service, 8)
    assert.equal(await statusOf(bought), 'canceled')
    const dispute = (await disputeOf(service, bought))!
    assert.equal(dispute.status, 'lost')
    assert.deepEqual(await postedTotals(service, [bought.invoice_id, dispute.id]), {
      dispute_costs: -1500,
      fees: -110,
      seller_payable: 1610,
    })
    assert.deepEqual(await refund(service, bought), { outcome: 'refused', refusal: 'nothing_left' })
    const seller = await signedIn(service, service.demo.seller)
    await seller.open(`/dashboard/apps/tidepool/sales/${bought.invoice_id}/refund`)
    assert.match(seller.text, /Nothing is left to refund\. .* refunded or lost in a dispute\./)
    assert.ok((await subscriptionOf(service, bought.license_id))?.ended_at)
  })

  // M6
  test('that was won and is lost on appeal debits the money again and ends the license', async () => {
    const bought = await buy(service)
    const before = await owedToSeller(service)
    const opened = await disputeCharge(service, bought.charge)
    const withdrawn = before - (await owedToSeller(service))
    await decideDispute(service, opened, 'won')
    assert.equal(await owedToSeller(service), before)
    service.clock.pass(DAY)
    await bankSandbox(service).appealDispute(service.clock.now(), opened.processor_dispute_id)
    await handleEvents(service.world)
    const dispute = await disputeOf(service, bought)
    assert.deepEqual([dispute?.status, dispute?.appeal], ['lost', 'lost'])
    assert.equal(await owedToSeller(service), before - withdrawn)
    assert.equal(await statusOf(bought), 'canceled')
    const alarms = await openAlarms(service.world.db)
    assert.ok(alarms.some(({ message }) => message.includes('was lost on appeal')))
    const { differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
  })

  // M6
  test('that was lost and is won on appeal returns the money; the license stays canceled', async () => {
    const bought = await buy(service)
    const before = await owedToSeller(service)
    const opened = await disputeCharge(service, bought.charge)
    await decideDispute(service, opened, 'lost')
    service.clock.pass(DAY)
    await bankSandbox(service).appealDispute(service.clock.now(), opened.processor_dispute_id)
    await handleEvents(service.world)
    assert.equal(await owedToSeller(service), before)
    assert.equal(await statusOf(bought), 'canceled')
    const { differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
  })

  // M6
  for (const first of ['won', 'lost'] as const) {
    test(`that is ${first} again after an appeal books nothing and alerts staff`, async () => {
      const bought = await buy(service)
      const opened = await disputeCharge(service, bought.charge)
      await decideDispute(service, opened, first)
      service.clock.pass(DAY)
      await bankSandbox(service).appealDispute(service.clock.now(), opened.processor_dispute_id)
      await handleEvents(service.world)
      const owed = await owedToSeller(service)
      const before = await disputeOf(service, bought)
      service.clock.pass(DAY)
      const event = {
        id: `evt_again_${first}`,
        kind: 'dispute_closed',
        at: service.clock.now(),
        dispute_id: opened.processor_dispute_id,
        outcome: first,
      } as const
      const result = await service.world.db.tx((tx) => disputeClosed(service.world, tx, event))
      assert.equal(result, 'done')
      assert.deepEqual(await disputeOf(service, bought), before)
      assert.equal(await owedToSeller(service), owed)
      const expected = /already decided on appeal, so it is not recorded\. Resolve it manually/
      const alarms = await openAlarms(service.world.db)
      assert.ok(alarms.some(({ message }) => message.includes(opened.id) && expected.test(message)))
      const { differences } = await checkBooks(service.world)
      assert.deepEqual(differences, [])
    })
  }

  test('stops renewals while it is open; what was due is charged when it is won', async () => {
    const bought = await buy(service)
    const dispute = await disputeCharge(service, bought.charge)
    await pass(40)
    assert.equal((await latestCharge(service, bought)).id, bought.charge.id)
    const won = await buy(service)
    const other = await disputeCharge(service, won.charge)
    service.clock.pass(5 * DAY)
    await decideDispute(service, other, 'won')
    assert.equal(await statusOf(won), 'active')
    // The first was lost by its due date, without a response.
    assert.equal((await payments.disputesOf(service.world.db, bought.charge.id))[0]?.status, 'lost')
    assert.equal(dispute.status, 'open')
    await pass(27)
    assert.notEqual((await latestCharge(service, won)).id, won.charge.id)
  })

  test('a negative balance is carried over and blocks payouts until sales exceed it', async () => {
    const bought = await buy(service, { price: 2 })
    await handleEvents(service.world)
    const owed_before = await owedToSeller(service)
    const dispute = await disputeCharge(service, bought.charge)
    assert.equal(await owedToSeller(service), owed_before - 18_000 - 1500)
    const { seller_id } = await service.world.db.one<{ seller_id: SellerId }>(
      sql`select seller_id from apps where slug = 'tidepool'`,
    )
    const payee = {
      owner: seller_id,
      account: 'seller_payable' as const,
      cause: 'request' as const,
    }
    const paid = await payOut(service.world, payee)
    assert.ok(paid.outcome === 'too_little' || paid.outcome === 'no_bank')
    assert.equal(await statusOf(bought), 'paused')
    await decideDispute(service, dispute, 'won')
    assert.equal(await statusOf(bought), 'one_time_active')
    assert.equal(await owedToSeller(service), owed_before)
  })
})

describe('events of the processor', () => {
  test('about a charge that is not on the books yet wait, and are processed again', async () => {
    const event = {
      kind: 'dispute_closed' as const,
      dispute_id: 'dp_unknown',
      outcome: 'won' as const,
      id: 'evt_early',
      at: service.clock.now(),
    }
    const { processor } = service.world
    const world = { ...service.world, processor: { ...processor, events: async () => [event] } }
    assert.equal(await handleEvents(world), 0)
    const { db } = service.world
    assert.deepEqual(await db.rows(sql`select id from processor_events where id = 'evt_early'`), [])
  })

  test('are processed once, however often and by however many workers they are delivered', async () => {
    const bought = await buy(service, { card: CARD.fraudulent })
    const { processor } = service.world
    const event = await processor.events(service.clock.now())
    const forgetful = { ...processor, events: async () => event, acknowledge: async () => {} }
    const world = { ...service.world, processor: forgetful }
    await Promise.all([handleEvents(world), handleEvents(world)])
    await handleEvents(world)
    await handleEvents(service.world)
    const dispute = (await disputeOf(service, bought))!
    assert.equal((await postedTotals(service, [dispute.id])).dispute_costs, -1500)
    assert.deepEqual(await processor.events(service.clock.now()), [])
  })

  test('are processed completely or not at all, wherever the process is killed', async () => {
    for (const outcome of ['won', 'lost'] as const) {
      for (let last = 1, killed = true; killed; last += 3) {
        const bought = await buy(service, { card: CARD.fraudulent })
        ;({ killed } = await untilKilled(last, () => handleEvents(service.world)))
        await handleEvents(service.world)
        assert.equal(await statusOf(bought), 'paused')
        const { processor_dispute_id: dispute_id } = (await disputeOf(service, bought))!
        await bankSandbox(service).decideDispute(service.clock.now(), { dispute_id, outcome })
        await untilKilled(last, () => handleEvents(service.world))
        await handleEvents(service.world)
        assert.equal(await statusOf(bought), outcome === 'won' ? 'active' : 'canceled')
      }
    }
    await assertInvariants(service)
  })

  test('wait while a refund of the same charge is open', async () => {
    const bought = await buy(service)
    const { world } = service
    const unanswered = async (): Promise<RefundAnswer> => {
      throw new payments.ProcessorUnreachable('the network is down')
    }
    const deaf = {
      ...service,
      world: { ...world, processor: { ...world.processor, refund: unanswered } },
    }
    assert.equal((await refund(deaf, bought, 300)).outcome, 'processing')
    await disputeCharge(service, bought.charge)
    assert.equal(await disputeOf(service, bought), undefined)
    assert.equal(await statusOf(bought), 'active')
    service.clock.pass(5)
    await reconcileRefunds(world)
    // The processor refuses to give back what is disputed, and then the dispute is booked whole.
    assert.equal((await refundsOf(service, bought))[0]?.status, 'refused')
    await handleEvents(world)
    assert.equal((await disputeOf(service, bought))?.amount, 1260)
    assert.equal(await statusOf(bought), 'paused')
  })
})

test('evidence lists what the buyer did, with networks and without full IP addresses', async () => {
  const bought = await buy(service, { card: CARD.not_received })
  for (let time = 0; time < 3; time++) await stateOf(service, bought)
  await recordUses(service.world)
  await stateOf(service, bought)
  await recordUses(service.world)
  await handleEvents(service.world)
  const dispute = (await disputeOf(service, bought))!
  const evidence = await assembleEvidence(service.world, dispute.id, 'They wrote to us.')
  assert.equal(evidence.customer_email_address, bought.email)
  assert.equal(evidence.uncategorized_text, 'They wrote to us.')
  const log = evidence.access_activity_log
  assert.match(log, /^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}The buyer confirmed the order/m)
  assert.match(log, /The license key was shown to the buyer \(network 10\.0\.\d+\.\*\)\.$/m)
  assert.match(
    log,
    /The server of the app checked the license key, 4 times \(network 127\.0\.0\.\*\)/,
  )
  const { legal_name } = service.world.config.operator
  assert.ok(evidence.receipt.includes(` of ${legal_name}, merchant of record\n`))
  assert.match(evidence.receipt, /Total: \$12\.60, paid with Visa ending in 2685$/)
  assert.match(evidence.refund_policy_disclosure, /\/refunds\//)
  const text = JSON.stringify(evidence)
  assert.ok(!/\b\d+\.\d+\.\d+\.\d+\b/.test(text), 'no whole address')
  assert.ok(!text.includes(bought.license_key))
})
