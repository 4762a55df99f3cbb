import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { reinstateByStaff, suspendByStaff } from '#flows/staff-actions'
import { setAutoRenew } from '#flows/subscription'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { BUYER_EMAILS } from '../../src/surfaces/emails/buyer.ts'
import { addPlan } from '../support/discount-purchases.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  buyerActor,
  DAY,
  invoicesOf,
  otherApp,
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

async function yearly(facts: { trial_days?: number } = {}): Promise<Subscriber> {
  const app = await otherApp(service, { frequency: 'year', ...facts })
  return await subscribe(service, { app })
}

async function remindersOf({ license_id }: Subscriber): Promise<number> {
  const { count } = await service.world.db.one<{ count: number }>(sql`select count(*)
    from emails where kind = 'renewal_reminder' and subject_id = ${license_id}`)
  return count
}

/** Advances the app's clock to some days before the paid period ends; processes what is due. */
async function goTo(subscriber: Subscriber, days_before_end: number): Promise<void> {
  const { db } = service.world
  const { app, license_id } = subscriber
  const { end } = await db.one<{ end: Date }>(sql`select period_end as end
    from subscriptions where license_id = ${license_id}`)
  const ahead = (end.getTime() - service.clock.now().getTime()) / 1000 - days_before_end * DAY
  await apps.setClockAhead(db, app.client_id, ahead)
  await runDue(service)
}

async function written({ license_id }: Subscriber) {
  return await BUYER_EMAILS.renewal_reminder(service.world, { subject_id: license_id } as never)
}

describe('a reminder of a renewal', () => {
  test('goes out 30 days before a year renews, once, each year', async () => {
    const subscriber = await yearly()
    await goTo(subscriber, 31)
    assert.equal(await remindersOf(subscriber), 0)
    await goTo(subscriber, 30)
    assert.equal(await remindersOf(subscriber), 1)
    await goTo(subscriber, 1)
    assert.equal(await remindersOf(subscriber), 1)
    await goTo(subscriber, 0)
    assert.equal((await invoicesOf(service, subscriber)).length, 2)
    await goTo(subscriber, 29)
    assert.equal(await remindersOf(subscriber), 2)
  })

  test('names the day, the card, the charge with its tax, and how to cancel', async () => {
    const subscriber = await yearly()
    await goTo(subscriber, 30)
    const { content, to } = (await written(subscriber))!
    const text = JSON.stringify(content)
    assert.deepEqual(to, [subscriber.email])
    assert.match(content.subject, / renews on \w+ \d+, \d{4}$/)
    assert.match(text, /Your Visa ending in 4242 is charged \$5\.25 that day/)
    assert.match(
      text,
      /continues\. No action is needed\. Harbor Harbor Pro renews yearly until you cancel\./,
    )
    assert.match(text, /Cancel subscription/)
    assert.match(text, /\/auto-renew\//)
  })

  test('asks for another card if this one expires before the charge, and says nothing else', async () => {
    const subscriber = await yearly()
    await goTo(subscriber, 30)
    const { db } = service.world
    await db.run(sql`update cards set exp_month = extract(month from s.period_end) - 1,
        exp_year = extract(year from s.period_end)
      from subscriptions s where s.card_id = cards.id and s.license_id = ${subscriber.license_id}`)
    const text = JSON.stringify((await written(subscriber))!.content)
    assert.match(text, /Your Visa ending in 4242 expires in \d\d\/\d\d, before this charge\./)
    assert.doesNotMatch(text, /No action is needed/)
  })

  test('follows the reminder of a trial: each before its own charge', async () => {
    const subscriber = await yearly({ trial_days: 14 })
    await goTo(subscriber, 3)
    assert.equal(await remindersOf(subscriber), 0)
    await goTo(subscriber, 0)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    await goTo(subscriber, 30)
    assert.equal(await remindersOf(subscriber), 1)
  })

  test('is not sent for a plan that is charged monthly, nor after a cancellation', async () => {
    const monthly = await subscribe(service, { app: await otherApp(service, {}) })
    const canceled = await yearly()
    const { license_id } = canceled
    await setAutoRenew(service.world, buyerActor(canceled), { license_id, to: 'off' })
    await goTo(monthly, 1)
    await goTo(canceled, 29)
    assert.deepEqual([await remindersOf(monthly), await remindersOf(canceled)], [0, 0])
    await goTo(canceled, 0)
    assert.equal((await stateOf(service, canceled)).status, 'canceled')
  })

  test('that is written after the year has renewed is not sent', async () => {
    const subscriber = await yearly()
    await goTo(subscriber, 30)
    assert.ok(await written(subscriber))
    await goTo(subscriber, 0)
    assert.equal(await written(subscriber), undefined)
  })

  test('that is written after a cancellation is not sent', async () => {
    const subscriber = await yearly()
    await goTo(subscriber, 30)
    const { license_id } = subscriber
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
    assert.equal(await written(subscriber), undefined)
  })

  test('that a suspension delayed goes out when the license is reinstated', async () => {
    const subscriber = await yearly()
    await goTo(subscriber, 40)
    const staff = { ...(await staffActor(service)), reason: 'Checked.' }
    await suspendByStaff(service.world, staff, subscriber.license_id)
    await goTo(subscriber, 20)
    assert.equal(await remindersOf(subscriber), 0)
    await reinstateByStaff(service.world, staff, subscriber.license_id)
    await runDue(service)
    assert.equal(await remindersOf(subscriber), 1)
    await goTo(subscriber, 1)
    assert.equal(await remindersOf(subscriber), 1)
  })

  for (const frequency of ['month', null] as const) {
    test(`names the plan that the buyer changes to, ${frequency ?? 'once'}`, async () => {
      const app = await otherApp(service, { frequency: 'year', amount: cents(9000) })
      const { price_id } = await addPlan(service, app, 500, frequency)
      const subscriber = await subscribe(service, { app })
      const { moved } = await changePlanTo(service, subscriber, price_id)
      assert.equal(moved.outcome, 'scheduled')
      await goTo(subscriber, 30)
      const { content } = (await written(subscriber))!
      assert.match(
        content.subject,
        /^Harbor Harbor Pro changes to Harbor Plan.* on \w+ \d+, \d{4}$/,
      )
      assert.equal(content.heading, content.subject)
      const text = JSON.stringify(content)
      assert.match(text, /is charged \$5\.25 that day, and your plan changes to Harbor Plan/)
      assert.equal(/until you cancel/.test(text), frequency !== null)
    })
  }
})
