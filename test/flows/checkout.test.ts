import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { LicenseStatus } from '#domain/licensing'
import { textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { assertInvariants } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import {
  basic,
  buyer,
  chargedAmounts,
  enterCard,
  goToConfirm,
  licenseKey,
  orderReference,
  purchase,
  TEXAS,
} from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let link: string
before(async () => {
  service = await openTestService()
  link = `/buy/${service.demo.app.prices[0]!.public_id}/`
})
after(() => service.close())

let emails = 0
const fresh = () => `checkout-${emails++}@example.com`
const once = [1260]

const lookUp = (reference: string) =>
  service.app.inject({ url: `/api/v1/orders/${reference}`, headers: basic(service) })

const setStatus = (email: string, status: LicenseStatus) => forceStatus(service, status, { email })

test('a purchase creates a license that the seller can validate at once', async () => {
  const page = await purchase(service, buyer(service), { email: fresh() })
  assert.equal(page.status, 200)
  const order = await lookUp(orderReference(page))
  assert.equal(order.statusCode, 200)
  assert.equal(order.json().license_key, licenseKey(page))
  const validated = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(service),
    payload: { key: order.json().license_key },
  })
  const { status, entitled } = validated.json()
  assert.deepEqual({ status, entitled }, { status: 'active', entitled: true })
})

