import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import { checkBooks } from '#flows/check-books'
import { recordTaxes } from '#flows/record-taxes'
import { renewDue } from '#flows/subscription'
import { problemOf } from '#platform/http'
import type { OrderId } from '#platform/ids'
import { openLog } from '#platform/log'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { writePurchaseReceipt } from '../../src/surfaces/emails/purchase-receipt.ts'
import { textOf } from '../support/agent.ts'
import { ManualClock } from '../support/clock.ts'
import { addCode } from '../support/discounts.ts'
import { basic, buyer, licenseKey, orderReference, TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

const GOOD = '4242424242424242'

describe('a service with the keys of Stripe', () => {
  const clock = new ManualClock()
  const lines: string[] = []
  let double: StripeDouble
  let service: TestService
  before(async () => {
    double = await StripeDouble.open(() => clock.now())
    service = await openTestService({
      clock,
      log: openLog('error', { write: (line) => lines.push(line) }),
      settings: {
        STRIPE_SECRET_KEY: SECRET_KEY,
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
        STRIPE_API_BASE: double.url,
        TAX_PROVIDER: 'stripe',
      },
    })
  })
  after(async () => {
    await service.close()
    await double.close()
  })

  /** Takes a buyer to the confirmation, over Stripe's page. */
  async function goToStripeConfirm(email: string, number = GOOD, code?: string) {
    const agent = buyer(service)
    const [price] = service.demo.app.prices
    await agent.open(`/buy/${price!.public_id}/${code ? `?discount=${code}` : ''}`)
    const away = await agent.submit('Continue', { email, ...TEXAS })
    assert.match(away.url, /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/)
    const back = double.enterCard(away.url.split('/').at(-1)!, number, '78701')
    const page = await agent.open(back)
    return { agent, page }
  }
  const charges = () =>
    double.state.all('payment_intent', ({ status }) => status === 'succeeded').reverse()

  test('has no pages of the sandbox, and allows its forms to lead to Stripe', async () => {
    const { app, demo } = service
    const missing = await app.inject({ url: '/sandbox/card-entries/ce_0123456789012345678901' })
    assert.equal(missing.statusCode, 404)
    const page = await app.inject({ url: `/buy/${demo.app.prices[0]!.public_id}/` })
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /form-action 'self' [^;]*https:\/\/\*\.stripe\.com/)
  })

  test('sells: card on Stripe’s page, tax by Stripe, license at once, and renews', async () => {
    const email = 'robin.sells@example.com'
    const { agent, page } = await goToStripeConfirm(email)
    // $12.00, of which Texas and its city tax 80 % at 8.25 %.
    assert.match(page.body, /\$12\.79/)
    // M12
    assert.match(textOf(page.body), /On your statement PURSERDEMO\* TIDEPOOL/)
    const done = await agent.submit(/^Pay /)
    const key = licenseKey(done)
    const reference = orderReference(done)
    const headers = basic(service)
    const order = await service.app.inject({ url: `/api/v1/orders/${reference}`, headers })
    assert.partialDeepStrictEqual(order.json(), { status: 'active', license_key: key })
    assert.deepEqual(
      charges().map(({ amount }) => amount),
      [1279],
    )
    const rule = await service.world.db.one<{ rule: string; rate_ppm: number }>(
      sql`select rule, rate_ppm, taxable_ppm from tax_quotes order by created_at desc limit 1`,
    )
    assert.match(rule.rule, /^stripe:taxcalc_/)
    assert.partialDeepStrictEqual(rule, { rate_ppm: 82_500, taxable_ppm: 800_000 })

    clock.pass(32 * 24 * 60 * 60)
    assert.equal(await renewDue(service.world), 1)
    assert.deepEqual(
      charges().map(({ amount }) => amount),
      [1279, 1279],
    )
    // M12
    assert.deepEqual(
      charges().map(({ statement_descriptor_suffix }) => statement_descriptor_suffix),
      ['TIDEPOOL', 'TIDEPOOL'],
    )
    const renewal = double.requests.findLast(({ form }) => form.off_session === 'true')
    assert.equal(renewal?.status, 200)
    const body = { key }
    const url = '/api/v1/licenses/validate'
    const state = await service.app.inject({ method: 'POST', url, headers, payload: body })
    assert.partialDeepStrictEqual(state.json(), { status: 'active', entitled: true })
  })

  test('shows the tax of later periods where a discount leaves nothing to pay first', async () => {
    const { client_id } = service.demo.app
    const { code } = await addCode(service, client_id, { percent: 100 })
    const { agent, page } = await goToStripeConfirm('robin.free@example.com', GOOD, code)
    assert.match(textOf(page.body), /Due today \$0\.00/)
    assert.match(textOf(page.body), /Renews monthly at \$12\.79/)
    await agent.submit('Complete order')
    await agent.open(`/manage/${client_id}/`)
    assert.match(agent.text, /Next charge about \$12\.79/)
  })

  test('shows the whole tax of later periods after a first one that costs a few cents', async () => {
    const { code } = await addCode(service, service.demo.app.client_id, { amount: cents(1170) })
    const { page } = await goToStripeConfirm('robin.cents@example.com', GOOD, code)
    // On 30 cents the city takes 0.48 cents, which is nothing.
    assert.match(textOf(page.body), /Sales tax \(TX\) \$0\.02/)
    assert.match(textOf(page.body), /Renews monthly at \$12\.79/)
  })

  test('calls the first charge after a trial an estimate on the receipt too', async () => {
    const { demo, world } = service
    const trial = (days: number) =>
      world.db.run(sql`update products set trial_days = ${days}
      where id = (select product_id from prices where id = ${demo.app.prices[0]!.public_id})`)
    await trial(14)
    const email = 'robin.trial@example.com'
    const { agent } = await goToStripeConfirm(email, '5555555555554444')
    await agent.submit('Start free trial')
    await trial(0)
    const { id } = await world.db.one<{ id: OrderId }>(sql`select o.id from orders o
      join users u on u.id = o.user_id where u.email_normalized = ${email}`)
    const order = (await billing.orderDetails(world.db, id))!
    const { content } = await writePurchaseReceipt(world, order)
    assert.match(JSON.stringify(content.blocks), /About \$12\.79 per month, first charge on/)
  })

  test('estimates the next charge at the rate of the state to which the buyer moved', async () => {
    const email = 'robin.moved@example.com'
    const { agent } = await goToStripeConfirm(email)
    await agent.submit(/^Pay /)
    // The address of the card, which the buyer replaced on Stripe's page.
    await service.world.db.run(sql`update subscriptions set state = 'OR', zip = '97201'
      where license_id = (select l.id from licenses l join users u on u.id = l.user_id
        where u.email_normalized = ${email})`)
    await agent.open(`/manage/${service.demo.app.client_id}/`)
    assert.match(agent.text, /Next charge about \$12\.00/)
    assert.match(agent.text, /No sales tax in OR/)
  })

  test('a declined card is explained, and nothing is charged', async () => {
    const before = charges().length
    const { agent } = await goToStripeConfirm('robin.declined@example.com', '4000000000009995')
    const page = await agent.submit(/^Pay /)
    assert.match(page.body, /does not have enough funds/)
    assert.equal(charges().length, before)
  })

  test('a wrong security code is checked again on a new page of Stripe', async () => {
    const { agent } = await goToStripeConfirm('robin.typo@example.com', '4000000000000127')
    const page = await agent.submit(/^Pay /)
    assert.match(textOf(page.body), /Use another card, or enter this one again with the correct/)
    await agent.press('Use another card')
    const { form } = double.requests.findLast(({ path }) => path === '/v1/checkout/sessions')!
    const { message } = (form.custom_text as { submit: { message: string } }).submit
    assert.match(message, /^To use the same card again, check its number, .* Tidepool: /)
    assert.equal(form.customer_email, 'robin.typo@example.com')
  })

  test('a challenge leads to the bank and back to the license', async () => {
    const { agent } = await goToStripeConfirm('robin.challenged@example.com', '4000002500003155')
    const away = await agent.submit(/^Pay /)
    assert.match(away.url, /^https:\/\/hooks\.stripe\.com\//)
    double.endChallenge(away.url, 'passed')
    const intent = double.state.things.get(away.url.split('/').at(-1)!)!
    const requested = double.requests.find(({ form }) => {
      return (form.metadata as { key?: string } | undefined)?.key === intent.metadata.key
    })
    const done = await agent.open(String(requested?.form.return_url))
    assert.match(licenseKey(done), /^key_/)
  })

  // M3
  test('shows an error, logs it and alarms staff when Stripe refuses our request', async () => {
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const form = { email: 'robin.refused@example.com', ...TEXAS }
    double.faultAt = { route: 'POST /v1/checkout/sessions', status: 400 }
    const page = await agent.submit('Continue', form)
    double.faultAt = undefined
    assert.equal(page.status, 500)
    assert.match(page.body, /Try again in a minute/)
    assert.doesNotMatch(page.body, /could not be read/)
    assert.ok(lines.some((line) => line.includes('Stripe refused our request')))
    const staff = await signedIn(service, service.demo.operator)
    await staff.open('/admin/cases/')
    assert.match(staff.text, /Stripe refused one of our requests \(a card entry\)/)
    await staff.submit('Resolve', { reason: 'The settings were fixed.' })
    assert.match(staff.text, /Alarm resolved/)
    assert.doesNotMatch(staff.text, /Stripe refused a request/)
  })

  // M3
  test('answers a program with internal_error, never with the status of Stripe', async () => {
    const thrown = Object.assign(new Error('No such customer'), { statusCode: 404 })
    const { status, code } = problemOf(thrown)
    assert.deepEqual({ status, code }, { status: 500, code: 'internal_error' })
  })

  // M14
  test('records the tax of sales and refunds with Stripe, once', async () => {
    const { world } = service
    await recordTaxes(world)
    const recorded = () => double.state.all('tax.transaction', () => true)
    const before = recorded().length
    assert.ok(before > 0, 'the sale and its renewal')
    const charge = await world.db.one<{ processor_charge_id: string; amount: number }>(
      sql`select processor_charge_id, amount from charges order by created_at desc limit 1`,
    )
    double.refundByHand(charge.processor_charge_id, charge.amount)
    double.deliver = async (payload, signature) => {
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
      const url = '/processor-events/stripe'
      const answer = await service.app.inject({ method: 'POST', url, headers, payload })
      return answer.statusCode
    }
    await double.settle()
    await handleEvents(world)
    assert.equal(await recordTaxes(world), 1)
    assert.equal(await recordTaxes(world), 0)
    const [reversal] = recorded()
    assert.partialDeepStrictEqual(reversal, { type: 'reversal', amount_total: -charge.amount })
    assert.equal(recorded().length, before + 1)
  })

  // I21: the outside is compared with Stripe too.
  test("compares its books with Stripe's records", async () => {
    clock.pass(2 * 60 * 60)
    const { counts, differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
    assert.equal(counts['charges at the processor'], charges().length)
    assert.equal(counts['refunds at the processor'], 1)
    const [sale, renewal] = charges()
    double.state.things.delete(sale!.id)
    renewal!.amount_received -= 100
    const [refund] = double.state.all('refund', () => true)
    Object.assign(refund!, { status: 'failed' })
    const found = (await checkBooks(service.world)).differences
    assert.deepEqual(found.map(({ rule }) => rule).sort(), [
      'a charge is one that the processor made',
      'a charge is one that the processor made',
      'the processor moved what the books say',
    ])
    assert.match(
      found.map(({ detail }) => detail).join(),
      /on our books \$12\.79, at the processor \$11\.79/,
    )
    double.state.things.set(sale!.id, sale!)
    renewal!.amount_received += 100
    Object.assign(refund!, { status: 'succeeded' })
  })

  test('a tax service that does not respond asks to try again, and the next attempt continues', async () => {
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const form = { email: 'robin.patient@example.com', ...TEXAS }
    double.fault = 503
    const page = await agent.submit('Continue', form)
    double.fault = undefined
    assert.equal(page.status, 500)
    assert.match(page.body, /Try again in a minute/)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const away = await agent.submit('Continue', form)
    assert.match(away.url, /^https:\/\/checkout\.stripe\.com\//)
  })
})
