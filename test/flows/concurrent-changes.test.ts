import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { saveAppDetails } from '#flows/app'
import { saveAddresses } from '#flows/integration'
import { lockLicense } from '#flows/locked-license'
import { reconcile } from '#flows/payment'
import { reconcileRefunds, refundCharge } from '#flows/refund'
import { cancelPlanChange, quotePlanChange, renewDue, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { mintId, type UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { untilBlocked } from '../support/blocked.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { agreeTo, changePlanTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { sellerActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  buyerActor,
  DAY,
  invoicesOf,
  otherApp,
  passDays,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const price = (index: number) => service.demo.app.prices[index]!.public_id

/** Adds a monthly plan with a trial to an app. */
async function addPlan({ client_id }: OtherApp, amount: number) {
  const { world, clock } = service
  const [product_id, price_id] = [mintId(world.random, 'prod'), mintId(world.random, 'prc')]
  await world.db.run(sql`insert into products
      (id, app_id, name, description, is_free, position, trial_days, created_at)
    values (${product_id}, ${client_id}, ${product_id}, '', false, 9, 90, ${clock.now()})`)
  await world.db.run(sql`insert into prices (id, product_id, amount, frequency, created_at)
    values (${price_id}, ${product_id}, ${amount}, 'month', ${clock.now()})`)
  return price_id
}

/** The service while `change` happens between the figures of a charge and its record. */
function whileTaxed(change: () => Promise<void>): World {
  const { world } = service
  const quote: World['taxes']['quote'] = async (now, sale) => {
    await change()
    return await world.taxes.quote(now, sale)
  }
  return { ...world, taxes: { ...world.taxes, quote } }
}

describe('a plan change', () => {
  test('in the last minute of a trial is what the first charge is for', async () => {
    const app = await otherApp(service, { amount: cents(300), trial_days: 30 })
    const subscriber = await subscribe(service, { app })
    const { license_id } = subscriber
    const other = await addPlan(app, 2400)
    service.clock.pass(27 * DAY)
    await renewDue(service.world)
    service.clock.pass(3 * DAY - 30)
    const quote = await quotePlanChange(service.world, { license_id, price_id: other })
    service.clock.pass(60)
    let isChanged = false
    await renewDue(
      whileTaxed(async () => {
        if (isChanged) return
        isChanged = true
        assert.equal((await agreeTo(service, subscriber, quote)).outcome, 'plan_changed')
      }),
    )
    await passDays(service, 1)
    assert.ok(isChanged)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [0, 2520])
    assert.equal((await billing.subscriptionOf(service.world.db, license_id))?.price_id, other)
  })

  test('cannot be canceled once the period that it was agreed for is being paid', async () => {
    const subscriber = await subscribe(service, { price_id: price(1) })
    const { license_id } = subscriber
    const { world } = service
    assert.equal((await changePlanTo(service, subscriber, price(0))).moved.outcome, 'scheduled')
    service.clock.pass(366 * DAY)
    const charge = () => Promise.reject(new payments.ProcessorUnreachable('the line is cut'))
    await renewDue({ ...world, processor: { ...world.processor, charge } })
    service.clock.pass(30)
    await reconcile(world)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.equal(await cancelPlanChange(world, buyerActor(subscriber), license_id), false)
    service.clock.pass(3600)
    await renewDue(world)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [10_080, 1260])
  })

  test('waits for the one before it, also if the email has changed since', async () => {
    const subscriber = await subscribe(service)
    const { user_id } = subscriber
    const { world } = service
    const charge: World['processor']['charge'] = async (now, request) => {
      await world.processor.charge(now, request)
      throw new payments.ProcessorUnreachable('the line is cut')
    }
    const cut = { ...world, processor: { ...world.processor, charge } }
    const first = await changePlanTo({ ...service, world: cut }, subscriber, price(1))
    assert.equal(first.moved.outcome, 'processing')
    const email = identity.readEmail(`moved-${subscriber.email}`)!
    await world.db.tx((tx) => identity.setEmail(tx, { user_id, ...email }))
    const second = (await changePlanTo(service, subscriber, price(2))).moved
    assert.equal(second.outcome, 'processing')
    service.clock.pass(30)
    await reconcile(world)
    assert.equal((await invoicesOf(service, subscriber)).length, 2)
  })

  test('closes the challenge of the one before it, which is not charged', async () => {
    const subscriber = await subscribe(service)
    const { db } = service.world
    const letBank = (behavior: string) =>
      db.run(sql`update sandbox.cards set behavior = ${behavior}
        where token in (select token from cards where user_id = ${subscriber.user_id})`)
    await letBank('challenges_always')
    const first = (await changePlanTo(service, subscriber, price(2))).moved
    assert.ok(first.outcome === 'action_required')
    await letBank('succeeds')
    assert.equal((await changePlanTo(service, subscriber, price(1))).moved.outcome, 'paid')
    await subscriber.agent.open(first.action_url)
    await subscriber.agent.submit('Complete authentication').catch(() => undefined)
    service.clock.pass(30)
    await reconcile(service.world)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 8820])
    const { license_id } = subscriber
    const audited = await db.rows(sql`select detail->>'to' as to from audit_log
      where subject = ${license_id} and action = 'license.plan_change' order by at, id`)
    assert.deepEqual(audited, [{ to: price(2) }, { to: price(1) }])
  })

  test('that waits for the bank keeps the credit that it was agreed with', async () => {
    const subscriber = await subscribe(service)
    const { license_id, user_id } = subscriber
    const { world } = service
    await world.db.run(sql`update sandbox.cards set behavior = 'challenges_always'
      where token in (select token from cards where user_id = ${user_id})`)
    const { id: invoice_id } = (await billing.lastPaidInvoice(world.db, license_id))!
    const { moved } = await changePlanTo(service, subscriber, price(1))
    assert.ok(moved.outcome === 'action_required')
    const part = { invoice_id, amount: cents(630), reason: 'The buyer asked for it.' }
    const seller = await sellerActor(service)
    const refused = { outcome: 'refused', refusal: 'payment_pending' } as const
    assert.deepEqual(await refundCharge(world, seller, part), refused)
    // The account's mailbox disowned it: everything is refunded, and the license ends.
    const whole = { invoice_id, reason: 'The buyer disowned it.' }
    const disowned = await refundCharge(world, buyerActor(subscriber), whole)
    assert.equal(disowned.outcome, 'refunded')
    await subscriber.agent.open(moved.action_url)
    await subscriber.agent.submit('Complete authentication').catch(() => undefined)
    service.clock.pass(30)
    await reconcile(world)
    await reconcileRefunds(world)
    const back = await payments.refundsOfLicense(world.db, license_id)
    const { total } = await world.db.one<{
      total: number
    }>(sql`select sum(c.amount)::bigint as total
      from charges c join invoices i on i.id = c.invoice_id where i.license_id = ${license_id}`)
    assert.equal(total, payments.refundedOf(back).amount)
  })

  test('that is recorded while a refund waits for the license is what the refund waits for', async () => {
    const subscriber = await subscribe(service)
    const { license_id, email } = subscriber
    const { world } = service
    const { id: invoice_id, app_id } = (await billing.lastPaidInvoice(world.db, license_id))!
    const attempt = {
      ...(await payments.latestAttempt(world.db, invoice_id))!,
      id: mintId(world.random, 'att'),
      app_id,
      email_normalized: email,
    }
    const begun = Promise.withResolvers<void>()
    const seller = await sellerActor(service)
    const wanted = { invoice_id, amount: cents(630), reason: 'The buyer asked for it.' }
    const refunding = begun.promise.then(() => refundCharge(world, seller, wanted))
    await world.db.tx(async (tx) => {
      await lockLicense(world, tx, license_id)
      begun.resolve()
      await untilBlocked(tx, service.world.db)
      await payments.openAttempt(tx, service.clock.now(), attempt)
    })
    assert.deepEqual(await refunding, { outcome: 'refused', refusal: 'payment_pending' })
    await world.db.run(sql`delete from attempts where id = ${attempt.id}`)
  })

  test('to a plan that is paid once leaves nothing to cancel', async () => {
    const subscriber = await subscribe(service, { card: CARD.mastercard })
    const { license_id } = subscriber
    const { world } = service
    const begun = Promise.withResolvers<void>()
    const off = { license_id, to: 'off' } as const
    const canceling = begun.promise.then(() => setAutoRenew(world, buyerActor(subscriber), off))
    await world.db.tx(async (tx) => {
      const { subscription, license, now } = await lockLicense(world, tx, license_id)
      begun.resolve()
      await untilBlocked(tx, service.world.db)
      const step = { trigger: 'upgraded', to: 'one_time_active', period_end: null } as const
      await licensing.transitionLocked(tx, now, license, step)
      await billing.changeSubscription(tx, subscription!, { next_at: null, ended_at: now })
    })
    assert.equal(await canceling, false)
    const { status, canceled_at } = await stateOf(service, subscriber)
    assert.deepEqual([status, canceled_at], ['one_time_active', null])
  })
})

