import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import { quoteRefund, refundCharge } from '#flows/refund'
import { nextCharge } from '#flows/subscription'
import type { Frequency } from '#platform/calendar'
import { type InvoiceId, mintId, type PriceId, type ProductId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { writePurchaseReceipt } from '../../src/surfaces/emails/purchase-receipt.ts'
import { type Agent, textOf } from '../support/agent.ts'
import type { OtherApp } from '../support/apps.ts'
import { addCode } from '../support/discounts.ts'
import { closeSound } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { buyer, enterCard, TEXAS, takenFrom } from '../support/purchase.ts'
import { staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { CARD, invoicesOf, otherApp, passDays, type Subscriber } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => closeSound(service))

let names = 0
const fresh = () => `discount-${names++}@example.com`

/** Opens a buy link with a code, up to the confirmation page; Texas adds 5 percent tax. */
async function goWith(
  app: OtherApp,
  code: string,
  facts: { email?: string; card?: string; agent?: Agent } = {},
): Promise<Agent & { email: string }> {
  const agent = facts.agent ?? buyer(service)
  const email = facts.email ?? fresh()
  await agent.open(`/buy/${app.price_id}/?discount=${code}`)
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent, facts.card)
  return Object.assign(agent, { email })
}

const PAY = /^(Pay|Start|Complete) /
const buttonOf = ({ page }: Agent) =>
  /Pay \$[\d.,]+|Start free trial|Complete order/.exec(textOf(page.body))?.[0]

/** Buys with a code, and returns the subscriber. */
async function buyWith(app: OtherApp, code: string, card?: string): Promise<Subscriber> {
  const agent = await goWith(app, code, card === undefined ? {} : { card })
  assert.match(textOf((await agent.submit(PAY)).body), /License key/)
  return await subscriberOf(agent, app)
}

async function subscriberOf(agent: Agent & { email: string }, app: OtherApp): Promise<Subscriber> {
  const { email } = agent
  const found = await service.world.db.one<Pick<Subscriber, 'license_id' | 'user_id'>>(sql`
    select l.id as license_id, l.user_id from licenses l join users u on u.id = l.user_id
    where u.email_normalized = ${email} and l.status <> 'canceled'`)
  return { ...found, agent, email, app, license_key: '' }
}

/** Another plan of an app. */
async function addPlan(app: OtherApp, amount: number, frequency: Frequency | null = 'month') {
  const { db, random } = service.world
  const now = service.clock.now()
  const product_id: ProductId = mintId(random, 'prod')
  const id: PriceId = mintId(random, 'prc')
  const plan = { name: `Plan ${product_id.slice(-4)}`, description: '', is_free: false }
  const product = { ...plan, id: product_id, app_id: app.client_id, position: 1, trial_days: 0 }
  await catalog.addProduct(db, now, product)
  await catalog.addPrice(db, now, { id, product_id, amount: cents(amount), frequency })
  return { product_id, price_id: id }
}

const uses = (id: Parameters<typeof discounts.countUses>[1]['id']) =>
  discounts.countUses(service.world.db, { id, except: null })

const linesOf = async ({ license_id }: Subscriber) =>
  await service.world.db.rows<{ kind: string; amount: number; code: string | null }>(sql`
    select n.kind, n.amount, n.code from invoice_lines n join invoices i on i.id = n.invoice_id
    where i.license_id = ${license_id} order by i.number, n.position`)

