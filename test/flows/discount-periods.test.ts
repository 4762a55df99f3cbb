import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as discounts from '#domain/discounts'
import * as metrics from '#domain/metrics'
import { quoteRefund, refundCharge } from '#flows/refund'
import { nextCharge, pauseAtEnd } from '#flows/subscription'
import type { InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { BUYER_EMAILS } from '../../src/surfaces/emails/buyer.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import {
  addPlan,
  buyWithCode,
  goToConfirmWithCode,
  PAY,
  subscriberOf,
} from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import { buyerActor, invoicesOf, otherApp, passDays } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const buttonOf = ({ page }: Agent) =>
  /Pay \$[\d.,]+|Start free trial|Complete order/.exec(textOf(page.body))?.[0]

const uses = (id: Parameters<typeof discounts.countUses>[1]['id']) =>
  discounts.countUses(service.world.db, { id, except: null })

describe('a discount of a subscription', () => {
  test('applies to as many periods as the code says, and then no longer', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { periods: 3 })
    const subscriber = await buyWithCode(service, app, code)
    await passDays(service, 130)
    const taken = await chargedAmounts(service, subscriber.email)
    assert.deepEqual(taken, [840, 840, 840, 1050, 1050])
  })

  test('continues after the seller turned the code off, where it applies to all periods', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id, { periods: null })
    const subscriber = await buyWithCode(service, app, code)
    const off = { app_id: app.client_id, id, is_active: false }
    assert.ok(await discounts.setActive(service.world.db, off))
    await passDays(service, 62)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [840, 840, 840])
  })

  test('begins with the first charge after a trial', async () => {
    const app = await otherApp(service, { amount: cents(1000), trial_days: 14 })
    const { id, code } = await addCode(service, app.client_id)
    const agent = await goToConfirmWithCode(service, app, code)
    assert.match(agent.text, /Then \$8.40 once, then \$10.50 per month/)
    assert.match(textOf((await agent.submit('Start free trial')).body), /License key/)
    assert.equal(await uses(id), 1)
    await passDays(service, 14 + 32)
    assert.deepEqual(await chargedAmounts(service, agent.email), [0, 840, 1050])
  })

  test('is part of every display of the next charge', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { periods: 2 })
    const { license_id, agent } = await buyWithCode(service, app, code)
    const page = await agent.open(`/manage/${app.client_id}/`)
    assert.match(
      textOf(page.body),
      new RegExp(`Discount ${code}, for 1 more period Next charge \\$8.40`),
    )
    const next = async () => (await nextCharge(service.world, license_id))!.total
    assert.equal(await next(), 840)
    await passDays(service, 32)
    assert.equal(await next(), 1050)
  })

  test('that leaves too little to charge is shown as waived wherever the next charge is', async () => {
    const app = await otherApp(service, { amount: cents(1000), trial_days: 14 })
    const { code } = await addCode(service, app.client_id, { percent: 97, periods: null })
    const { agent, email, license_id } = await buyWithCode(service, app, code)
    await agent.open(`/manage/${app.client_id}/`)
    assert.match(agent.text, /First charge \$0\.00 on/)
    assert.match(agent.text, /\$0\.30 plus \$0\.02 sales tax \(TX\)\. Waived/)
    await agent.open('/account/')
    assert.match(agent.text, /First charge \$0\.00 on/)
    const { content } = (await BUYER_EMAILS.trial_ending(service.world, {
      subject_id: license_id,
    } as never))!
    assert.match(JSON.stringify(content), /Nothing is charged that day/)
    await passDays(service, 15)
    assert.deepEqual(await chargedAmounts(service, email), [0])
  })

  test('of the whole price resumes a paused plan without a payment, and says so', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const { code } = await addCode(service, app.client_id, { percent: 100, periods: null })
    const subscriber = await buyWithCode(service, app, code)
    const { agent, license_id } = subscriber
    await pauseAtEnd(service.world, buyerActor(subscriber), { license_id, to: 'on' })
    await passDays(service, 32)
    await signInAs(service, subscriber, { agent })
    await agent.open(`/manage/${app.client_id}/`)
    await agent.submit('Resume for $0.00')
    assert.match(agent.text, /Your license is active\. Nothing was charged\./)
    assert.doesNotMatch(agent.text, /The payment went through/)
  })

  test('of the whole price renews for nothing, with a receipt for each period', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 100, periods: 2 })
    const agent = await goToConfirmWithCode(service, app, code)
    assert.equal(buttonOf(agent), 'Complete order')
    assert.match(agent.text, /Sales tax \(TX\) \$0\.00/)
    await agent.submit(PAY)
    const subscriber = await subscriberOf(service, agent, app)
    const page = await agent.open(`/manage/${app.client_id}/`)
    assert.match(textOf(page.body), /\$0\.00 plus \$0\.00 sales tax \(TX\)/)
    await passDays(service, 62)
    // The card was checked for nothing, and charged when the discount had ended.
    assert.deepEqual(await chargedAmounts(service, agent.email), [0, 1050])
    const paid = await service.world.db.rows<{ amount: number; number: number | null }>(sql`
      select amount, number from invoices where license_id = ${subscriber.license_id}
      order by number`)
    assert.deepEqual(
      paid.map(({ amount }) => amount),
      [0, 0, 1000],
    )
    assert.ok(paid.every(({ number }) => number !== null))
  })
})

