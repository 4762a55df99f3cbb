import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { reconcile } from '#flows/payment'
import { reinstateByStaff, suspendByStaff } from '#flows/staff-actions'
import { changePlan, pauseAtEnd, payOwed, quotePlanChange, renewDue } from '#flows/subscription'
import { isoDate, periodEnd } from '#platform/calendar'
import { sql } from '#platform/sql'
import { CARD } from '../support/cards.ts'
import { decideDispute, disputeCharge, latestCharge } from '../support/disputes.ts'
import { assertInvariants, assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer } from '../support/purchase.ts'
import {
  advanceAndHandleEvents,
  type Bought,
  buy,
  postedTotals,
  refund,
  refundsOf,
  staffActor,
  stateOf,
} from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400

let service: TestService
before(async () => {
  service = await openTestService()
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
const staff = async () => ({ ...(await staffActor(service)), reason: 'A look at it.' })

describe('disputes with other events', () => {
  /** One row a case: what is done to a purchase, and what its license is in the end. */
  const cases: [
    what: string,
    card: string | undefined,
    notify: (b: Bought) => Promise<void>,
    end: string,
  ][] = [
    [
      'two disputes, both won: it resumes with the second',
      undefined,
      async (bought) => {
        await pass(31)
        const latest = await latestCharge(service, bought)
        const first = await disputeCharge(service, bought.charge)
        const second = await disputeCharge(service, latest)
        await decideDispute(service, first, 'won')
        assert.equal(await statusOf(bought), 'paused')
        await decideDispute(service, second, 'won')
      },
      'active',
    ],
    [
      'two disputes, one won and one lost: it ends',
      undefined,
      async (bought) => {
        await pass(31)
        const latest = await latestCharge(service, bought)
        const first = await disputeCharge(service, bought.charge)
        const second = await disputeCharge(service, latest)
        await decideDispute(service, second, 'lost')
        assert.equal(await statusOf(bought), 'canceled')
        await decideDispute(service, first, 'won')
      },
      'canceled',
    ],
    [
      'a dispute of an older invoice that is lost, although a later one was paid',
      undefined,
      async (bought) => {
        await pass(31)
        await decideDispute(service, await disputeCharge(service, bought.charge), 'lost')
      },
      'canceled',
    ],
    [
      'a dispute of what a refund left: only that is taken, each part in proportion',
      undefined,
      async (bought) => {
        await refund(service, bought, 630)
        const dispute = await disputeCharge(service, bought.charge)
        assert.deepEqual([dispute.amount, dispute.tax], [630, 30])
        assert.equal((await postedTotals(service, [dispute.id])).seller_payable, 600 + 1500)
        await decideDispute(service, dispute, 'lost')
        assert.equal((await refund(service, bought)).outcome, 'refused')
      },
      'canceled',
    ],
    [
      'a refund after a dispute that was won',
      undefined,
      async (bought) => {
        await decideDispute(service, await disputeCharge(service, bought.charge), 'won')
        assert.equal((await refund(service, bought)).outcome, 'refunded')
      },
      'canceled',
    ],
    [
      'a refund that comes back while the rest is disputed: the buyer is owed it',
      CARD.comes_back,
      async (bought) => {
        await refund(service, bought, 260)
        const dispute = await disputeCharge(service, bought.charge)
        assert.equal(dispute.amount, 1000)
        await advanceAndHandleEvents(service, 2)
        const [given] = await refundsOf(service, bought)
        assert.equal(given?.status, 'failed')
        assert.equal((await postedTotals(service, [given.id, dispute.id])).buyer_payable, -260)
        await decideDispute(service, dispute, 'won')
      },
      'active',
    ],
    [
      'a dispute after a refund came back: the bank paid what the buyer was owed',
      CARD.comes_back,
      async (bought) => {
        await refund(service, bought, 260)
        await advanceAndHandleEvents(service, 2)
        const [given] = await refundsOf(service, bought)
        const dispute = await disputeCharge(service, bought.charge)
        assert.deepEqual([dispute.amount, dispute.owed], [1260, 260])
        const moved = await postedTotals(service, [bought.invoice_id, given!.id, dispute.id])
        assert.equal(moved.buyer_payable, undefined)
        await decideDispute(service, dispute, 'lost')
        const lost = await postedTotals(service, [bought.invoice_id, given!.id, dispute.id])
        // The fee stays but for what the refund took back of it; the sale itself is undone.
        assert.deepEqual(Object.keys(lost), ['dispute_costs', 'fees', 'seller_payable'])
      },
      'canceled',
    ],
    [
      'a dispute after a refund came back, won: the buyer is owed it again',
      CARD.comes_back,
      async (bought) => {
        await refund(service, bought, 260)
        await advanceAndHandleEvents(service, 2)
        const [given] = await refundsOf(service, bought)
        const dispute = await disputeCharge(service, bought.charge)
        await decideDispute(service, dispute, 'won')
        assert.equal((await postedTotals(service, [given!.id, dispute.id])).buyer_payable, -260)
      },
      'active',
    ],
    [
      'a license that staff suspended stays suspended when its dispute is won, until it is reinstated',
      undefined,
      async (bought) => {
        const { license_id } = bought
        await suspendByStaff(service.world, await staff(), license_id)
        const dispute = await disputeCharge(service, bought.charge)
        await decideDispute(service, dispute, 'won')
        assert.equal(await statusOf(bought), 'paused')
        await reinstateByStaff(service.world, await staff(), license_id)
      },
      'active',
    ],
    [
      'a license released by staff while it is disputed waits for the bank',
      undefined,
      async (bought) => {
        const { license_id } = bought
        const dispute = await disputeCharge(service, bought.charge)
        await suspendByStaff(service.world, await staff(), license_id)
        await reinstateByStaff(service.world, await staff(), license_id)
        assert.equal(await statusOf(bought), 'paused')
        await decideDispute(service, dispute, 'won')
      },
      'active',
    ],
    [
      'a license that owes a renewal owes it again, and the retry that was missed is due now',
      CARD.renews_on_retry_1,
      async (bought) => {
        await pass(31)
        assert.equal(await statusOf(bought), 'past_due')
        const dispute = await disputeCharge(service, bought.charge)
        await pass(3)
        await decideDispute(service, dispute, 'won')
        assert.equal(await statusOf(bought), 'past_due')
        await renew()
      },
      'active',
    ],
    [
      'a license that its owner let end is not opened again by a dispute that is won',
      undefined,
      async (bought) => {
        await refund(service, bought, 1000)
        await service.world.db.run(sql`update subscriptions set auto_renew = false
          where license_id = ${bought.license_id}`)
        await pass(32)
        assert.equal(await statusOf(bought), 'canceled')
        await decideDispute(service, await disputeCharge(service, bought.charge), 'won')
      },
      'canceled',
    ],
    [
      'a dispute of an upgrade that is lost ends what it led to',
      undefined,
      async (bought) => {
        const { license_id, user_id } = bought
        const price_id = service.demo.app.prices[2]!.public_id
        const { agreement } = (await quotePlanChange(service.world, { license_id, price_id }))!
        const facts = { license_id, agreement, return_url: 'http://localhost/' }
        const moved = await changePlan(
          service.world,
          { kind: 'buyer', user_id, request_id: 'req_1' },
          facts,
        )
        assert.equal(moved.outcome, 'paid')
        const dispute = await disputeCharge(service, await latestCharge(service, bought))
        assert.equal(await statusOf(bought), 'paused')
        await decideDispute(service, dispute, 'lost')
      },
      'canceled',
    ],
    [
      'a license that its owner paused stays so when it is disputed, and cannot be resumed meanwhile',
      undefined,
      async (bought) => {
        const { license_id, user_id } = bought
        const { client_id } = service.demo.app
        await apps.setAllowsPause(service.world.db, client_id, true)
        const owner = { kind: 'buyer' as const, user_id, request_id: 'req_1' }
        await pauseAtEnd(service.world, owner, { license_id, to: 'on' })
        await pass(32)
        const dispute = await disputeCharge(service, bought.charge)
        const resuming = {
          license_id,
          requested_by: 'buyer' as const,
          return_url: 'http://localhost/',
        }
        assert.equal((await payOwed(service.world, resuming)).outcome, 'nothing_owed')
        await decideDispute(service, dispute, 'won')
        assert.equal(await statusOf(bought), 'paused')
        assert.equal((await payOwed(service.world, resuming)).outcome, 'paid')
      },
      'active',
    ],
    [
      'a license that is disputed while its owner ends their pause stays suspended, as paid',
      undefined,
      async (bought) => {
        const { license_id, user_id } = bought
        await apps.setAllowsPause(service.world.db, service.demo.app.client_id, true)
        const owner = { kind: 'buyer' as const, user_id, request_id: 'req_1' }
        await pauseAtEnd(service.world, owner, { license_id, to: 'on' })
        await pass(32)
        await service.world.db.run(sql`update sandbox.cards set behavior = 'challenges_always'
          where token in (select token from cards where user_id = ${user_id})`)
        const requested_by = 'buyer' as const
        const resuming = { license_id, requested_by, return_url: 'http://localhost/' }
        const asked = await payOwed(service.world, resuming)
        assert.ok(asked.outcome === 'action_required')
        const dispute = await disputeCharge(service, bought.charge)
        const agent = buyer(service)
        await agent.open(asked.action_url)
        await agent.submit('Complete authentication').catch(() => undefined)
        service.clock.pass(30)
        await reconcile(service.world)
        const { status, period_end } = await stateOf(service, bought)
        const end = isoDate(periodEnd(service.clock.now(), 'month', 1))
        assert.deepEqual([status, period_end], ['paused', end])
        await pass(1)
        await decideDispute(service, dispute, 'won')
      },
      'active',
    ],
  ]
  for (const [what, card, notify, end] of cases) {
    test(what, async () => {
      const bought = await buy(service, card === undefined ? {} : { card })
      await notify(bought)
      assert.equal(await statusOf(bought), end)
      await assertInvariants(service)
    })
  }
})
