import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { allowPauses } from '#flows/integration'
import { latestOutcome, reconcile } from '#flows/payment'
import {
  cancelPlanChange,
  changeCard,
  changePlan,
  nextCharge,
  pauseAtEnd,
  payOwed,
  quotePlanChange,
  setAutoRenew,
} from '#flows/subscription'
import { isoDate, periodEnd } from '#platform/calendar'
import type { CardId, InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { changePrice } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { sellerActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  buyerActor,
  DAY,
  invoicesOf,
  passDays,
  runDue,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const return_url = 'http://localhost/manage'
const price = (index: number) => service.demo.app.prices[index]!.public_id

/** A card as the processor's page would hand it over. */
async function enterNewCard(number: string): Promise<payments.Card> {
  const other = await subscribe(service, { card: number })
  const { id } = await service.world.db.one<{ id: CardId }>(
    sql`select id from cards where user_id = ${other.user_id}`,
  )
  return await payments.getCard(service.world.db, id)
}

describe('an upgrade', () => {
  test('charges exactly the shown cents, and the same key has the new plan at once', async () => {
    const subscriber = await subscribe(service)
    service.clock.pass(10 * DAY)
    const before = await stateOf(service, subscriber)
    const { quote, moved } = await changePlanTo(service, subscriber, price(2))
    assert.equal(moved.outcome, 'paid')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, quote.total])
    const state = await stateOf(service, subscriber)
    assert.deepEqual([state.status, state.period_end], ['one_time_active', null])
    assert.notEqual(state.product_id, before.product_id)
    const [, invoice] = await invoicesOf(service, subscriber)
    assert.equal(invoice!.amount + invoice!.credit, 18_000)
    await passDays(service, 60)
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 2)
  })

  test('changes nothing if its charge is declined', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    const card = await enterNewCard(CARD.never_renews)
    await changeCard(service.world, buyerActor(subscriber), { license_id, card, return_url })
    await service.world.db.run(sql`update sandbox.cards set behavior = 'declines_generic'
      where token = ${card.token}`)
    const before = await stateOf(service, subscriber)
    const { moved } = await changePlanTo(service, subscriber, price(2))
    assert.equal(moved.outcome, 'declined')
    assert.deepEqual(await stateOf(service, subscriber), before)
  })

  test('shown more than ten minutes ago, or for another price, is shown again', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    const quote = await quotePlanChange(service.world, { license_id, price_id: price(2) })
    service.clock.pass(601)
    const { agreement } = quote!
    const late = await changePlan(service.world, buyerActor(subscriber), {
      license_id,
      agreement,
      return_url,
    })
    assert.equal(late.outcome, 'changed')
    const again = await quotePlanChange(service.world, { license_id, price_id: price(2) })
    const amount = cents(19_000)
    await changePrice(service, { id: price(2), amount })
    const dearer = await changePlan(service.world, buyerActor(subscriber), {
      license_id,
      agreement: again!.agreement,
      return_url,
    })
    assert.equal(dearer.outcome, 'changed')
    await changePrice(service, { id: price(2), amount: cents(18_000) })
    const forged = agreement.replace(/^./, (char) => (char === 'e' ? 'f' : 'e'))
    const refused = await changePlan(service.world, buyerActor(subscriber), {
      license_id,
      agreement: forged,
      return_url,
    })
    assert.equal(refused.outcome, 'changed')
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 1)
  })

  test('confirmed twice is charged once', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    const quote = await quotePlanChange(service.world, { license_id, price_id: price(2) })
    const agreed = { license_id, agreement: quote!.agreement, return_url }
    const outcomes = []
    for (const _ of [1, 2]) {
      outcomes.push((await changePlan(service.world, buyerActor(subscriber), agreed)).outcome)
    }
    assert.deepEqual(outcomes, ['paid', 'changed'])
  })
})

describe('a downgrade', () => {
  test('happens at the period’s end, at the new price, and can be canceled', async () => {
    const subscriber = await subscribe(service, { price_id: price(1) })
    const { license_id } = subscriber
    const { moved } = await changePlanTo(service, subscriber, price(0))
    assert.equal(moved.outcome, 'scheduled')
    await cancelPlanChange(service.world, buyerActor(subscriber), license_id)
    await changePlanTo(service, subscriber, price(0))
    const { period_end } = await stateOf(service, subscriber)
    service.clock.pass(365 * DAY)
    await runDue(service)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 1260])
    const state = await stateOf(service, subscriber)
    const end = periodEnd(new Date(`${period_end}T12:00:00Z`), 'month', 1)
    assert.equal(state.period_end, isoDate(end))
  })
})