describe('a plan change with a discount', () => {
  test('credits what was really paid, and takes the discount off the new price', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 50, periods: 3 })
    const subscriber = await buyWithCode(service, app, code)
    const { price_id } = await addPlan(service, app, 3000)
    const { quote, moved } = await changePlanTo(service, subscriber, price_id)
    assert.equal(moved.outcome, 'paid')
    // 30.00 less half, less the 5.00 that were paid for a period of which nothing has passed.
    assert.deepEqual([quote.discount?.amount, quote.total, quote.renewal.total], [1500, 1050, 1575])
    const [, upgrade] = await invoicesOf(service, subscriber)
    assert.deepEqual([upgrade!.amount, upgrade!.credit], [1000, 500])
    await passDays(service, 62)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [525, 1050, 1575, 3150])
  })

  test('has the fixed part of the fee where the period before was free', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 100 })
    const subscriber = await buyWithCode(service, app, code)
    const { price_id } = await addPlan(service, app, 3000)
    const { quote } = await changePlanTo(service, subscriber, price_id)
    // Nothing was paid, so nothing is credited.
    assert.equal(quote.total, 3150)
    const fees = await service.world.db.rows(sql`select kind, fee, fixed_fee from invoices
      where license_id = ${subscriber.license_id} order by number`)
    assert.deepEqual(fees, [
      { kind: 'purchase', fee: 0, fixed_fee: 0 },
      { kind: 'upgrade', fee: 200, fixed_fee: 50 },
    ])
  })

  test('in a trial, to a price that is paid once, may cost nothing', async () => {
    const app = await otherApp(service, { amount: cents(1000), trial_days: 14 })
    const { code } = await addCode(service, app.client_id, { percent: 100, periods: null })
    const subscriber = await buyWithCode(service, app, code)
    const { price_id } = await addPlan(service, app, 9000, null)
    const { quote, moved } = await changePlanTo(service, subscriber, price_id)
    assert.deepEqual([quote.total, moved.outcome], [0, 'plan_changed'])
    await passDays(service, 40)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [0])
  })

  test('leaves the discount aside for a product that it does not apply to', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const product_ids = [app.product_id]
    const { code } = await addCode(service, app.client_id, { product_ids, periods: null })
    const subscriber = await buyWithCode(service, app, code)
    const { price_id } = await addPlan(service, app, 3000)
    const listed = async () => {
      const query = { app_id: app.client_id, sort: 'newest', limit: 1 } as const
      return (await metrics.listSubscriptions(service.world.db, query))[0]?.discount_code
    }
    assert.equal(await listed(), code)
    const { quote } = await changePlanTo(service, subscriber, price_id)
    assert.equal(quote.discount, undefined)
    assert.equal(await listed(), null)
    const page = await subscriber.agent.open(`/manage/${app.client_id}/`)
    assert.match(textOf(page.body), /Next charge \$31\.50/)
    assert.ok(!textOf(page.body).includes(code))
    await passDays(service, 31)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [840, 2310, 3150])
  })
})

describe('a refund of a discounted payment', () => {
  test('is of what was paid: in part, and then in full, which ends the license', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id)
    const subscriber = await buyWithCode(service, app, code)
    const staff = await staffActor(service)
    const { id: invoice_id } = await service.world.db.one<{ id: InvoiceId }>(
      sql`select id from invoices where license_id = ${subscriber.license_id}`,
    )
    const reason = 'Asked for.'
    const quote = await quoteRefund(service.world, staff, { invoice_id })
    assert.equal(quote.left, 840)
    const part = { invoice_id, amount: cents(400), reason }
    assert.equal((await refundCharge(service.world, staff, part)).outcome, 'refunded')
    const rest = { invoice_id, reason }
    assert.equal((await refundCharge(service.world, staff, rest)).outcome, 'refunded')
    const back = await service.world.db.one(sql`select sum(r.amount)::bigint as amount,
      sum(r.tax)::bigint as tax from refunds r join charges c on c.id = r.charge_id
      where c.invoice_id = ${invoice_id}`)
    assert.deepEqual(back, { amount: 840, tax: 40 })
    const license = await service.world.db.one(
      sql`select status from licenses where id = ${subscriber.license_id}`,
    )
    assert.deepEqual(license, { status: 'canceled' })
  })

  test('of a renewal that followed a free period is of that renewal', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 100 })
    const subscriber = await buyWithCode(service, app, code, CARD.good)
    await passDays(service, 31)
    const staff = await staffActor(service)
    const [free, charged] = await service.world.db.rows<{ id: InvoiceId }>(
      sql`select id from invoices where license_id = ${subscriber.license_id} order by number`,
    )
    const none = await quoteRefund(service.world, staff, { invoice_id: free!.id })
    assert.ok('refusal' in none && none.refusal === 'not_paid')
    const quote = await quoteRefund(service.world, staff, { invoice_id: charged!.id })
    assert.ok('reversal' in quote && quote.ends_license)
    assert.equal(quote.left, 1050)
  })
})