describe('a purchase with a discount code', () => {
  test('charges what remains, with the tax and the fee on it', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id)
    const agent = await goWith(app, code.toLowerCase())
    const page = textOf(agent.page.body)
    assert.match(page, new RegExp(`Discount ${code} −\\$2.00 Subtotal \\$8.00`))
    assert.match(page, /Sales tax \(TX\) \$0.40 Due today \$8.40/)
    assert.match(page, /Renews monthly at \$10.50\./)
    assert.equal(buttonOf(agent), 'Pay $8.40')
    assert.match(textOf((await agent.submit(PAY)).body), new RegExp(`Discount ${code} −\\$2.00`))
    const subscriber = await subscriberOf(agent, app)
    assert.deepEqual(await takenFrom(service, agent.email), [840])
    assert.deepEqual(await linesOf(subscriber), [
      { kind: 'price', amount: 1000, code: null },
      { kind: 'discount', amount: -200, code },
    ])
    const figures = await service.world.db.rows(sql`select amount, tax, fee from invoices
      where license_id = ${subscriber.license_id}`)
    // Five percent of 8.00, and 50 cents.
    assert.deepEqual(figures, [{ amount: 800, tax: 40, fee: 90 }])
    assert.equal(await uses(id), 1)
  })

  test('names the code in the receipt, and what the next period costs', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id)
    const subscriber = await buyWith(app, code)
    const order_id = (await billing.orderOfLicense(service.world.db, subscriber.license_id))!
    const { content } = await writePurchaseReceipt(service.world, order_id)
    const rows = content.blocks.flatMap((block) => (block.kind === 'rows' ? block.rows : []))
    assert.deepEqual(rows[3], [`Discount ${code}`, '−$2.00'])
    assert.match(new Map(rows).get('Renewal')!, /^\$10.50 on /)
  })

  test('can be entered and removed on the confirmation page', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id)
    const agent = await goWith(app, '')
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit('Apply', { discount: 'NO-SUCH-CODE' })
    assert.match(textOf(agent.page.body), /Not applied. No such code exists/)
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit('Apply', { discount: ` ${code.toLowerCase()} ` })
    assert.equal(buttonOf(agent), 'Pay $8.40')
    await agent.submit('Remove code')
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit(PAY)
    assert.deepEqual(await takenFrom(service, agent.email), [1050])
    assert.equal(await uses(id), 0)
  })

  test('is never blocked by a code that does not apply, and says why', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const other = await addPlan(app, 2000)
    for (const [facts, reason] of [
      [{ valid_until: service.clock.now() }, 'It is no longer valid'],
      [{ product_ids: [other.product_id] }, 'It does not apply to this plan'],
      [undefined, 'No such code exists'],
    ] as const) {
      const code = facts ? (await addCode(service, app.client_id, facts)).code : '<b>"x'
      const agent = buyer(service)
      const page = await agent.open(`/buy/${app.price_id}/?discount=${encodeURIComponent(code)}`)
      assert.match(textOf(page.body), new RegExp(`Discount code not applied.*${reason}`))
      const at = await goWith(app, encodeURIComponent(code), { agent })
      assert.match(textOf(at.page.body), new RegExp(`Not applied. ${reason}`))
      await at.submit(PAY)
      assert.deepEqual(await takenFrom(service, at.email), [1050])
    }
  })

  test('that expires before the confirmation is shown again without the discount', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const valid_until = new Date(service.clock.now().getTime() + 60_000)
    const { code } = await addCode(service, app.client_id, { valid_until })
    const agent = await goWith(app, code)
    assert.equal(buttonOf(agent), 'Pay $8.40')
    service.clock.pass(61)
    await agent.submit(PAY)
    const page = textOf(agent.page.body)
    assert.match(page, /Your order has changed/)
    assert.match(page, /Not applied. It is no longer valid/)
    assert.deepEqual(await takenFrom(service, agent.email), [])
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit(PAY)
    assert.deepEqual(await takenFrom(service, agent.email), [1050])
  })
})

