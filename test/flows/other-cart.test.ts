import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { reconcile } from '#flows/payment'
import { type Agent, textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import {
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

const YEARLY = 1
let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

let emails = 0
const fresh = () => `other-cart-${emails++}@example.com`

/** A tab that is ready to pay yearly, beside one of the same buyer that pays monthly. */
async function payBeside(card?: string) {
  const email = fresh()
  const first = buyer(service)
  const second = first.tab()
  await goToConfirm(service, second, { email, price: YEARLY })
  await purchase(service, first, { email, ...(card && { card }) })
  return { email, first, second }
}

const settle = async () => {
  service.clock.pass(5)
  await reconcile(service.world)
}

const assertPlacedBefore = (agent: Agent) =>
  assert.match(
    agent.text,
    /You already placed this order You placed it a short time ago, perhaps in another tab\. You are not charged again\./,
  )

describe('a cart whose buyer pays for the app in another tab', () => {
  test('returns to the app after Pay, and charges nothing', async () => {
    const { email, second } = await payBeside()
    const { url } = await second.submit(/^Pay /)
    assert.match(url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('shows it too if the first tab was closed while the payment was processing', async () => {
    const { email, second } = await payBeside(CARD.loses_answer)
    await settle()
    await second.submit(/^Pay /)
    assertPlacedBefore(second)
    licenseKey(second.page)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('shows the purchase at the next step, and says that nothing is charged again', async () => {
    const { first, second } = await payBeside()
    await second.open(second.page.url)
    assertPlacedBefore(second)
    assert.equal(licenseKey(second.page), licenseKey(first.page))
    assert.match(second.text, /Paid today \$12\.60/)
  })

  test('names the purchase that is processing, and follows it', async () => {
    const { email, first, second } = await payBeside(CARD.loses_answer)
    await second.submit(/^Pay /)
    assert.equal(second.page.status, 202)
    assertPlacedBefore(second)
    assert.match(second.text, /\$12\.60 due today/)
    assert.match(orderReference(second.page), /./)
    service.clock.pass(5)
    await second.open(second.page.url)
    assertPlacedBefore(second)
    assert.equal(licenseKey(second.page), licenseKey(await first.open(first.page.url)))
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('pays, once the other payment has failed', async () => {
    const { email, second } = await payBeside(CARD.loses_request)
    const { url } = second.page
    await second.submit(/^Pay /)
    await settle()
    service.clock.pass(30 * 60)
    await settle()
    await second.open(url)
    await second.submit(/^Pay /)
    assert.match(second.text, /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [10080])
  })

  test('pays again, once the license of the other purchase has ended', async () => {
    const { email, second } = await payBeside()
    await forceStatus(service, 'canceled', { email })
    await second.open(second.page.url)
    assert.match(second.text, /Confirm your order/)
  })
})

test('the details of a cart that is being paid lead to its payment, and to the purchase', async () => {
  const { first } = await payBeside(CARD.loses_answer)
  const details = first.page.url.replace(/[^/]+$/, 'details')
  await first.open(details)
  assert.equal(first.page.status, 202)
  assert.match(first.page.url, /\/processing$/)
  await settle()
  await first.open(details)
  assert.match(first.page.url, /\/success$/)
})

describe('a buy link that is opened again', () => {
  const link = () => `/buy/${service.demo.app.prices[0]!.public_id}/`

  test('while the payment is processing, says so before another card is entered', async () => {
    const { email, first } = await payBeside(CARD.loses_answer)
    await first.open(link())
    await first.submit('Continue', { email, ...TEXAS })
    assert.equal(first.page.status, 202)
    assertPlacedBefore(first)
    await settle()
    await first.open(first.page.url)
    licenseKey(first.page)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('once it is paid, shows the purchase instead of asking for a password', async () => {
    const { email, first } = await payBeside(CARD.loses_answer)
    await settle()
    await first.open(link())
    await first.submit('Continue', { email, ...TEXAS })
    assertPlacedBefore(first)
    licenseKey(first.page)
  })

  test('later than an hour, asks to sign in', async () => {
    const { email, first } = await payBeside(CARD.loses_answer)
    await settle()
    service.clock.pass(3600)
    await first.open(link())
    await first.submit('Continue', { email, ...TEXAS })
    assert.match(first.text, /already has an account/)
    assert.doesNotMatch(first.page.body, /key_/)
  })

  test('for another email, sells', async () => {
    const { first } = await payBeside(CARD.loses_answer)
    await first.open(link())
    await first.submit('Continue', { email: fresh(), ...TEXAS })
    assert.match(textOf((await enterCard(first)).body), /Confirm your order/)
  })
})

describe('a cart in another browser', () => {
  test('says that another payment is processing, and asks the buyer to sign in', async () => {
    const email = fresh()
    const other = buyer(service)
    await goToConfirm(service, other, { email, price: YEARLY })
    await purchase(service, buyer(service), { email, card: CARD.loses_answer })
    await other.submit(/^Pay /)
    const text = other.text
    assert.match(text, /Another payment is processing You already started a payment for Tidepool/)
    assert.doesNotMatch(text, /\$12/)
    assert.doesNotMatch(other.page.body, /svc_order/)
    await settle()
    await other.open(other.page.url)
    assert.match(other.text, /already has an account\. Sign in to continue/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })
})
