import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import { resendReceipt } from '#flows/resend-receipt'
import { setAutoRenew } from '#flows/subscription'
import { EMAIL_QUEUE, type StoredEmail } from '#platform/email-queue'
import type { EmailId, InvoiceId } from '#platform/ids'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { BUYER_EMAILS } from '../../src/surfaces/emails/buyer.ts'
import type { OtherApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { buyWithCode } from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { assertInvariants } from '../support/invariants.ts'
import { assertContains, emailTo } from '../support/mailbox.ts'
import { readPdf } from '../support/pdf.ts'
import { buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, otherApp, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(async () => {
  await handleEvents(service.world)
  await assertInvariants(service)
  await service.close()
})

const monthly = (facts = {}) => otherApp(service, { amount: cents(1000), ...facts })
const actor = ({ user_id }: Subscriber) =>
  ({ kind: 'buyer', user_id, request_id: 'req_test' }) as const

/** Lets days pass for one app, day by day. */
async function passDays(app: OtherApp, days: number) {
  const { db } = service.world
  const { clock_ahead } = await apps.get(db, app.client_id)
  for (let day = 1; day <= days; day++) {
    await apps.setClockAhead(db, app.client_id, clock_ahead + day * DAY)
    await runDue(service)
  }
}

describe('an email to a buyer', () => {
  test('links to the product page only while the app has one', async () => {
    const app = await monthly()
    const { license_id } = await subscribe(service, { app })
    const linksOf = async (kind: 'license_ended' | 'given_plan_ended') => {
      const about = { subject_id: license_id } as unknown as StoredEmail
      return JSON.stringify((await BUYER_EMAILS[kind](service.world, about))!.content.blocks)
    }
    for (const kind of ['license_ended', 'given_plan_ended'] as const) {
      assert.match(await linksOf(kind), /\/apps\//)
    }
    const off = { is_published: false, external_sales_enabled: false }
    await apps.setOnSale(service.world.db, app.client_id, off)
    for (const kind of ['license_ended', 'given_plan_ended'] as const) {
      assert.doesNotMatch(await linksOf(kind), /\/apps\//)
    }
  })

  test('is sent for every renewal: amounts, next charge, and the receipt as a PDF', async () => {
    const app = await monthly()
    const { email } = await subscribe(service, { app })
    await passDays(app, 32)
    const message = await emailTo(service, email, /^Receipt PUR-\d{6} for Harbor Harbor Pro$/)
    assertContains(message, 'is paid until May 10, 2026.', '$10.00', '$0.50', 'Paid: $10.50')
    assertContains(
      message,
      'Next charge: $10.50 on May 10, 2026',
      'Harbor Pro renews monthly until you cancel. You can cancel at any time:',
      'Visa ending in 4242',
      '/manage/',
    )
    const kept = (await listMailbox(service.world.db)).find(
      (each) => each.recipient === email && each.subject.startsWith('Receipt PUR'),
    )!
    const { attachments } = (await findMailboxEmail(service.world.db, kept.message_id))!
    const { text } = await readPdf(attachments[0]!.content)
    assertContains(text, 'April 10, 2026 to May 10, 2026', '$10.50')
    const url = `/dev/mailbox/${encodeURIComponent(kept.message_id)}/${attachments[0]!.filename}`
    const answer = await service.app.inject({ url })
    assert.equal(answer.headers['content-type'], 'application/pdf')
    assert.equal((await service.app.inject({ url: `${url}x` })).statusCode, 404)
  })

  test('says in a receipt what the plan costs after a discount, until it has ended', async () => {
    const app = await monthly()
    const { code } = await addCode(service, app.client_id, { periods: 3 })
    const { email } = await buyWithCode(service, app, code)
    const after = 'After that, Harbor Harbor Pro costs $10.00 per month plus tax.'
    const receipt = await emailTo(service, email, /^Your receipt for /)
    assertContains(receipt, `Your discount ${code} applies to the next 2 charges. ${after}`)
    await passDays(app, 32)
    const renewal = await emailTo(service, email, /^Receipt PUR/)
    assertContains(renewal, `Your discount ${code} applies to the next charge. ${after}`)
    await passDays(app, 31)
    await emailTo(service, email, /^Receipt PUR/)
    const { text } = await service.world.db.one<{ text: string }>(sql`select text from dev_mailbox
      where recipient = ${email} and text like '%Next charge: $10.50%'`)
    assert.doesNotMatch(text, /Your discount/)
  })

  test('offers auto-renew in the receipt of a plan that renews only', async () => {
    const [once, renewing] = [await buy(service, { price: 2 }), await buy(service)]
    const receipt = await emailTo(service, once.email, /^Your receipt for /)
    assertContains(receipt, 'None (one-time payment)', 'Your license key and receipts.')
    assert.doesNotMatch(receipt, /auto-renew/)
    assertContains(await emailTo(service, renewing.email, /^Your receipt for /), 'auto-renew.')
  })

  test('names no card and no payment if a discount covers a one-time purchase', async () => {
    const app = await monthly({ frequency: null })
    const { code } = await addCode(service, app.client_id, { percent: 100 })
    const { email } = await buyWithCode(service, app, code)
    const receipt = await emailTo(service, email, /^Your receipt for /)
    assertContains(receipt, 'Paid on March 10, 2026: $0.00', 'the merchant of record.')
    assert.doesNotMatch(receipt, /Card:|card statement/)
    const [kept] = (await listMailbox(service.world.db)).filter((each) => each.recipient === email)
    const { attachments } = (await findMailboxEmail(service.world.db, kept!.message_id))!
    const { text } = await readPdf(attachments[0]!.content)
    assertContains(text, `Discount ${code}`, '−$10.00', 'Total (USD)')
    assert.doesNotMatch(text, /Paid with|card statement/)
  })

  test('names no card for a renewal that a discount covers if it is the last', async () => {
    const app = await monthly()
    const { code } = await addCode(service, app.client_id, { percent: 100, periods: null })
    const buyer = await buyWithCode(service, app, code)
    const bought = await emailTo(service, buyer.email, /^Your receipt for /)
    assertContains(bought, 'Card: Visa ending in 4242', 'Your card statement shows')
    await passDays(app, 32)
    const { license_id } = buyer
    await setAutoRenew(service.world, actor(buyer), { license_id, to: 'off' })
    const { id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id from invoices
      where license_id = ${license_id} and kind = 'renewal'`)
    const about = { subject_id: id } as unknown as StoredEmail
    const { content } = (await BUYER_EMAILS.receipt(service.world, about))!
    assert.doesNotMatch(JSON.stringify(content.blocks), /Visa|card statement/)
  })

  test('asks for another card if this one expires before the next charge', async () => {
    const app = await monthly()
    const { email, user_id } = await subscribe(service, { app })
    await service.world.db.run(sql`update cards set exp_month = 4, exp_year = 2026
      where user_id = ${user_id}`)
    await passDays(app, 32)
    const message = await emailTo(service, email, /^Receipt PUR-\d{6} for /)
    assertContains(
      message,
      'Your Visa ending in 4242 expires in 04/26, before',
      'Update your card:',
    )
  })

  test('reports a failed renewal: the reason, the next retry, and when the license ends', async () => {
    const app = await monthly()
    const { email } = await subscribe(service, { app, card: CARD.never_renews })
    await passDays(app, 31)
    const first = await emailTo(service, email, /^Your payment for .* failed$/)
    assertContains(first, 'declined this card', 'Amount due: $10.50', 'Next retry: April 11, 2026')
    assertContains(first, 'Ends if not paid by: May 1, 2026', '/manage/')
    await passDays(app, 15)
    const last = await emailTo(service, email, /^Last reminder/)
    assertContains(last, 'ends on May 1, 2026 if it is not paid')
    await passDays(app, 8)
    const end = await emailTo(service, email, /^Your license for .* has ended$/)
    assertContains(end, 'Nothing more is charged', `/apps/`)
  })

  test('about a license that ended claims no retries of a card that was not retried', async () => {
    const app = await monthly()
    const { email, license_id } = await subscribe(service, { app, card: CARD.never_renews })
    await passDays(app, 31)
    await service.world.db.run(sql`update subscriptions set last_decline = 'expired_card'
      where license_id = ${license_id}`)
    await passDays(app, 25)
    const end = await emailTo(service, email, /^Your license for .* has ended$/)
    assertContains(end, 'Your renewal was not paid within 21 days. Nothing more is charged')
    assert.doesNotMatch(end, /retried/)
  })

  test('about a failed payment is not sent once it was paid', async () => {
    const app = await monthly()
    const { email, license_id } = await subscribe(service, { app, card: CARD.renews_on_retry_1 })
    await passDays(app, 31)
    await emailTo(service, email, /failed$/)
    await passDays(app, 2)
    await emailTo(service, email, /^Receipt PUR/)
    // As if the mail server had been away until now: an email is written when it is sent.
    const { db, jobs } = service.world
    await db.run(sql`delete from dev_mailbox where recipient = ${email}`)
    const [message] = await db.rows<{ id: EmailId }>(sql`update emails set sent_at = null
      where kind = 'payment_failed' and subject_id = ${license_id} returning id`)
    await jobs.send(db, EMAIL_QUEUE, { email_id: message!.id })
    const isWaiting = sql`select 1 from emails where sent_at is null`
    while (await db.maybe(isWaiting)) await new Promise((resolve) => setImmediate(resolve))
    const got = await db.rows(sql`select 1 from dev_mailbox where recipient = ${email}`)
    assert.deepEqual(got, [])
  })

  test('names the exact charge three days before a trial ends, and how to cancel it', async () => {
    const app = await monthly({ trial_days: 14 })
    const staying = await subscribe(service, { app })
    const leaving = await subscribe(service, { app, card: CARD.mastercard })
    const { license_id } = leaving
    await setAutoRenew(service.world, actor(leaving), { license_id, to: 'off' })
    await passDays(app, 12)
    const message = await emailTo(
      service,
      staying.email,
      /^Your trial of .* ends on March 24, 2026$/,
    )
    assertContains(
      message,
      'Visa ending in 4242 is charged $10.50 that day',
      'Sales tax (TX): $0.50',
    )
    assertContains(message, 'Cancel subscription', '/auto-renew/')
    const other = await emailTo(service, leaving.email, /^Your trial of .* ends on/)
    assertContains(other, 'Auto-renew is off, so nothing is charged')
  })

  test('is a receipt that names the charges to come as they are when it is sent again', async () => {
    const app = await monthly({ trial_days: 14 })
    const buyer = await subscribe(service, { app })
    const { email, license_id } = buyer
    const receipt = async () => {
      const { db } = service.world
      await db.run(sql`delete from dev_mailbox where recipient = ${email}`)
      const order_id = (await billing.orderOfLicense(db, license_id))!
      assert.deepEqual(await resendReceipt(service.world, order_id), { outcome: 'sent' })
      return await emailTo(service, email, /^Your receipt for /)
    }
    assertContains(await receipt(), 'Renewal: $10.50 per month, first charge on March 24, 2026')
    await passDays(app, 15)
    const later = await receipt()
    assertContains(later, 'Renewal: $10.50 on April 24, 2026', 'Paid on March 10, 2026: $0.00')
    assert.doesNotMatch(later, /today/)
    await setAutoRenew(service.world, actor(buyer), { license_id, to: 'off' })
    assertContains(await receipt(), 'Renewal: None\n')
    await passDays(app, 32)
    assertContains(await receipt(), 'Renewal: None\n')
  })

  test('reports a refund, with its receipt', async () => {
    const bought = await buy(service)
    await refund(service, bought, 315)
    const message = await emailTo(
      service,
      bought.email,
      /^Your refund of \$3\.15 for Tidepool Pro$/,
    )
    assertContains(
      message,
      'Amount: $3.15',
      'Including sales tax: $0.15',
      '$12.60',
      'Visa ending in 4242',
      'The license is not affected',
    )
    await refund(service, bought)
    const rest = await emailTo(service, bought.email, /^Your refund of \$9\.45/)
    assertContains(rest, 'The license has ended')
  })
})