describe('the uses of a code', () => {
  test('are returned by a declined card, and kept by a paid purchase', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id, { max_uses: 1 })
    const declined = await goWith(app, code, { card: '4000000000000002' })
    assert.match(textOf((await declined.submit(PAY)).body), /declined/)
    assert.equal(await uses(id), 0)
    const agent = await goWith(app, code)
    await agent.submit(PAY)
    assert.deepEqual(await takenFrom(service, agent.email), [840])
    assert.equal(await uses(id), 1)
    const late = await goWith(app, code)
    assert.match(textOf(late.page.body), /Not applied. It was used as often as it can be/)
  })

  test('end with the last one, however many buyers confirm at once', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id, { max_uses: 2 })
    const agents: (Agent & { email: string })[] = []
    for (let index = 0; index < 5; index++) agents.push(await goWith(app, code))
    await Promise.all(agents.map((agent) => agent.submit(PAY)))
    const taken = await Promise.all(agents.map(({ email }) => takenFrom(service, email)))
    assert.deepEqual(taken.flat(), [840, 840])
    assert.equal(await uses(id), 2)
    const others = agents.filter((_, index) => taken[index]!.length === 0)
    for (const agent of others) assert.equal(buttonOf(agent), 'Pay $10.50')
  })

  test('by one buyer are limited where the code says so', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const once = await addCode(service, app.client_id, { is_once_per_buyer: true })
    const first = await addCode(service, app.client_id, { is_first_purchase: true })
    const subscriber = await buyWith(app, once.code)
    const read = (code: string) =>
      discounts.purchasesBefore(service.world.db, {
        app_id: app.client_id,
        email_normalized: subscriber.email,
        id: code === once.code ? once.id : first.id,
      })
    assert.deepEqual(await read(once.code), { bought_before: true, used_before: true })
    assert.deepEqual(await read(first.code), { bought_before: true, used_before: false })
  })
})

describe('a discount of a subscription', () => {
  test('applies to as many periods as the code says, and then no longer', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { periods: 3 })
    const subscriber = await buyWith(app, code)
    await passDays(service, 130)
    const taken = await takenFrom(service, subscriber.email)
    assert.deepEqual(taken, [840, 840, 840, 1050, 1050])
  })

  test('continues after the seller turned the code off, where it applies to all periods', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id, { periods: null })
    const subscriber = await buyWith(app, code)
    const off = { app_id: app.client_id, id, is_active: false }
    assert.ok(await discounts.setActive(service.world.db, off))
    await passDays(service, 62)
    assert.deepEqual(await takenFrom(service, subscriber.email), [840, 840, 840])
  })

  test('begins with the first charge after a trial', async () => {
    const app = await otherApp(service, { amount: cents(1000), trial_days: 14 })
    const { id, code } = await addCode(service, app.client_id)
    const agent = await goWith(app, code)
    assert.match(textOf(agent.page.body), /Then \$8.40 once, then \$10.50 per month/)
    assert.match(textOf((await agent.submit('Start free trial')).body), /License key/)
    assert.equal(await uses(id), 1)
    await passDays(service, 14 + 32)
    assert.deepEqual(await takenFrom(service, agent.email), [0, 840, 1050])
  })

  test('is known to whatever names the next charge', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { periods: 2 })
    const { license_id, agent } = await buyWith(app, code)
    const page = await agent.open(`/manage/${app.client_id}/`)
    assert.match(
      textOf(page.body),
      new RegExp(`Discount ${code}, for 1 more period Next charge \\$8.40`),
    )
    const next = async () =>
      (await nextCharge(service.world, { license_id, app: { clock_ahead: 0 } }))!.total
    assert.equal(await next(), 840)
    await passDays(service, 32)
    assert.equal(await next(), 1050)
  })

  test('of the whole price renews for nothing, with a receipt for each period', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 100, periods: 2 })
    const agent = await goWith(app, code)
    assert.equal(buttonOf(agent), 'Complete order')
    await agent.submit(PAY)
    const subscriber = await subscriberOf(agent, app)
    await passDays(service, 62)
    // The card was checked for nothing, and charged when the discount had ended.
    assert.deepEqual(await takenFrom(service, agent.email), [0, 1050])
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

