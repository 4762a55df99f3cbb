import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { decideAboutApp } from '#flows/staff-actions'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { setOnSale } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import { buyer } from '../support/purchase.ts'
import { staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { otherApp, type Subscriber, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const manage = ({ app }: Pick<Subscriber, 'app'>) => `/manage/${app.client_id}/`
const backOf = ({ page }: Agent) => {
  const [, href] = /href="([^"]+)"[^>]*>(?:(?!<\/a>).)*Back to your app/s.exec(page.body) ?? []
  return href
}
const withdrawn = { is_published: false, external_sales_enabled: true }

// F6
describe('the manage page of an app that is not for sale', () => {
  test('asks a buyer who is signed out to sign in, and shows their purchase', async () => {
    const subscriber = await subscribe(service, { app: await otherApp(service, {}) })
    await setOnSale(service, subscriber.app.client_id, withdrawn)
    const signedOut = buyer(service)
    await signedOut.open(manage(subscriber))
    const back = encodeURIComponent(manage(subscriber))
    assert.equal(signedOut.page.url, `/signin/?return_to=${back}`)
    await subscriber.agent.open(manage(subscriber))
    assert.equal(subscriber.agent.page.status, 200)
    assert.match(subscriber.agent.text, /License key/)
  })

  test('offers no way to buy it again where it is not sold', async () => {
    const subscriber = await subscribe(service, { app: await otherApp(service, {}) })
    const { agent, email, app } = subscriber
    await forceStatus(service, 'canceled', { email })
    await agent.open(manage(subscriber))
    assert.match(agent.text, /This license has ended .* Buy it again/)
    await setOnSale(service, app.client_id, withdrawn)
    await agent.open(manage(subscriber))
    assert.match(
      agent.text,
      /is not for sale at the moment\. Nothing more is charged\. Your receipts are kept here\./,
    )
    assert.doesNotMatch(agent.page.body, /Buy it again|href="\/(apps|buy)\//)
  })

  test('does not say that a suspended app is no longer sold, in either language', async () => {
    const subscriber = await subscribe(service, { app: await otherApp(service, {}) })
    const { agent, email, app } = subscriber
    await forceStatus(service, 'canceled', { email })
    const staff = { ...(await staffActor(service)), reason: 'unsafe' }
    const decided = { app_id: app.client_id, what: 'suspended' } as const
    assert.equal(await decideAboutApp(service.world, staff, decided), true)
    await agent.open(manage(subscriber))
    assert.match(agent.text, /Harbor is not for sale at the moment\. Nothing more is charged\./)
    await agent.submit('Español')
    await agent.open(manage(subscriber))
    assert.match(agent.text, /Harbor no está a la venta por el momento\. No se hará ningún cargo/)
    assert.doesNotMatch(agent.page.body, /Comprarlo de nuevo|href="\/(apps|buy)\//)
  })

  test('answers 404 for one without a purchase', async () => {
    const app = await otherApp(service, {})
    await setOnSale(service, app.client_id, withdrawn)
    assert.equal((await buyer(service).open(manage({ app }))).status, 404)
  })
})

describe('the manage link of a person without a purchase', () => {
  test('leads back to its return address, and without one to the Login URL', async () => {
    const { app } = service.demo
    const person = buyer(service)
    const { oauth_login_url: login_url } = await apps.get(service.world.db, app.client_id)
    await person.open(`${manage({ app })}?next=${encodeURIComponent(`${app.url}/plans?a=1`)}`)
    await person.submit('Sign in', { ...service.demo.buyer })
    assert.match(person.text, /has not bought this app/)
    assert.equal(backOf(person), `${app.url}/plans?a=1`)
    await person.open(manage({ app }))
    assert.equal(backOf(person), login_url)
  })
})

// F16
test('shows the result of the last action, and no text from a crafted link', async () => {
  const subscriber = await subscribe(service, { app: await otherApp(service, {}) })
  const { agent } = subscriber
  for (const done of ['key_replaced', 'paid', 'declined', '__proto__', 'x.y']) {
    await agent.open(`${manage(subscriber)}?done=${done}`)
    assert.equal(agent.page.status, 200)
    assert.doesNotMatch(agent.text, /This is your new key|went through|declined/)
  }
  await agent.submit('Update card')
  await agent.press('Back to your plan')
  assert.match(agent.text, /The card on file was not changed/)
  const other = await subscribe(service, { app: await otherApp(service, {}) })
  await other.agent.open(`${manage(other)}?${agent.page.url.split('?')[1]}`)
  assert.doesNotMatch(other.agent.text, /was not changed/)
})

// F24
test('says what a decided dispute leads to, won or lost', async () => {
  const subscriber = await subscribe(service, { app: await otherApp(service, {}) })
  const { agent, email } = subscriber
  await forceStatus(service, 'paused', { email })
  const pause = (reason: string) =>
    service.world.db.run(sql`update licenses set paused_for = ${reason}
      where id = (select l.id from licenses l join users u on u.id = l.user_id
        where u.email_normalized = ${email})`)
  await pause('dispute')
  await agent.open(manage(subscriber))
  assert.match(agent.text, /If the bank upholds the payment, the license works again/)
  assert.match(agent.text, /If the bank returns your money, the license ends/)
  await pause('staff')
  await agent.open(manage(subscriber))
  assert.match(agent.text, /We paused this license/)
  await forceStatus(service, 'active', { email })
})

// F3
describe('a new card that is billed in another state', () => {
  const NEW = { number: CARD.mastercard, expiry: '12/31', cvc: '123', zip: '10001' }
  const withNewCard = async () => {
    const subscriber = await subscribe(service, { app: await otherApp(service, {}) })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    await agent.submit('Update card')
    await agent.submit('Save this card', NEW)
    assert.match(agent.text, /Have you moved\?.* Tax address TX 78701 .* NY 10001/)
    return subscriber
  }
  const addressOf = ({ email }: Subscriber) =>
    service.world.db.one<{ state: string; zip: string; last4: string }>(sql`
      select s.state, s.zip, c.last4 from subscriptions s join cards c on c.id = s.card_id
        join licenses l on l.id = s.license_id join users u on u.id = l.user_id
      where u.email_normalized = ${email}`)

  test('does not pay until the buyer says that they moved', async () => {
    const subscriber = await withNewCard()
    assert.deepEqual(await addressOf(subscriber), { state: 'TX', zip: '78701', last4: '4242' })
    await subscriber.agent.submit('Change my tax address to NY 10001')
    assert.match(
      subscriber.agent.text,
      /Future charges use this card and are taxed at your new address/,
    )
    assert.deepEqual(await addressOf(subscriber), { state: 'NY', zip: '10001', last4: '4444' })
  })

  test('gives way to the card on file', async () => {
    const subscriber = await withNewCard()
    await subscriber.agent.press('Keep the card on file')
    assert.match(subscriber.agent.text, /Visa ending in 4242/)
    assert.deepEqual(await addressOf(subscriber), { state: 'TX', zip: '78701', last4: '4242' })
  })
})