describe('a cart is charged once', () => {
  test('when the button is pressed twice at once', async () => {
    const agent = buyer(service)
    const email = fresh()
    await goToConfirm(service, agent, { email })
    const tabs = [agent, agent.tab(), agent.tab()]
    const pages = await Promise.all(tabs.map((tab) => tab.submit(/^Pay /)))
    for (const page of pages) {
      const body = page.status === 202 ? (await agent.open(page.url)).body : page.body
      assert.match(textOf(body), /License key|Processing your payment/)
    }
    const page = await agent.open(agent.page.url)
    assert.match(textOf(page.body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), once)
  })

  test('when the form is sent again after the response', async () => {
    const agent = buyer(service)
    const email = fresh()
    await goToConfirm(service, agent, { email })
    const late = agent.tab()
    const page = await agent.submit(/^Pay /)
    for (let press = 0; press < 3; press++) {
      late.page = { ...late.page, url: page.url.replace('success', 'confirm') }
      const again = await late.tab().submit(/^Pay /)
      assert.equal(again.url, page.url)
      assert.equal(licenseKey(again), licenseKey(page))
    }
    assert.deepEqual(await chargedAmounts(service, email), once)
  })

  test('when the buyer goes back and continues', async () => {
    const agent = buyer(service)
    const email = fresh()
    const page = await purchase(service, agent, { email })
    const base = page.url.replace('success', '')
    for (const step of ['confirm', 'card', 'card-entered', 'confirm', 'success']) {
      assert.equal((await agent.open(base + step)).url, page.url)
      assert.equal(licenseKey(agent.page), licenseKey(page))
    }
    assert.deepEqual(await chargedAmounts(service, email), once)
  })

  test('when the buyer has the purchase open in two tabs from its first step', async () => {
    const one = buyer(service)
    const two = one.tab()
    const email = fresh()
    await goToConfirm(service, one, { email })
    await goToConfirm(service, two, { email })
    assert.notEqual(one.page.url, two.page.url)
    const page = await one.submit(/^Pay /)
    assert.match(textOf(page.body), /License key/)
    const second = await two.submit(/^Pay /)
    assert.match(second.url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    const order = await lookUp(orderReference(second))
    assert.equal(order.json().license_key, licenseKey(page))
    assert.deepEqual(await chargedAmounts(service, email), once)
  })
})

describe('a buyer who already has a license', () => {
  test('is redirected to the app by the buy link, with a reference to the order', async () => {
    const agent = buyer(service)
    const email = fresh()
    const page = await purchase(service, agent, { email })
    const next = 'https://tidepool.example/back?a=1'
    for (const [url, expected] of [
      [link, 'http://localhost:4999/login?svc_order='],
      [`${link}?next=${encodeURIComponent(next)}`, `${next}&svc_order=`],
    ] as const) {
      const back = await agent.open(url)
      assert.ok(back.url.startsWith(expected), back.url)
      const { license_key } = (await lookUp(orderReference(back))).json()
      assert.equal(license_key, licenseKey(page))
    }
    // The link of another plan is no way to a second license either.
    const other = await agent.open(`/buy/${service.demo.app.prices[2]!.public_id}/`)
    assert.match(other.url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    assert.deepEqual(await chargedAmounts(service, email), once)
  })

  test('of every status is redirected to where it can be fixed, and buys again only after a cancellation', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email })
    const manage = `/manage/${service.demo.app.client_id}/`
    for (const [status, expected] of [
      ['past_due', /last payment failed/],
      ['unpaid', /last payment failed/],
      ['paused', /This license is paused/],
    ] as const) {
      await setStatus(email, status)
      const page = await agent.open(link)
      assert.equal(page.url, manage)
      assert.match(textOf(page.body), expected)
      const next = 'https://tidepool.example/plans'
      const back = await agent.open(`${link}?next=${encodeURIComponent(next)}`)
      assert.ok(back.body.includes(`href="${next}"`), 'the manage page leads back to the app')
    }
    for (const status of ['trialing', 'one_time_active', 'active'] as const) {
      await setStatus(email, status)
      assert.match((await agent.open(link)).url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    }
    assert.deepEqual(await chargedAmounts(service, email), once)
    await setStatus(email, 'canceled')
    const page = await purchase(service, agent, { email })
    assert.match(textOf(page.body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [...once, ...once])
  })

  test('is recognized on the last page too, if the license was created in another way', async () => {
    const agent = buyer(service)
    const email = fresh()
    await goToConfirm(service, agent, { email })
    const other = agent.tab()
    await purchase(service, other, { email, price: 1 })
    await setStatus(email, 'past_due')
    const page = await agent.submit(/^Pay /)
    assert.match(page.url, /^\/(manage|checkout)\//)
    assert.equal((await chargedAmounts(service, email)).length, 1)
  })

  test('with only a preview buys like everyone else', async () => {
    const agent = buyer(service)
    const email = fresh()
    await purchase(service, agent, { email })
    await setStatus(email, 'preview')
    assert.match(textOf((await agent.open(link)).body), /Your details/)
    await setStatus(email, 'active')
  })
})

test('a purchase of another app is not a license of this one', async () => {
  const harbor = await addApp(service, { slug: 'harbor', frequency: 'year' })
  const agent = buyer(service)
  const email = fresh()
  await purchase(service, agent, { email })
  await agent.open(`/buy/${harbor.price_id}/`)
  // The first purchase's session is good for its app alone, so here the mailbox is asked.
  const page = await agent.submit('Continue', { email, ...TEXAS })
  assert.match(textOf(page.body), /already has an account/)
})

test('the buyer may change details and card before paying, and pays for the last ones', async () => {
  const agent = buyer(service)
  const email = fresh()
  await goToConfirm(service, agent, { email, address: { country: 'US', zip: '97201' } })
  assert.match(agent.text, /Pay \$12\.00/)
  await agent.open(link)
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent, '5555555555554444')
  assert.match(agent.text, /ending in 4444/)
  assert.match(agent.text, /Pay \$12\.60/)
  await agent.submit(/^Pay /)
  assert.deepEqual(await chargedAmounts(service, email), once)
})

test('the receipt is resent on request, a few times an hour', async () => {
  const agent = buyer(service)
  const page = await purchase(service, agent, { email: fresh() })
  for (let time = 0; time < 5; time++) {
    await agent.open(page.url)
    assert.match(
      textOf((await agent.submit('Resend receipt email')).body),
      /We sent the receipt .* again/,
    )
  }
  await agent.open(page.url)
  assert.match(
    textOf((await agent.submit('Resend receipt email')).body),
    /already sent several times/,
  )
})

test('preserves every invariant', () => assertInvariants(service))
