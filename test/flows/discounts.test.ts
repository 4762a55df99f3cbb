import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import { checkoutTotals, confirm, findPricedCart } from '#flows/checkout'
import { parseId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { writePurchaseReceipt } from '../../src/surfaces/emails/purchase-receipt.ts'
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
import { forceStatus } from '../support/licenses.ts'
import { buyer, chargedAmounts, enterCard, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import { otherApp, passDays, type Subscriber } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const buttonOf = ({ page }: Agent) =>
  /Pay \$[\d.,]+|Start free trial|Complete order/.exec(textOf(page.body))?.[0]

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
    const agent = await goToConfirmWithCode(service, app, code.toLowerCase())
    const page = agent.text
    assert.match(page, new RegExp(`Discount ${code} −\\$2.00 Subtotal \\$8.00`))
    assert.match(page, /Sales tax \(TX\) \$0.40 Due today \$8.40/)
    assert.match(page, /Renews monthly at \$10.50\./)
    assert.equal(buttonOf(agent), 'Pay $8.40')
    assert.match(textOf((await agent.submit(PAY)).body), new RegExp(`Discount ${code} −\\$2.00`))
    const subscriber = await subscriberOf(service, agent, app)
    assert.deepEqual(await chargedAmounts(service, agent.email), [840])
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
    const subscriber = await buyWithCode(service, app, code)
    const order_id = (await billing.orderOfLicense(service.world.db, subscriber.license_id))!
    const order = (await billing.orderDetails(service.world.db, order_id))!
    const { content } = await writePurchaseReceipt(service.world, order)
    const rows = content.blocks.flatMap((block) => (block.kind === 'rows' ? block.rows : []))
    assert.deepEqual(rows[3], [`Discount ${code}`, '−$2.00'])
    assert.match(new Map(rows).get('Renewal')!, /^\$10.50 on /)
  })

  test('can be entered and removed on the confirmation page', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id)
    const agent = await goToConfirmWithCode(service, app, '')
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit('Apply', { discount: 'NO-SUCH-CODE' })
    assert.match(agent.text, /Not applied. This code does not exist/)
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit('Apply', { discount: ` ${code.toLowerCase()} ` })
    assert.equal(buttonOf(agent), 'Pay $8.40')
    await agent.submit('Remove code')
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, agent.email), [1050])
    assert.equal(await uses(id), 0)
  })

  test('is shown on a card page that was open before, and its card is taken', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id)
    const agent = await goToConfirmWithCode(service, app, '')
    const card_url = agent.page.url.replace('confirm', 'card')
    const open = await agent.openTab(card_url)
    assert.match(open.text, /\$10\.50/)
    await agent.submit('Apply', { discount: code })
    const again = await agent.openTab(card_url)
    assert.match(again.text, /\$8\.40/)
    assert.doesNotMatch(again.text, /\$10\.50 due today/)
    await enterCard(open, '5555555555554444')
    assert.match(open.text, /ending in 4444/)
    assert.equal(buttonOf(open), 'Pay $8.40')
  })

  test('is never blocked by a code that does not apply, and says why', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const other = await addPlan(service, app, 2000)
    for (const [facts, reason] of [
      [{ valid_until: service.clock.now() }, 'It is no longer valid'],
      [{ product_ids: [other.product_id] }, 'It does not apply to this plan'],
      [undefined, 'This code does not exist'],
    ] as const) {
      const code = facts ? (await addCode(service, app.client_id, facts)).code : '<b>"x'
      const agent = buyer(service)
      const page = await agent.open(`/buy/${app.price_id}/?discount=${encodeURIComponent(code)}`)
      assert.match(textOf(page.body), new RegExp(`Discount code not applied.*${reason}`))
      const at = await goToConfirmWithCode(service, app, encodeURIComponent(code), { agent })
      assert.match(at.text, new RegExp(`Not applied. ${reason}`))
      await at.submit(PAY)
      assert.deepEqual(await chargedAmounts(service, at.email), [1050])
    }
  })

  test('is not mentioned once a payment without it was declined, unless it is entered', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const agent = await goToConfirmWithCode(service, app, 'NONE', { card: CARD.verifies_only })
    assert.match(agent.text, /Not applied. This code does not exist/)
    await agent.submit(PAY)
    assert.match(agent.text, /Your card was declined/)
    assert.doesNotMatch(agent.text, /Not applied/)
    await agent.submit('Apply', { discount: 'OTHER' })
    assert.match(agent.text, /Not applied. This code does not exist/)
  })

  test('that expires after a declined card is announced in place of the decline', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const valid_until = new Date(service.clock.now().getTime() + 60_000)
    const { code } = await addCode(service, app.client_id, { valid_until })
    const agent = await goToConfirmWithCode(service, app, code, { card: CARD.verifies_only })
    await agent.submit(PAY)
    assert.match(agent.text, /Your card was declined/)
    service.clock.pass(61)
    await agent.submit(PAY)
    assert.match(agent.text, /Your order has changed.*Not applied/)
    assert.doesNotMatch(agent.text, /declined/)
    assert.equal(buttonOf(agent), 'Pay $10.50')
  })

  test('that expires before the confirmation is shown again without the discount', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const valid_until = new Date(service.clock.now().getTime() + 60_000)
    const { code } = await addCode(service, app.client_id, { valid_until })
    const agent = await goToConfirmWithCode(service, app, code)
    assert.equal(buttonOf(agent), 'Pay $8.40')
    service.clock.pass(61)
    await agent.submit(PAY)
    const page = agent.text
    assert.match(page, /Your order has changed/)
    assert.match(page, /Not applied. It is no longer valid/)
    assert.deepEqual(await chargedAmounts(service, agent.email), [])
    assert.equal(buttonOf(agent), 'Pay $10.50')
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, agent.email), [1050])
  })
})

