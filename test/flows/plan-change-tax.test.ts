import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { cancelPlanChange, pauseAtEnd, payOwed, quotePlanChange } from '#flows/subscription'
import { sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { agreeTo, changePlanTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { buyerActor, DAY, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const offered = ({ license_id }: Subscriber) =>
  quotePlanChange(service.world, { license_id, price_id: service.demo.app.prices[1]!.public_id })

describe('an upgrade that was shown', () => {
  test('before the buyer moved is shown again with the tax of the new address', async () => {
    const subscriber = await subscribe(service)
    const quote = await offered(subscriber)
    assert.equal(quote?.tax, 420)
    // The card was replaced in another tab, with a billing address in Oregon.
    await service.world.db.run(sql`update subscriptions set state = 'OR', zip = '97201'
      where license_id = ${subscriber.license_id}`)
    assert.equal((await agreeTo(service, subscriber, quote)).outcome, 'changed')
    const again = await offered(subscriber)
    assert.equal(again?.tax, 0)
    assert.equal((await agreeTo(service, subscriber, again)).outcome, 'paid')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 8400])
  })

  test('before a new rate started is shown again with that rate', async () => {
    const LAST_MINUTE = Date.UTC(2026, 8, 30, 23, 59)
    service.clock.reset(new Date(LAST_MINUTE - 3600_000))
    const subscriber = await subscribe(service, { address: { country: 'US', zip: '20001' } })
    service.clock.reset(new Date(LAST_MINUTE))
    await runDue(service)
    const quote = await offered(subscriber)
    service.clock.pass(120)
    assert.equal((await agreeTo(service, subscriber, quote)).outcome, 'changed')
    const again = await offered(subscriber)
    assert.equal(again?.tax, Math.round((again!.total - again!.tax) * 0.07))
    assert.equal((await agreeTo(service, subscriber, again)).outcome, 'paid')
  })
})

test('the page of a plan change says that a state has no sales tax, not that it is $0.00', async () => {
  const priceOf = async (zip: string) => {
    const { agent } = await subscribe(service, { address: { country: 'US', zip } })
    const yearly = service.demo.app.prices[1]!.public_id
    const page = await agent.open(`/manage/${service.demo.app.client_id}/plan/${yearly}/`)
    return /Renews at .*? per year/.exec(textOf(page.body))?.[0]
  }
  assert.match((await priceOf('97201'))!, /^Renews at \$96\.00 \(no sales tax[^$]*\) per year$/)
  assert.match((await priceOf('78701'))!, /^Renews at \$100\.80 \(\$96\.00 and \$4\.80 sales tax/)
})

test('the end of a pause that was declined is charged for the address and plan of the later day', async () => {
  const { db } = service.world
  const subscriber = await subscribe(service, { price_id: service.demo.app.prices[1]!.public_id })
  const { license_id, user_id } = subscriber
  const monthly = service.demo.app.prices[0]!.public_id
  assert.equal((await changePlanTo(service, subscriber, monthly)).moved.outcome, 'scheduled')
  await apps.setAllowsPause(db, service.demo.app.client_id, true)
  await pauseAtEnd(service.world, buyerActor(subscriber), { license_id, to: 'on' })
  service.clock.pass(366 * DAY)
  await runDue(service)
  const letBank = (behavior: string) =>
    db.run(sql`update sandbox.cards set behavior = ${behavior}
      where token in (select token from cards where user_id = ${user_id})`)
  const request = { license_id, requested_by: 'buyer', return_url: 'http://localhost' } as const
  await letBank('declines_generic')
  assert.equal((await payOwed(service.world, request)).outcome, 'declined')
  await letBank('succeeds')
  // The buyer moved to Oregon, and keeps the yearly plan.
  await db.run(sql`update subscriptions set state = 'OR', zip = '97201'
    where license_id = ${license_id}`)
  assert.ok(await cancelPlanChange(service.world, buyerActor(subscriber), license_id))
  assert.equal((await payOwed(service.world, request)).outcome, 'paid')
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 9600])
})