describe('another card', () => {
  test('is charged at once if a payment is due: the same key is active again', async () => {
    const subscriber = await subscribe(service, { card: CARD.never_renews })
    service.clock.pass(31 * DAY)
    await runDue(service)
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
    const card = await enterNewCard(CARD.mastercard)
    const { license_id } = subscriber
    const paid = await changeCard(service.world, buyerActor(subscriber), {
      license_id,
      card,
      return_url,
    })
    assert.equal(paid.outcome, 'paid')
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    await passDays(service, 31)
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 3)
  })

  test('that requires authentication pays once it is authenticated', async () => {
    const subscriber = await subscribe(service, { card: CARD.never_renews })
    service.clock.pass(31 * DAY)
    await runDue(service)
    const card = await enterNewCard(CARD.good)
    await service.world.db.run(sql`update sandbox.cards set behavior = 'challenges_always'
      where token = ${card.token}`)
    const { license_id } = subscriber
    const requested = await changeCard(service.world, buyerActor(subscriber), {
      license_id,
      card,
      return_url,
    })
    assert.equal(requested.outcome, 'action_required')
    const address = (requested as { action_url: string }).action_url
    await subscriber.agent.open(address)
    await subscriber.agent.submit(/^(Confirm|Approve|Complete)/)
    const { id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id from invoices
      where license_id = ${license_id} and status = 'open'`)
    const resumed = await latestOutcome(service.world, id)
    assert.equal(resumed.outcome, 'paid')
    assert.equal((await stateOf(service, subscriber)).status, 'active')
  })
})

describe('a pause by the buyer', () => {
  test('begins at the period’s end if the seller allows it; resuming starts a period', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    const wish = { license_id, to: 'on' } as const
    assert.equal(await pauseAtEnd(service.world, buyerActor(subscriber), wish), false)
    await apps.setAllowsPause(service.world.db, service.demo.app.client_id, true)
    assert.equal(await pauseAtEnd(service.world, buyerActor(subscriber), wish), true)
    await passDays(service, 40)
    assert.equal((await stateOf(service, subscriber)).status, 'paused')
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 1)
    const end = isoDate(periodEnd(service.clock.now(), 'month', 1))
    const paid = await payOwed(service.world, { license_id, requested_by: 'buyer', return_url })
    assert.equal(paid.outcome, 'paid')
    const state = await stateOf(service, subscriber)
    assert.equal(state.status, 'active')
    assert.equal(state.period_end, end)
    await passDays(service, 31)
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 3)
  })

  test('is audited where something changes, and not when it is repeated', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    const { world, demo } = service
    const app_id = demo.app.client_id
    const seller = await sellerActor(service)
    for (const to of ['off', 'off', 'on', 'on'] as const) {
      await allowPauses(world, seller, { app_id, to })
    }
    for (const to of ['off', 'on', 'on', 'off', 'off'] as const) {
      assert.equal(await pauseAtEnd(world, buyerActor(subscriber), { license_id, to }), true)
    }
    const rows = await world.db.rows<{ action: string }>(sql`select action from audit_log
      where subject in (${app_id}, ${license_id}) and action ~ 'pause' order by id`)
    assert.deepEqual(
      rows.map(({ action }) => action),
      [
        'app.pauses_refused',
        'app.pauses_allowed',
        'license.pause_planned',
        'license.pause_withdrawn',
      ],
    )
  })

  test('leaves a planned change for the period that begins when the buyer resumes', async () => {
    const subscriber = await subscribe(service, { price_id: price(1) })
    const { license_id } = subscriber
    const { world } = service
    await pauseAtEnd(world, buyerActor(subscriber), { license_id, to: 'on' })
    assert.equal((await changePlanTo(service, subscriber, price(0))).moved.outcome, 'scheduled')
    service.clock.pass(400 * DAY)
    await runDue(service)
    assert.equal((await stateOf(service, subscriber)).status, 'paused')
    const next = await nextCharge(world, license_id)
    assert.deepEqual([next?.price.id, next?.total], [price(0), 1260])
    const resumed = await payOwed(world, { license_id, requested_by: 'buyer', return_url })
    assert.equal(resumed.outcome, 'paid')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 1260])
    const { period_end, product_id } = await stateOf(service, subscriber)
    assert.equal(period_end, isoDate(periodEnd(service.clock.now(), 'month', 1)))
    const renewed = (await billing.subscriptionOf(world.db, license_id))!
    assert.deepEqual([renewed.price_id, renewed.pending_price_id], [price(0), null])
    assert.equal(product_id, next?.price.product_id)
    await passDays(service, 32)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 1260, 1260])
  })

  test('can be ended by the buyer: nothing is charged, and the license is canceled', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    await pauseAtEnd(service.world, buyerActor(subscriber), { license_id, to: 'on' })
    await passDays(service, 40)
    assert.equal((await stateOf(service, subscriber)).status, 'paused')
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
    await passDays(service, 40)
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 1)
  })

  test('that begins while an upgrade is being paid leaves the upgrade its own period', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    const { db } = service.world
    await pauseAtEnd(service.world, buyerActor(subscriber), { license_id, to: 'on' })
    await db.run(sql`update sandbox.cards set behavior = 'challenges_always'
      where token in (select token from cards where user_id = ${subscriber.user_id})`)
    const { period_end } = (await billing.subscriptionOf(db, license_id))!
    service.clock.pass((period_end.getTime() - service.clock.now().getTime()) / 1000 - 60)
    const { moved } = await changePlanTo(service, subscriber, price(1))
    assert.ok(moved.outcome === 'action_required')
    service.clock.pass(600)
    await runDue(service)
    assert.equal((await stateOf(service, subscriber)).status, 'paused')
    await subscriber.agent.open(moved.action_url)
    await subscriber.agent.submit(/^(Confirm|Approve|Complete)/)
    await reconcile(service.world)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    const { period_index, ...running } = (await billing.subscriptionOf(db, license_id))!
    const next = billing.periodOf(running, period_index + 1)
    assert.deepEqual(next.period_start, running.period_end)
  })
})