describe('the uses of a code', () => {
  test('are returned by a declined card, and kept by a paid purchase', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id, { max_uses: 1 })
    const declined = await goToConfirmWithCode(service, app, code, { card: '4000000000000002' })
    assert.match(textOf((await declined.submit(PAY)).body), /declined/)
    assert.equal(await uses(id), 0)
    const agent = await goToConfirmWithCode(service, app, code)
    await agent.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, agent.email), [840])
    assert.equal(await uses(id), 1)
    const late = await goToConfirmWithCode(service, app, code)
    assert.match(late.text, /Not applied. It has reached its usage limit/)
  })

  test('are not counted for a purchase whose code is replaced while it is confirmed', async () => {
    const { world } = service
    const app = await otherApp(service, { amount: cents(1000) })
    const half = await addCode(service, app.client_id, { percent: 50, max_uses: 1 })
    const fifth = await addCode(service, app.client_id)
    const agent = await goToConfirmWithCode(service, app, half.code)
    const cart_id = parseId('cart', /cart_\w+/.exec(agent.page.url)![0])
    const { quote, attempt: _, ...read } = (await findPricedCart(world.db, cart_id))!
    const totals = await checkoutTotals(world, read.cart, { ...read, quote })
    await agent.submit('Remove code')
    await agent.submit('Apply', { discount: fifth.code })
    const { agreement } = totals
    const request = { cart_id, agreement, return_url: world.config.base_url }
    const confirmed = await confirm(world, { ...request, seen: { ...read, totals } })
    assert.deepEqual(confirmed, { outcome: 'changed' })
    assert.deepEqual(await chargedAmounts(service, agent.email), [])
    assert.deepEqual([await uses(half.id), await uses(fifth.id)], [0, 0])
  })

  test('end with the last one, however many buyers confirm at once', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { id, code } = await addCode(service, app.client_id, { max_uses: 2 })
    const agents: (Agent & { email: string })[] = []
    for (let index = 0; index < 5; index++)
      agents.push(await goToConfirmWithCode(service, app, code))
    await Promise.all(agents.map((agent) => agent.submit(PAY)))
    const taken = await Promise.all(agents.map(({ email }) => chargedAmounts(service, email)))
    assert.deepEqual(taken.flat(), [840, 840])
    assert.equal(await uses(id), 2)
    const others = agents.filter((_, index) => taken[index]!.length === 0)
    for (const agent of others) assert.equal(buttonOf(agent), 'Pay $10.50')
  })

  test('that are returned are given to an order that began while there was none', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { max_uses: 1 })
    const first = await goToConfirmWithCode(service, app, code, { card: CARD.asks_always })
    await first.submit(PAY)
    const second = await goToConfirmWithCode(service, app, code)
    assert.equal(buttonOf(second), 'Pay $10.50')
    await first.submit('Fail authentication')
    await second.open(second.page.url)
    assert.equal(buttonOf(second), 'Pay $8.40')
    await second.submit(PAY)
    assert.deepEqual(await chargedAmounts(service, second.email), [840])
  })

  test('by one buyer are limited where the code says so', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const once = await addCode(service, app.client_id, { is_once_per_buyer: true })
    const first = await addCode(service, app.client_id, { is_first_purchase: true })
    const subscriber = await buyWithCode(service, app, once.code)
    const read = (code: string) =>
      discounts.purchasesBefore(service.world.db, {
        app_id: app.client_id,
        email_normalized: subscriber.email,
        id: code === once.code ? once.id : first.id,
      })
    assert.deepEqual(await read(once.code), { bought_before: true, used_before: true })
    assert.deepEqual(await read(first.code), { bought_before: true, used_before: false })
  })

  test('are checked once the buyer has signed in: a visitor learns of no purchase', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { is_first_purchase: true })
    const bought = await buyWithCode(service, app, code)
    await forceStatus(service, 'canceled', bought)
    const other = await buyWithCode(service, await otherApp(service, {}), 'NONE')
    for (const { email } of [bought, other]) {
      const visitor = buyer(service)
      await visitor.open(`/buy/${app.price_id}/?discount=${code}`)
      await visitor.submit('Continue', { email, ...TEXAS })
      assert.match(visitor.text, /\$8.40 due today/)
      await visitor.open(visitor.page.url.replace('sign-in', 'card'))
      await enterCard(visitor)
      await visitor.submit('Remove code')
      await visitor.submit('Apply', { discount: code })
      assert.equal(buttonOf(visitor), 'Pay $8.40')
    }
    const owner = buyer(service)
    await owner.open(`/buy/${app.price_id}/?discount=${code}`)
    await owner.submit('Continue', { email: bought.email, ...TEXAS })
    await signInAs(service, bought, { agent: owner })
    await owner.open(owner.page.url)
    await enterCard(owner)
    assert.match(owner.text, /It is for a first purchase only\./)
    assert.equal(buttonOf(owner), 'Pay $10.50')
  })
})