describe('what a discount leaves', () => {
  test('of a price that is paid once may be nothing: the license needs no charge', async () => {
    const app = await otherApp(service, { amount: cents(1000), frequency: null })
    const { code } = await addCode(service, app.client_id, { amount: cents(5000) })
    const agent = await goWith(app, code)
    assert.equal(buttonOf(agent), 'Complete order')
    assert.match(textOf((await agent.submit(PAY)).body), /License key/)
    assert.deepEqual(await takenFrom(service, agent.email), [0])
  })

  test('below the smallest charge is waived: the service bears it', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 97 })
    const agent = await goWith(app, code)
    assert.match(textOf(agent.page.body), /Waived \(below the minimum charge\) −\$0.32/)
    assert.equal(buttonOf(agent), 'Complete order')
    await agent.submit(PAY)
    const subscriber = await subscriberOf(agent, app)
    const figures = await service.world.db.rows(sql`select amount, tax, fee, is_waived
      from invoices where license_id = ${subscriber.license_id}`)
    assert.deepEqual(figures, [{ amount: 30, tax: 2, fee: 30, is_waived: true }])
    await passDays(service, 32)
    assert.deepEqual(await takenFrom(service, agent.email), [0, 1050])
  })
})

describe('a plan change with a discount', () => {
  test('credits what was really paid, and takes the discount off the new price', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 50, periods: 3 })
    const subscriber = await buyWith(app, code)
    const { price_id } = await addPlan(app, 3000)
    const { quote, moved } = await changePlanTo(service, subscriber, price_id)
    assert.equal(moved.outcome, 'paid')
    // 30.00 less half, less the 5.00 that were paid for a period of which nothing has passed.
    assert.deepEqual([quote.discount?.amount, quote.total, quote.renewal.total], [1500, 1050, 1575])
    const [, upgrade] = await invoicesOf(service, subscriber)
    assert.deepEqual([upgrade!.amount, upgrade!.credit], [1000, 500])
    await passDays(service, 62)
    assert.deepEqual(await takenFrom(service, subscriber.email), [525, 1050, 1575, 3150])
  })

  test('has the fixed part of the fee where the period before was free', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 100 })
    const subscriber = await buyWith(app, code)
    const { price_id } = await addPlan(app, 3000)
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
    const subscriber = await buyWith(app, code)
    const { price_id } = await addPlan(app, 9000, null)
    const { quote, moved } = await changePlanTo(service, subscriber, price_id)
    assert.deepEqual([quote.total, moved.outcome], [0, 'plan_changed'])
    await passDays(service, 40)
    assert.deepEqual(await takenFrom(service, subscriber.email), [0])
  })

  test('leaves the discount aside for a product that it does not apply to', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const product_ids = [app.product_id]
    const { code } = await addCode(service, app.client_id, { product_ids, periods: null })
    const subscriber = await buyWith(app, code)
    const { price_id } = await addPlan(app, 3000)
    const { quote } = await changePlanTo(service, subscriber, price_id)
    assert.equal(quote.discount, undefined)
    await passDays(service, 31)
    assert.deepEqual(await takenFrom(service, subscriber.email), [840, 2310, 3150])
  })
})

describe('a refund of a discounted payment', () => {
  test('is of what was paid: in part, and then in full, which ends the license', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id)
    const subscriber = await buyWith(app, code)
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
    const subscriber = await buyWith(app, code, CARD.good)
    await passDays(service, 31)
    const staff = await staffActor(service)
    const [free, charged] = await service.world.db.rows<{ id: InvoiceId }>(
      sql`select id from invoices where license_id = ${subscriber.license_id} order by number`,
    )
    const none = await quoteRefund(service.world, staff, { invoice_id: free!.id })
    assert.ok('refusal' in none && none.refusal === 'not_paid')
    const quote = await quoteRefund(service.world, staff, { invoice_id: charged!.id })
    assert.ok('back' in quote && quote.ends_license)
    assert.equal(quote.left, 1050)
  })
})
