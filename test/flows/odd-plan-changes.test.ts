import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as payments from '#domain/payments'
import { latestOutcome, reconcile } from '#flows/payment'
import { nextCharge, pauseAtEnd, payOwed, quotePlanChange, setAutoRenew } from '#flows/subscription'
import { isoDate, periodEnd } from '#platform/calendar'
import type { InvoiceId, PriceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { changePrice } from '../support/apps.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { agreeTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  buyerActor,
  DAY,
  passDays,
  runDue,
  type Subscriber,
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

async function offered({ license_id }: Subscriber, price_id: PriceId) {
  return await quotePlanChange(service.world, { license_id, price_id })
}

/** Changes a price while `meanwhile` runs. */
async function priced(id: PriceId, amount: number, meanwhile: () => Promise<void>): Promise<void> {
  const before = (await catalog.findLivePrice(service.world.db, id))!.amount
  await changePrice(service, { id, amount: cents(amount) })
  await meanwhile()
  await changePrice(service, { id, amount: before })
}

/** Changes how the bank treats a subscriber's card. */
async function letBank({ user_id }: Subscriber, behavior: string): Promise<void> {
  await service.world.db.run(sql`update sandbox.cards set behavior = ${behavior}
    where token in (select token from cards where user_id = ${user_id})`)
}

/** Loses every answer of the processor, or every request, while `meanwhile` runs. */
async function lost(what: 'answers' | 'requests', meanwhile: () => Promise<void>): Promise<void> {
  const { processor } = service.world
  const { charge } = processor
  processor.charge = async (now, request) => {
    if (what === 'answers') await charge.call(processor, now, request)
    throw new payments.ProcessorUnreachable('the line is cut')
  }
  await meanwhile()
  processor.charge = charge
}

describe('a one-time plan that costs less than what is left of the current plan', () => {
  test('is charged at the period’s end, once, and never renews', async () => {
    const subscriber = await subscribe(service, { price_id: price(1) })
    await priced(price(2), 5000, async () => {
      assert.deepEqual(await agreeTo(service, subscriber, await offered(subscriber, price(2))), {
        outcome: 'scheduled',
      })
      service.clock.pass(367 * DAY)
      await runDue(service)
    })
    const { status, period_end, canceled_at } = await stateOf(service, subscriber)
    assert.deepEqual([status, period_end, canceled_at], ['one_time_active', null, null])
    service.clock.pass(400 * DAY)
    await runDue(service)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 5250])
  })

  test('can be paid by a retry too, with the same key', async () => {
    const subscriber = await subscribe(service, { price_id: price(1) })
    await priced(price(2), 5000, async () => {
      await agreeTo(service, subscriber, await offered(subscriber, price(2)))
      await letBank(subscriber, 'declines_generic')
      service.clock.pass(366 * DAY)
      await runDue(service)
      assert.equal((await stateOf(service, subscriber)).status, 'past_due')
      await letBank(subscriber, 'succeeds')
      await passDays(service, 2)
    })
    assert.equal((await stateOf(service, subscriber)).status, 'one_time_active')
    await passDays(service, 30)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 5250])
  })
})

test('a scheduled plan change costs what was agreed, whatever the plan costs now, and if it is not sold', async () => {
  const { db, clock } = service.world
  const subscriber = await subscribe(service, { price_id: price(1) })
  const { license_id } = subscriber
  await agreeTo(service, subscriber, await offered(subscriber, price(0)))
  const amountDue = async () => (await nextCharge(service.world, license_id))?.amount
  const setDeleted = async (at: Date | null) =>
    await db.run(sql`update prices set deleted_at = ${at} where id = ${price(0)}`)
  await priced(price(0), 99_900, async () => {
    assert.equal(await amountDue(), 1200)
    await setDeleted(clock.now())
    assert.equal(await amountDue(), 1200)
    service.clock.pass(366 * DAY)
    await runDue(service)
    await setDeleted(null)
  })
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 1260])
})

test('a plan cannot be deleted while a subscription changes to it', async () => {
  const { db } = service.world
  const { client_id } = service.demo.app
  const comingTo = async () =>
    (await catalog.existingVersions(db, client_id)).map(({ coming }) => coming)
  const before = await comingTo()
  const subscriber = await subscribe(service, { price_id: price(1) })
  await agreeTo(service, subscriber, await offered(subscriber, price(0)))
  assert.equal(Math.max(...(await comingTo())), Math.max(...before) + 1)
  await setAutoRenew(service.world, buyerActor(subscriber), {
    license_id: subscriber.license_id,
    to: 'off',
  })
  assert.deepEqual(await comingTo(), before)
})

test('an upgrade is shown again if something was refunded meanwhile', async () => {
  const subscriber = await subscribe(service)
  const quote = await offered(subscriber, price(2))
  const { invoice_id } = await service.world.db.one<{ invoice_id: InvoiceId }>(sql`
    select id as invoice_id from invoices where license_id = ${subscriber.license_id}`)
  await refund(service, { invoice_id }, 600)
  assert.equal((await agreeTo(service, subscriber, quote)).outcome, 'changed')
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260])
  const again = await offered(subscriber, price(2))
  assert.equal((await agreeTo(service, subscriber, again)).outcome, 'paid')
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, again!.total])
})

