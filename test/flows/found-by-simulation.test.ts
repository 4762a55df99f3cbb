import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as payments from '#domain/payments'
import { payOut } from '#flows/pay-out'
import { payBuyerOtherwise, reinstateByStaff, suspendByStaff } from '#flows/staff-actions'
import { changePlan, quotePlanChange, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { isoDate } from '#platform/calendar'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { CARD } from '../support/cards.ts'
import { ManualClock } from '../support/clock.ts'
import { testId } from '../support/ids.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { BANKS, payeeOf, sell, withBank } from '../support/payees.ts'
import {
  advanceAndHandleEvents,
  buy,
  postedTotals,
  refund,
  staffActor,
} from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  DAY,
  invoicesOf,
  otherApp,
  passDays,
  runDue,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
let bank: Sandbox
let isLost = false
before(async () => {
  // The 31st of January: a month later there is none.
  const clock = new ManualClock('2027-01-30T09:30:00Z')
  service = await openTestService({ clock, processor: withFates })
})
after(() => assertInvariantsAndClose(service))

function withFates(sandbox: Sandbox): World['processor'] {
  bank = sandbox
  return {
    ...sandbox,
    async payOut(now, request) {
      const answer = await sandbox.payOut(now, request)
      if (isLost) throw new payments.ProcessorUnreachable('the answer is lost')
      return answer
    },
  }
}

const staff = async () => ({ ...(await staffActor(service)), reason: 'A look at it.' })

test('a new plan begins at the end of the old one, even if it is paid late', async () => {
  const app = await otherApp(service, { frequency: 'year', amount: cents(90_000) })
  const monthly = testId('prc_monthly000000000000000')
  await service.world.db.run(sql`insert into prices (id, product_id, amount, frequency, created_at)
    values (${monthly}, ${app.product_id}, 1200, 'month', ${service.clock.now()})`)
  const subscriber = await subscribe(service, { app })
  const { license_id, user_id } = subscriber
  const quote = (await quotePlanChange(service.world, { license_id, price_id: monthly }))!
  const agreed = { license_id, agreement: quote.agreement, return_url: 'http://localhost/' }
  const moved = await changePlan(
    service.world,
    { kind: 'buyer', user_id, request_id: 'req_test' },
    agreed,
  )
  assert.equal(moved.outcome, 'scheduled')
  // The service is down until the first ten days of the new plan have passed unpaid.
  service.clock.pass(375 * DAY)
  await runDue(service)
  await passDays(service, 30)
  const days = (await invoicesOf(service, subscriber)).map(({ period_start, period_end }) => {
    return [isoDate(period_start), isoDate(period_end!)]
  })
  assert.deepEqual(days, [
    ['2027-01-30', '2028-01-30'],
    ['2028-01-30', '2028-02-29'],
    ['2028-02-29', '2028-03-30'],
  ])
})

test('a license whose auto-renew was turned off while suspended is not charged afterwards', async () => {
  const app = await otherApp(service, { frequency: 'week', amount: cents(1200) })
  const subscriber = await subscribe(service, { app, card: CARD.renews_on_retry_1 })
  const { license_id, user_id } = subscriber
  await passDays(service, 7)
  assert.equal((await stateOf(service, subscriber)).status, 'past_due')
  await suspendByStaff(service.world, await staff(), license_id)
  const off = { license_id, to: 'off' } as const
  assert.ok(
    await setAutoRenew(service.world, { kind: 'buyer', user_id, request_id: 'req_test' }, off),
  )
  await reinstateByStaff(service.world, await staff(), license_id)
  await passDays(service, 2)
  assert.equal((await stateOf(service, subscriber)).status, 'canceled')
  assert.equal((await invoicesOf(service, subscriber)).length, 1)
})

test('a payout that failed is owed again, even if the answer with its ID was lost twice', async () => {
  const seller = await payeeOf(service, 'seller')
  await withBank(service, 'seller', BANKS.closed)
  await sell(service)
  service.clock.pass(7 * DAY)
  isLost = true
  const requested = await payOut(service.world, { ...seller, cause: 'request' })
  assert.equal(requested.outcome, 'processing')
  service.clock.pass(DAY)
  await handleEvents(service.world)
  isLost = false
  await handleEvents(service.world)
  const payouts = sql`select status from payouts where owner = ${seller.owner}`
  assert.deepEqual(await service.world.db.rows(payouts), [{ status: 'failed' }])
})

test('an inquiry that arrives after a refund is processed', async () => {
  const bought = await buy(service)
  const { processor_charge_id: charge_id, id } = bought.charge
  const scenario = { charge_id, reason: 'general' as const, is_inquiry: true }
  await bank.disputeCharge(service.clock.now(), scenario)
  assert.equal((await refund(service, bought, 1000)).outcome, 'refunded')
  await handleEvents(service.world)
  const [inquiry] = await payments.disputesOf(service.world.db, id)
  assert.equal(inquiry?.status, 'inquiry')
  await advanceAndHandleEvents(service, 7)
  const [dispute] = await payments.disputesOf(service.world.db, id)
  assert.deepEqual([dispute?.status, dispute?.amount, dispute?.owed], ['open', 260, 0])
})

test('a dispute of more than the remaining amount is divided between the buyer and the service', async () => {
  const bought = await buy(service, { card: CARD.comes_back })
  await refund(service, bought, 260)
  await advanceAndHandleEvents(service, 1)
  assert.equal(await payBuyerOtherwise(service.world, await staff(), bought), 260)
  const { processor_charge_id: charge_id, id } = bought.charge
  await bank.disputeCharge(service.clock.now(), { charge_id, reason: 'fraudulent' })
  await handleEvents(service.world)
  const [dispute] = await payments.disputesOf(service.world.db, id)
  assert.deepEqual([dispute?.status, dispute?.amount, dispute?.owed], ['open', 1260, 260])
  const moved = await postedTotals(service, [dispute!.id])
  assert.deepEqual([moved.processor, moved.buyer_payable, moved.disputes_open], [-1260, 260, 1000])
})
