import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { endNow, setAutoRenew } from '#flows/subscription'
import { sql } from '#platform/sql'
import { CARD } from '../support/cards.ts'
import { emailTo } from '../support/mailbox.ts'
import { sellerActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { otherApp, passDays, stateOf, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

/** Every email to the cast's seller about a buyer. */
async function sellersEmails(buyer_email: string): Promise<string[]> {
  const { db } = service.world
  const isComing = sql`select 1 from emails where sent_at is null`
  while (await db.maybe(isComing)) await new Promise((resolve) => setImmediate(resolve))
  const rows = await db.rows<{ subject: string }>(sql`select subject from dev_mailbox
    where recipient = ${service.demo.seller.email} and text like ${`%${buyer_email}%`}
    order by sent_at, subject`)
  return rows.map(({ subject }) => subject)
}

// F25
test('a subscription is canceled under that name, confirmed by email, and can be resumed', async () => {
  const subscriber = await subscribe(service)
  const { agent, email, app } = subscriber
  await agent.open(`/manage/${app.client_id}/`)
  assert.match(agent.text, /Auto-renew On/)
  await agent.press('Cancel subscription')
  assert.match(agent.text, /You keep Pro until April 10, 2026/)
  await agent.submit('Cancel subscription')
  assert.match(agent.text, /Your subscription is canceled/)
  assert.match(agent.text, /Ends on April 10, 2026/)
  const confirmation = await emailTo(
    service,
    email,
    /^Your subscription to Tidepool Pro was canceled$/,
  )
  assert.match(confirmation, /You can use Tidepool Pro until April 10, 2026/)
  assert.match(confirmation, /Keep my subscription: http\S+\/auto-renew\//)
  await agent.press('Keep my subscription')
  await agent.submit('Keep my subscription')
  assert.match(agent.text, /Auto-renew On/)
  const { status, canceled_at } = await stateOf(service, subscriber)
  assert.deepEqual([status, canceled_at], ['active', null])
})

test('the seller gets an email for a sale with its earnings, a failed renewal and a cancellation', async () => {
  const { email, user_id, license_id } = await subscribe(service, { card: CARD.never_renews })
  await sellersEmails(email)
  const [sale] = await service.world.db.rows<{ text: string }>(sql`select text from dev_mailbox
    where recipient = ${service.demo.seller.email} and text like ${`%Buyer: ${email}%`}`)
  assert.match(sale!.text, /Fees: −\$1\.10\nYour earnings: \$10\.90/)
  await passDays(service, 31)
  // The email goes out before the next thing happens.
  await sellersEmails(email)
  const buyer = { kind: 'buyer' as const, user_id, request_id: 'req_test' }
  await setAutoRenew(service.world, buyer, { license_id, to: 'off' })
  await emailTo(service, email, /^Your subscription to Tidepool Pro was canceled$/)
  assert.deepEqual(await sellersEmails(email), [
    'New sale of Tidepool Pro: $12.00',
    'A renewal of Tidepool Pro failed',
    'Tidepool Pro was canceled',
  ])
})

test('an email about a cancellation by the seller does not say that the buyer canceled', async () => {
  const [at_end, at_once] = [await subscribe(service), await subscribe(service)]
  const seller = await sellerActor(service)
  const reason = 'The buyer asked by phone.'
  await setAutoRenew(service.world, seller, { license_id: at_end.license_id, to: 'off', reason })
  await endNow(service.world, seller, { license_id: at_once.license_id, reason })
  for (const { email } of [at_end, at_once]) {
    const text = await emailTo(service, email, /Tidepool Pro was canceled$/)
    assert.doesNotMatch(text, /You canceled/)
  }
})

test('the seller gets the end of the trial where a buyer canceled one', async () => {
  const app = await otherApp(service, { trial_days: 7 })
  const { email, user_id, license_id } = await subscribe(service, { app })
  const buyer = { kind: 'buyer' as const, user_id, request_id: 'req_test' }
  await setAutoRenew(service.world, buyer, { license_id, to: 'off' })
  await sellersEmails(email)
  const { text } = await service.world.db.one<{ text: string }>(sql`select text from dev_mailbox
    where recipient = ${service.demo.seller.email} and text like ${`%${email}%`}
      and subject like '% was canceled'`)
  assert.match(text, /The license ends on April 17, 2026, at the end of the trial\./)
})

test('a buyer who keeps a canceled trial reads when the first charge is', async () => {
  const app = await otherApp(service, { trial_days: 7 })
  const { agent } = await subscribe(service, { app })
  await agent.open(`/manage/${app.client_id}/auto-renew/`)
  await agent.submit('Cancel subscription')
  await agent.open(`/manage/${app.client_id}/auto-renew/`)
  assert.match(
    agent.text,
    /continues after the trial: the first charge, (about )?\$[\d.]+ with tax/,
  )
  assert.doesNotMatch(agent.text, /renews on/)
})

test('a seller turns each of these emails off on the dashboard', async () => {
  const seller = await signedIn(service, service.demo.seller)
  await seller.open('/dashboard/')
  await seller.press('Emails')
  assert.equal(seller.page.body.match(/type="checkbox"[^>]* checked/g)?.length, 3)
  // An unchecked box is not sent.
  await seller.submit('Save', { cancellation: 'yes' })
  assert.match(seller.text, /Saved/)
  const { agent, email, app } = await subscribe(service)
  await agent.open(`/manage/${app.client_id}/auto-renew/`)
  await agent.submit('Cancel subscription')
  assert.deepEqual(await sellersEmails(email), ['Tidepool Pro was canceled'])
})