describe('without auto-renew', () => {
  test('an upgrade moves the end date, or removes it if the plan does not end', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
    await priced(price(1), 16_000, async () => {
      assert.equal(
        (await agreeTo(service, subscriber, await offered(subscriber, price(1)))).outcome,
        'paid',
      )
    })
    const state = await stateOf(service, subscriber)
    assert.equal(state.period_end, isoDate(periodEnd(service.clock.now(), 'year', 1)))
    assert.equal(state.canceled_at, state.period_end)
    assert.equal(
      (await agreeTo(service, subscriber, await offered(subscriber, price(2)))).outcome,
      'paid',
    )
    const { status, canceled_at } = await stateOf(service, subscriber)
    assert.deepEqual([status, canceled_at], ['one_time_active', null])
  })

  test('no plan change is scheduled, as no period follows', async () => {
    const subscriber = await subscribe(service, { price_id: price(1) })
    const { license_id } = subscriber
    const quote = await offered(subscriber, price(0))
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
    assert.equal((await agreeTo(service, subscriber, quote)).outcome, 'changed')
    assert.equal(await offered(subscriber, price(0)), undefined)
  })

  test('a pending payment buys its period, and a failed one leaves nothing due', async () => {
    for (const behavior of ['succeeds', 'declines_generic'] as const) {
      const subscriber = await subscribe(service)
      const { license_id } = subscriber
      await letBank(subscriber, behavior)
      service.clock.pass(31 * DAY)
      await lost('answers', () => runDue(service))
      await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
      service.clock.pass(30)
      await reconcile(service.world)
      const { status, period_end, canceled_at } = await stateOf(service, subscriber)
      if (behavior === 'succeeds') {
        assert.deepEqual([status, canceled_at], ['active', period_end])
        assert.ok(period_end! > isoDate(service.clock.now()))
      } else assert.equal(status, 'canceled')
      await letBank(subscriber, 'succeeds')
      await passDays(service, 40)
      assert.equal((await stateOf(service, subscriber)).status, 'canceled')
      const charges = await chargedAmounts(service, subscriber.email)
      assert.equal(charges.length, behavior === 'succeeds' ? 2 : 1)
    }
  })
})

describe('a renewal and a plan change at the same time', () => {
  test('while the next period is unpaid, no other plan is offered', async () => {
    const subscriber = await subscribe(service)
    service.clock.pass(31 * DAY)
    const quote = await offered(subscriber, price(2))
    await lost('requests', () => runDue(service))
    service.clock.pass(30)
    await reconcile(service.world)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.equal((await agreeTo(service, subscriber, quote)).outcome, 'changed')
    assert.equal(await offered(subscriber, price(2)), undefined)
    service.clock.pass(3600)
    await runDue(service)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  })

  test('a pending upgrade at the period’s end leaves no invoice of the old plan', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    await letBank(subscriber, 'challenges_always')
    const { period_end } = await service.world.db.one<{ period_end: Date }>(sql`
      select period_end from subscriptions where license_id = ${license_id}`)
    service.clock.pass((period_end.getTime() - service.clock.now().getTime()) / 1000 - 60)
    const requested = await priceAtOnce(subscriber)
    service.clock.pass(120)
    await runDue(service)
    await subscriber.agent.open(requested.action_url)
    await subscriber.agent.submit(/^(Confirm|Approve|Complete)/)
    const { id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id from invoices
      where license_id = ${license_id} and kind = 'upgrade'`)
    assert.equal((await latestOutcome(service.world, id)).outcome, 'paid')
    await letBank(subscriber, 'succeeds')
    const next = await nextCharge(service.world, license_id)
    assert.deepEqual([next?.why, next?.price.id], ['renewal', price(1)])
  })

  async function priceAtOnce(subscriber: Subscriber): Promise<{ action_url: string }> {
    let requested: unknown
    await priced(price(1), 16_000, async () => {
      requested = await agreeTo(service, subscriber, await offered(subscriber, price(1)))
    })
    assert.ok(requested && typeof requested === 'object' && 'action_url' in requested)
    return requested as { action_url: string }
  }
})

test('a pause is charged from the day on which it ends, whatever was attempted before', async () => {
  const subscriber = await subscribe(service)
  const { license_id } = subscriber
  await apps.setAllowsPause(service.world.db, service.demo.app.client_id, true)
  await pauseAtEnd(service.world, buyerActor(subscriber), { license_id, to: 'on' })
  await passDays(service, 40)
  await letBank(subscriber, 'declines_generic')
  const requested = { license_id, requested_by: 'buyer', return_url } as const
  assert.equal((await payOwed(service.world, requested)).outcome, 'declined')
  await letBank(subscriber, 'succeeds')
  await passDays(service, 20)
  assert.equal((await payOwed(service.world, requested)).outcome, 'paid')
  const { status, period_end } = await stateOf(service, subscriber)
  assert.deepEqual(
    [status, period_end],
    ['active', isoDate(periodEnd(service.clock.now(), 'month', 1))],
  )
})
