import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as catalog from '#domain/catalog'
import type * as payments from '#domain/payments'
import { quoteRefund, refundCharge } from '#flows/refund'
import { renewDue } from '#flows/subscription'
import type { World } from '#flows/world'
import { addDays, type Frequency, isoDate } from '#platform/calendar'
import { type InvoiceId, mintId, type PriceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { OtherApp } from '../support/apps.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { sellerActor, staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  DAY,
  invoicesOf,
  otherApp,
  passDays,
  runDue,
  type Subscriber,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
/** Why the processor refuses every charge; undefined if it does not. */
let refusal: string | undefined

/** A processor that may refuse our requests, including closing them, as Stripe does. */
function refusing(sandbox: World['processor']): World['processor'] {
  const refused = async (): Promise<payments.ChargeAnswer> => ({
    status: 'refused',
    reason: refusal!,
  })
  return {
    ...sandbox,
    charge: (now, request) => (refusal ? refused() : sandbox.charge(now, request)),
    close: (now, key) => (refusal ? refused() : sandbox.close(now, key)),
  }
}

before(async () => {
  service = await openTestService({ processor: refusing })
})
after(() => assertInvariantsAndClose(service))

/** Another plan of an app. */
async function addPlan(
  app: OtherApp,
  plan: { amount: number; frequency: Frequency | null; trial_days?: number },
): Promise<PriceId> {
  const { db, random } = service.world
  const now = service.clock.now()
  const [product_id, id] = [mintId(random, 'prod'), mintId(random, 'prc')]
  const { trial_days = 0, frequency } = plan
  const named = { name: `Plan ${product_id.slice(-4)}`, description: '', is_free: false }
  const product = { ...named, id: product_id, app_id: app.client_id, position: 1, trial_days }
  await catalog.addProduct(db, now, product)
  await catalog.addPrice(db, now, { id, product_id, amount: cents(plan.amount), frequency })
  return id
}

const feesOf = async ({ license_id }: Subscriber) =>
  await service.world.db.rows<{ kind: string; amount: number; fee: number; fixed_fee: number }>(
    sql`select kind, amount, fee, fixed_fee from invoices
      where license_id = ${license_id} and status = 'paid' and amount > 0 order by number`,
  )

const countAttempts = async ({ license_id }: Subscriber, where = sql`true`) => {
  const row = await service.world.db.one<{ count: number }>(sql`select count(*) as count
    from attempts a join invoices i on i.id = a.invoice_id
    where i.license_id = ${license_id} and i.kind <> 'purchase' and ${where}`)
  return row.count
}

// M1
describe('a charge below the minimum', () => {
  test('is waived: the plan changes at once, nothing is charged, and the service bears it', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const other = await addPlan(app, { amount: 1215, frequency: 'month' })
    const { quote, moved } = await changePlanTo(service, subscriber, other)
    // 15 cents, and a cent of tax in Texas.
    assert.deepEqual([quote.total, quote.is_waived, moved.outcome], [16, true, 'plan_changed'])
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260])
    assert.equal(await countAttempts(subscriber), 0)
    const { license_id } = subscriber
    const [product] = await service.world.db.rows<{ id: string }>(
      sql`select product_id as id from prices where id = ${other}`,
    )
    assert.equal((await stateOf(service, subscriber)).product_id, product!.id)
    const booked = await service.world.db.rows(sql`select e.account, e.amount
      from invoices i join ledger_transactions t on t.subject = i.id
        join ledger_entries e on e.transaction_id = t.id
      where i.license_id = ${license_id} and i.is_waived order by e.position`)
    assert.deepEqual(booked, [
      { account: 'waived', amount: 16 },
      { account: 'tax_payable', amount: -1 },
      { account: 'fees', amount: -1 },
      { account: 'seller_payable', amount: -14 },
    ])
    await passDays(service, 32)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1276])
  })

  test('is waived once between two renewals, and the next small step waits for the period’s end', async () => {
    const app = await otherApp(service, { amount: cents(100) })
    const subscriber = await subscribe(service, { app })
    const steps = []
    for (const amount of [125, 145]) {
      const price_id = await addPlan(app, { amount, frequency: 'month' })
      const { quote, moved } = await changePlanTo(service, subscriber, price_id)
      steps.push([quote.total, moved.outcome])
    }
    const more = await addPlan(app, { amount: 190, frequency: 'month' })
    const charged = await changePlanTo(service, subscriber, more)
    steps.push([charged.quote.total, charged.moved.outcome])
    const again = await addPlan(app, { amount: 200, frequency: 'month' })
    steps.push([0, (await changePlanTo(service, subscriber, again)).moved.outcome])
    assert.deepEqual(steps, [
      [26, 'plan_changed'],
      [0, 'scheduled'],
      [95, 'paid'],
      [0, 'scheduled'],
    ])
    await passDays(service, 32)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [105, 95, 210])
    const more_again = await addPlan(app, { amount: 210, frequency: 'month' })
    const next = await changePlanTo(service, subscriber, more_again)
    assert.equal(next.moved.outcome, 'plan_changed')
  })

  test('does not hide the charge before it: refunding that one in full ends the license', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    await changePlanTo(
      service,
      subscriber,
      await addPlan(app, { amount: 1215, frequency: 'month' }),
    )
    const staff = await staffActor(service)
    const { id: invoice_id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id
      from invoices where license_id = ${subscriber.license_id} and not is_waived`)
    const given = await refundCharge(service.world, staff, { invoice_id, reason: 'Asked for.' })
    assert.equal(given.outcome, 'refunded')
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
  })
})

// M1
describe('a request that the processor refuses', () => {
  test('settles its attempt: a plan change leaves everything as it was and can be tried again', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const dearer = await addPlan(app, { amount: 2400, frequency: 'month' })
    const before = await stateOf(service, subscriber)
    refusal = 'parameter_invalid'
    const { moved } = await changePlanTo(service, subscriber, dearer)
    refusal = undefined
    assert.equal(moved.outcome, 'not_charged')
    assert.equal(await countAttempts(subscriber, sql`a.status = 'refused'`), 1)
    assert.equal(await countAttempts(subscriber, sql`a.refusal = 'parameter_invalid'`), 1)
    assert.deepEqual(await stateOf(service, subscriber), before)
    assert.equal((await changePlanTo(service, subscriber, dearer)).moved.outcome, 'paid')
  })

  test('of a renewal is past due and follows the retry schedule, with one invoice in all', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    refusal = 'parameter_invalid'
    await passDays(service, 32)
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
    await passDays(service, 25)
    refusal = undefined
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
    assert.equal(await countAttempts(subscriber, sql`a.status = 'refused'`), 8)
    const { count } = await service.world.db.one<{ count: number }>(sql`select count(*) as count
      from invoices where license_id = ${subscriber.license_id} and kind = 'renewal'`)
    assert.equal(count, 1)
  })

  test('writes no invoice while another attempt of the same buyer is open', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const { db } = service.world
    await db.run(sql`insert into attempts (id, invoice_id, requested_by, app_id, email_normalized,
        amount, card, status, created_at)
      select 'att_stuck', i.id, 'buyer', i.app_id, ${subscriber.email}, 1, '{}', 'open',
        ${service.clock.now()} from invoices i where i.license_id = ${subscriber.license_id}`)
    service.clock.pass(31 * DAY)
    for (let round = 0; round < 20; round++) {
      await renewDue(service.world)
      service.clock.pass(600)
    }
    assert.equal((await invoicesOf(service, subscriber)).length, 1)
    const voided = sql`select count(*) as count from invoices
      where license_id = ${subscriber.license_id} and status = 'void'`
    assert.equal((await db.one<{ count: number }>(voided)).count, 0)
    await db.run(sql`update attempts set status = 'closed' where id = 'att_stuck'`)
    await runDue(service)
    assert.equal((await invoicesOf(service, subscriber)).length, 2)
  })
})

// M11
describe('the credit of an upgrade', () => {
  test('comes from the amounts that were kept, over all invoices of the period', async () => {
    const app = await otherApp(service, { amount: cents(9600), frequency: 'year' })
    const subscriber = await subscribe(service, { app })
    const middle = await addPlan(app, { amount: 20_000, frequency: 'year' })
    await changePlanTo(service, subscriber, middle)
    const staff = await staffActor(service)
    const { id: invoice_id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id
      from invoices where license_id = ${subscriber.license_id} and kind = 'purchase'`)
    await refundCharge(service.world, staff, { invoice_id, reason: 'Asked for.' })
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    const top = await addPlan(app, { amount: 36_000, frequency: 'year' })
    const { quote } = await changePlanTo(service, subscriber, top)
    assert.ok(quote.change.when === 'now')
    // Of the $200.00 plan $104.00 were paid and kept: its $96.00 of credit were refunded.
    assert.deepEqual([quote.change.credit, quote.change.due], [10_400, 25_600])
  })

  test('leaves the seller everything but the percentage: the fixed 50 cents were charged for the period', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    await changePlanTo(
      service,
      subscriber,
      await addPlan(app, { amount: 1300, frequency: 'month' }),
    )
    await passDays(service, 32)
    assert.deepEqual(await feesOf(subscriber), [
      { kind: 'purchase', amount: 1200, fee: 110, fixed_fee: 50 },
      { kind: 'upgrade', amount: 100, fee: 5, fixed_fee: 0 },
      { kind: 'renewal', amount: 1300, fee: 115, fixed_fee: 50 },
    ])
  })

  test('to a yearly plan happens at once even if it costs less per month, and back at the period’s end', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const yearly = await addPlan(app, { amount: 9600, frequency: 'year' })
    const { quote, moved } = await changePlanTo(service, subscriber, yearly)
    assert.deepEqual([quote.change.when, quote.total, moved.outcome], ['now', 8820, 'paid'])
    service.clock.pass(344 * DAY)
    const back = await changePlanTo(service, subscriber, app.price_id)
    assert.deepEqual([back.quote.change.when, back.moved.outcome], ['period_end', 'scheduled'])
    // F23
    assert.deepEqual([back.quote.renewal.amount, back.quote.renewal.total], [1200, 1260])
  })
})