test('a license whose renewal is declined while it is canceled at its end does not end now', async () => {
  const subscriber = await subscribe(service, { card: CARD.mastercard })
  const { agent, license_id } = subscriber
  const { world } = service
  await agent.open(`/manage/${service.demo.app.client_id}/auto-renew/`)
  const begun = Promise.withResolvers<void>()
  const canceling = begun.promise.then(() => agent.submit('Cancel subscription'))
  await world.db.tx(async (tx) => {
    const { license, now } = await lockLicense(world, tx, license_id)
    begun.resolve()
    await untilBlocked(tx, service.world.db)
    const step = { trigger: 'renewal_failed', to: 'past_due' } as const
    await licensing.transitionLocked(tx, now, license, step)
  })
  assert.match(textOf((await canceling).body), /Nothing was changed/)
  assert.equal((await stateOf(service, subscriber)).status, 'past_due')
})

test('the URLs of an app are checked against its website as it is now', async () => {
  const { world } = service
  const { client_id: app_id } = await otherApp(service, { amount: cents(300) })
  const app = await apps.get(world.db, app_id)
  const { user_id } = await world.db.one<{ user_id: UserId }>(sql`select m.user_id
    from seller_members m where m.seller_id = ${app.seller_id} and m.role = 'owner'`)
  const actor = { kind: 'seller', user_id, request_id: 'req_test' } as const
  const entered = { ...app, url: 'https://moved.example.net' }
  const moved = await saveAppDetails(world, actor, { app_id, entered })
  assert.ok('slug' in moved, JSON.stringify(moved))
  const changes = { redirect_uris: [`${app.url}/callback`] }
  const saved = await saveAddresses(world, actor, { app, changes })
  assert.ok('faults' in saved)
  assert.match(saved.faults[0]!.message, /must be an HTTPS URL on moved\.example\.net/)
})

test('an address that another app takes at that moment is refused at its field', async () => {
  const { world } = service
  const [first, second] = [
    await otherApp(service, { amount: cents(300) }),
    await addApp(service, { slug: 'takes-late', is_published: false }),
  ]
  const actor = await sellerActor(service)
  const begun = Promise.withResolvers<void>()
  const change = { app_id: second.client_id, entered: { slug: 'one-address' } }
  const saving = begun.promise.then(() => saveAppDetails(world, actor, change))
  await world.db.tx(async (tx) => {
    const app = await apps.get(tx, first.client_id)
    await apps.setDetails(tx, app.id, { ...app, slug: 'one-address' })
    begun.resolve()
    await untilBlocked(tx, world.db)
  })
  const taken = { faults: [{ path: 'slug', message: 'Another app has this address.' }] }
  assert.deepEqual(await saving, taken)
  assert.deepEqual(await saveAppDetails(world, actor, change), taken)
  assert.equal((await apps.get(world.db, second.client_id)).slug, 'takes-late')
})