test('codes cannot be guessed by buy links: beyond a few unknown ones, they are ignored', async () => {
  const app = await otherApp(service, { amount: cents(1000) })
  const { code } = await addCode(service, app.client_id, { code: 'SECRET-7' })
  const link = (guess: string) => `/buy/${app.price_id}/?discount=${guess}`
  const guesser = buyer(service)
  for (let guess = 0; guess < 20; guess++) await guesser.open(link(`GUESS-${guess}`))
  const page = await guesser.open(link(code))
  assert.equal(page.status, 200)
  assert.match(textOf(page.body), /Too many codes were tried\. Try again in a minute\./)
  assert.doesNotMatch(textOf(page.body), /\$8\.00/)
  await guesser.submit('Continue', { email: 'guesser@example.com', ...TEXAS })
  await enterCard(guesser)
  assert.equal(buttonOf(guesser), 'Pay $10.50')
  // Buyers elsewhere, and the codes that exist, do not count.
  const elsewhere = buyer(service)
  for (let visit = 0; visit < 25; visit++) await elsewhere.open(link(code))
  assert.match(elsewhere.text, /\$8\.00/)
})

describe('what a discount leaves', () => {
  test('of a price that is paid once may be nothing: the license needs no charge', async () => {
    const app = await otherApp(service, { amount: cents(1000), frequency: null })
    const { code } = await addCode(service, app.client_id, { amount: cents(5000) })
    const agent = await goToConfirmWithCode(service, app, code)
    assert.equal(buttonOf(agent), 'Complete order')
    assert.match(textOf((await agent.submit(PAY)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, agent.email), [0])
  })

  test('of a price that is paid once is its price on the manage page', async () => {
    const app = await otherApp(service, { amount: cents(1000), frequency: null })
    const { code } = await addCode(service, app.client_id, { percent: 30 })
    const { agent } = await buyWithCode(service, app, code)
    const page = await agent.open(`/manage/${app.client_id}/`)
    assert.match(textOf(page.body), /\$7\.00 once/)
    assert.doesNotMatch(textOf(page.body), /\$10\.00/)
  })

  test('below the smallest charge is waived: the service bears it', async () => {
    const app = await otherApp(service, { amount: cents(1000) })
    const { code } = await addCode(service, app.client_id, { percent: 97 })
    const agent = await goToConfirmWithCode(service, app, code)
    assert.match(agent.text, /Waived \(below the minimum charge\) −\$0.32/)
    assert.equal(buttonOf(agent), 'Complete order')
    await agent.submit(PAY)
    const subscriber = await subscriberOf(service, agent, app)
    const figures = await service.world.db.rows(sql`select amount, tax, fee, is_waived
      from invoices where license_id = ${subscriber.license_id}`)
    assert.deepEqual(figures, [{ amount: 30, tax: 2, fee: 30, is_waived: true }])
    await passDays(service, 32)
    assert.deepEqual(await chargedAmounts(service, agent.email), [0, 1050])
  })
})