// M8
describe('a plan change within a trial', () => {
  const start = async () => {
    const app = await otherApp(service, { amount: cents(300), trial_days: 30 })
    const subscriber = await subscribe(service, { app })
    const began = service.clock.now()
    assert.equal((await stateOf(service, subscriber)).status, 'trialing')
    return { app, subscriber, began }
  }

  test('to a plan without a trial ends it: the full price is charged, with the fixed fee', async () => {
    const { app, subscriber } = await start()
    await passDays(service, 2)
    const dear = await addPlan(app, { amount: 99_900, frequency: 'month' })
    const { quote, moved } = await changePlanTo(service, subscriber, dear)
    assert.equal(moved.outcome, 'paid')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [0, quote.total])
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    const fee = 4995 + 50
    assert.deepEqual(await feesOf(subscriber), [
      { kind: 'upgrade', amount: 99_900, fee, fixed_fee: 50 },
    ])
  })

  test('to a plan with a shorter trial shortens it, and a longer one does not extend it', async () => {
    for (const [trial_days, ends] of [
      [10, 10],
      [90, 30],
    ] as const) {
      const { app, subscriber, began } = await start()
      await passDays(service, 2)
      const plan = await addPlan(app, { amount: 2400, frequency: 'month', trial_days })
      const { moved } = await changePlanTo(service, subscriber, plan)
      assert.equal(moved.outcome, 'plan_changed')
      const { status, period_end } = await stateOf(service, subscriber)
      assert.deepEqual([status, period_end], ['trialing', isoDate(addDays(began, ends))])
      await passDays(service, ends - 3)
      assert.deepEqual(await chargedAmounts(service, subscriber.email), [0])
      await passDays(service, 2)
      assert.deepEqual(await chargedAmounts(service, subscriber.email), [0, 2520])
      assert.equal((await stateOf(service, subscriber)).status, 'active')
    }
  })
})

// F9
describe('a refund of an upgrade', () => {
  const upgraded = async (pass = 0) => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    service.clock.pass(pass)
    await changePlanTo(service, subscriber, await addPlan(app, { amount: 18_000, frequency: null }))
    return { subscriber, invoice_id: await upgradeOf(subscriber) }
  }
  const upgradeOf = async ({ license_id }: Subscriber) => {
    const { id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id from invoices
      where license_id = ${license_id} and kind = 'upgrade'`)
    return id
  }
  const seller = async () => await sellerActor(service)
  const backOf = async ({ license_id }: Subscriber) =>
    await service.world.db.rows<{ kind: string; amount: number }>(sql`
      select i.kind, r.amount from refunds r join charges c on c.id = r.charge_id
        join invoices i on i.id = c.invoice_id
      where i.license_id = ${license_id} and r.status <> 'refused' order by i.number`)

  test('offers the used credit, and refunds everything that was paid for the period', async () => {
    const { subscriber, invoice_id } = await upgraded()
    const quote = await quoteRefund(service.world, await seller(), { invoice_id })
    assert.ok('reversal' in quote && quote.credit)
    // $168.00 and its tax; the $12.00 of the previous plan, with theirs.
    assert.deepEqual([quote.left, quote.credit.reversal.amount], [17_640, 1260])
    const requested = { invoice_id, with_credit: true, reason: 'Asked for.' }
    const given = await refundCharge(service.world, await seller(), requested)
    assert.equal(given.outcome, 'refunded')
    assert.deepEqual(await backOf(subscriber), [
      { kind: 'purchase', amount: 1260 },
      { kind: 'upgrade', amount: 17_640 },
    ])
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
  })

  test('refunds only the used part of the previous plan, as an option', async () => {
    const { subscriber, invoice_id } = await upgraded(15 * DAY)
    const quote = await quoteRefund(service.world, await seller(), { invoice_id })
    assert.ok('reversal' in quote && quote.credit)
    const { credit } = (await invoicesOf(service, subscriber))[1]!
    assert.equal(quote.credit.reversal.amount, Math.round((1260 * credit) / 1200))
    await refundCharge(service.world, await seller(), { invoice_id, reason: 'Asked for.' })
    assert.deepEqual(
      (await backOf(subscriber)).map(({ kind }) => kind),
      ['upgrade'],
    )
  })

  test('refunds no credit after a renewal, and none that differs from what was agreed', async () => {
    const app = await otherApp(service, { amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const plan = await addPlan(app, { amount: 18_000, frequency: 'month' })
    await changePlanTo(service, subscriber, plan)
    const invoice_id = await upgradeOf(subscriber)
    const requested = { invoice_id, with_credit: true, reason: 'Asked for.' }
    const refuse = async (seen_credit: number) => {
      const agreed = { ...requested, seen_credit: cents(seen_credit) }
      const asked = await refundCharge(service.world, await seller(), agreed)
      assert.deepEqual(asked, { outcome: 'refused', refusal: 'changed' })
    }
    await refuse(1259)
    service.clock.pass(32 * DAY)
    while ((await renewDue(service.world)) > 0);
    const quote = await quoteRefund(service.world, await seller(), { invoice_id })
    assert.ok('reversal' in quote && !quote.credit)
    await refuse(1260)
    assert.deepEqual(await backOf(subscriber), [])
  })

  test('in part offers no credit, and refunds none', async () => {
    const { subscriber, invoice_id } = await upgraded()
    const amount = cents(100)
    const quote = await quoteRefund(service.world, await seller(), { invoice_id, amount })
    assert.ok('reversal' in quote && !quote.credit)
    const requested = { invoice_id, amount, with_credit: true, reason: 'Asked for.' }
    const given = await refundCharge(service.world, await seller(), requested)
    assert.equal(given.outcome, 'refused')
    assert.deepEqual(await backOf(subscriber), [])
  })
})
