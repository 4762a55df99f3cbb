import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payOut, refreshAccount } from '#flows/pay-out'
import { resendReceipt } from '#flows/resend-receipt'
import { endNow, setAutoRenew } from '#flows/subscription'
import { EMAIL_QUEUE, queueFreshEmail, type StoredEmail } from '#platform/email-queue'
import type { EmailId, InvoiceId, UserId } from '#platform/ids'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { MONEY_EMAILS } from '../../src/surfaces/emails/money.ts'
import { statementPdf } from '../../src/surfaces/payouts/statement.ts'
import { textOf } from '../support/agent.ts'
import type { OtherApp } from '../support/apps.ts'
import { buyWith } from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { decide, disputeOf, INQUIRY, objectTo } from '../support/disputes.ts'
import { eventually } from '../support/eventually.ts'
import { assertInvariants } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { BANKS, payeeOf, sell, withBank } from '../support/payees.ts'
import { readPdf } from '../support/pdf.ts'
import { buy, refund, sellerActor } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { CARD, DAY, otherApp, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

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
  const { clock_ahead } = (await apps.find(db, app.client_id))!
  for (let day = 1; day <= days; day++) {
    await apps.setClockAhead(db, app.client_id, clock_ahead + day * DAY)
    await runDue(service)
  }
}

/** Asserts that an email contains all of these texts, word for word. */
function assertContains(message: string, ...parts: string[]) {
  for (const each of parts) assert.ok(message.includes(each), `no "${each}" in:\n${message}`)
}

describe('an email to a buyer', () => {
  test('links to the product page only while the app has one', async () => {
    const app = await monthly()
    const { license_id } = await subscribe(service, { app })
    const linksOf = async (kind: 'license_ended' | 'given_plan_ended') => {
      const about = { subject_id: license_id } as unknown as StoredEmail
      return JSON.stringify((await MONEY_EMAILS[kind](service.world, about))!.content.blocks)
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
      '$12.60',
      'Visa ending in 4242',
      'The license is not affected',
    )
    await refund(service, bought)
    const rest = await emailTo(service, bought.email, /^Your refund of \$9\.45/)
    assertContains(rest, 'The license has ended')
  })
})

const seller = 'marina@tidepool.example'

describe('an email to a seller', () => {
  test('reports a dispute, the withdrawn amount and the deadline, and the decision', async () => {
    const bought = await buy(service)
    const dispute = await objectTo(service, bought.charge)
    const opened = await emailTo(service, seller, /^A payment for Tidepool Pro is disputed$/)
    assertContains(opened, bought.email, 'Disputed: $12.60', '$12.00 and the $15.00 dispute fee')
    assertContains(opened, 'Respond by:', '/dashboard/apps/tidepool/sales/inv_')
    await decide(service, dispute, 'won')
    const won = await emailTo(service, seller, /^You won the dispute for Tidepool Pro$/)
    assertContains(won, '$12.00 and the $15.00 dispute fee were returned to your balance')
    const other = await buy(service)
    await decide(service, await objectTo(service, other.charge), 'lost')
    assertContains(
      await emailTo(service, seller, /^You lost the dispute for/),
      'The license has ended',
    )
  })

  test('says that no money has moved in an inquiry, also when it is closed', async () => {
    const bought = await buy(service, { card: INQUIRY })
    await handleEvents(service.world)
    const message = await emailTo(service, seller, /^Inquiry about a payment/)
    assertContains(message, 'No funds were withdrawn')
    await decide(service, (await disputeOf(service, bought))!, 'won')
    const closed = await emailTo(service, seller, /^The inquiry about a payment .* is closed$/)
    assertContains(closed, 'No funds were withdrawn', 'the license is unchanged')
  })

  test('about a dispute of a license that ended says so, and not that it works again', async () => {
    const app = await monthly()
    const buyer = await subscribe(service, { app })
    await endNow(service.world, await sellerActor(service), {
      license_id: buyer.license_id,
      reason: 'Test',
    })
    const { id } = await service.world.db.one<{ id: InvoiceId }>(
      sql`select id from invoices where license_id = ${buyer.license_id}`,
    )
    const dispute = await objectTo(service, (await payments.chargeOf(service.world.db, id))!)
    const opened = await emailTo(service, seller, /^A payment for Harbor Harbor Pro is disputed$/)
    assertContains(opened, 'The license had ended before.')
    await decide(service, dispute, 'won')
    const won = await emailTo(service, seller, /^You won the dispute for Harbor Harbor Pro$/)
    assertContains(won, 'were returned to your balance. The license stays ended.')
  })

  test('names a sale that a discount made free a sale, and not a trial', async () => {
    const app = await monthly()
    for (const [percent, price] of [
      [100, '$0.00'],
      [97, '$0.30'],
    ] as const) {
      const { code } = await addCode(service, app.client_id, { percent })
      await service.world.db.run(sql`delete from dev_mailbox where recipient = ${seller}`)
      await buyWith(service, app, code)
      const message = await emailTo(service, seller, /^New (sale|trial) of Harbor Harbor Pro/)
      assertContains(message, 'New sale of Harbor Harbor Pro', `Price before tax: ${price}`)
    }
  })

  test('is not sent if the seller has no members left, whose accounts were deleted', async () => {
    const { db, jobs } = service.world
    const { owner } = await payeeOf(service, 'seller')
    const { id } = await db.one<{ id: EmailId }>(sql`select id from emails
      where kind = 'dispute_opened' order by queued_at desc, id desc limit 1`)
    await db.run(sql`update emails set sent_at = null where id = ${id}`)
    const email = async () =>
      await db.one<{ is_sent: boolean; recipients: string[] | null; attempts: number }>(
        sql`select sent_at is not null as is_sent, recipients, attempts from emails
          where id = ${id}`,
      )
    const { attempts } = await email()
    const members = await db.rows<{ user_id: UserId; role: string; created_at: Date }>(
      sql`delete from seller_members where seller_id = ${owner} returning *`,
    )
    await jobs.send(db, EMAIL_QUEUE, { email_id: id }, { urgent: true })
    await eventually('the attempt to send it', async () => (await email()).attempts > attempts)
    for (const { user_id, role, created_at } of members) {
      await db.run(sql`insert into seller_members (seller_id, user_id, role, created_at)
        values (${owner}, ${user_id}, ${role}, ${created_at})`)
    }
    assert.deepEqual(await email(), {
      is_sent: true,
      recipients: null,
      attempts: attempts + 1,
    })
  })

  test('reports paid and returned payouts, with the bank and the statement', async () => {
    await withBank(service, 'seller')
    const payee = await payeeOf(service, 'seller')
    const pay = async () => {
      await sell(service)
      service.clock.pass(8 * DAY)
      await payOut(service.world, { ...payee, cause: 'request' })
      service.clock.pass(3 * DAY)
      await handleEvents(service.world)
    }
    await pay()
    const paid = await emailTo(service, seller, /^Your payout of \$[\d.,]+ to Tidepool Works LLC$/)
    const text =
      'Payout 1 of Tidepool Works LLC was sent to Sandbox Test Bank, account ending in 6789.'
    assertContains(paid, text, '/dashboard/payouts/po_')
    await withBank(service, 'seller', BANKS.closed)
    await pay()
    const failed = await emailTo(service, seller, /was returned$/)
    assertContains(
      failed,
      'Payout 2 of Tidepool Works LLC for $',
      'was returned',
      'added back to your balance',
      '/dashboard/payouts/po_',
    )
  })

  test('opens the pages of the seller that it is about, for a member of two sellers', async () => {
    const { db, clock } = service.world
    const { owner } = await payeeOf(service, 'seller')
    const { client_id } = await addSellerWithApp(service, { email: seller, slug: 'second' })
    const { seller_id: other } = (await apps.find(db, client_id))!
    const agent = await signedIn(service, service.demo.seller)
    const email = {
      kind: 'seller_decision',
      subject_id: owner,
      facts: { what: 'payouts_paused', reason: 'Test' },
    } as const
    await queueFreshEmail(db, clock.now(), service.world, email)
    for (const [subject, page] of [
      [/was returned$/, /Payout \d+: \$/],
      [/payouts .*paused/i, /Apps that Tidepool Works LLC sells/],
      [/^New sale of Tidepool/, /Emails/],
    ] as const) {
      await agent.open('/dashboard/')
      await agent.submit('Switch', { seller_id: other })
      const message = await emailTo(service, seller, subject)
      const link = /https?:\/\/\S+(\/dashboard\/\S*\?seller=sel_\w+)/.exec(message)?.[1]
      const answer = await agent.open(link!)
      assert.equal(answer.status, 200, link)
      assert.match(textOf(answer.body), page)
      assert.equal(agent.page.url, link!.replace(/\?.*/, ''))
    }
    await db.run(sql`delete from seller_members where seller_id = ${other}`)
  })

  test('names the seller whose bank account for payouts was changed', async () => {
    await withBank(service, 'seller')
    const changed = await emailTo(service, seller, /^Your bank account for payouts was changed$/)
    assertContains(changed, 'Future payouts to Tidepool Works LLC are sent to this bank account.')
  })

  test('and a statement name the bank that a payout was sent to, also after another is added', async () => {
    const { world } = service
    await withBank(service, 'seller')
    const payee = await payeeOf(service, 'seller')
    await sell(service)
    service.clock.pass(8 * DAY)
    await payOut(world, { ...payee, cause: 'request' })
    await withBank(service, 'seller', BANKS.closed)
    service.clock.pass(3 * DAY)
    await handleEvents(world)
    const paid = await emailTo(service, seller, /^Your payout of \$[\d.,]+ to /)
    assertContains(paid, 'ending in 6789')
    const [payout] = await payouts.payoutsOf(world.db, payee, { limit: 1 })
    const lines = await payouts.statementOf(world.db, payout!.id)
    const { text } = await readPdf(await statementPdf(world, 'seller', payout!, lines))
    assertContains(text, 'account ending in 6789')
  })

  test('asks once whether a change of the payout bank was intended', async () => {
    const { db } = service.world
    const countEmails = async () => {
      await handleEvents(service.world)
      const { count } = await db.one<{ count: number }>(
        sql`select count(*) from emails where kind = 'bank_changed'`,
      )
      return count
    }
    // Each is entered on the processor's page, read on the way back, and reported by an event too.
    await withBank(service, 'affiliate')
    const before = await countEmails()
    const { email } = service.demo.affiliate
    const added = await emailTo(service, email, /^A bank account for your payouts was added$/)
    assertContains(added, 'Was this you?', 'New: Sandbox Test Bank, account ending in 6789')
    assertContains(added, 'If this was not you, set a new password', '/account/security/')
    await withBank(service, 'affiliate')
    assert.equal(await countEmails(), before, 'the same bank again is no change')
    await withBank(service, 'affiliate', BANKS.closed)
    assert.equal(await countEmails(), before + 1)
    const changed = await emailTo(service, email, /^Your bank account for payouts was changed$/)
    assertContains(changed, 'Previous: Sandbox Test Bank, account ending in 6789', 'ending in 1113')
  })

  test('names the bank account that was entered last, however late an answer arrives', async () => {
    const { world } = service
    const { owner } = await payeeOf(service, 'affiliate')
    const nameOther = async () => {
      await withBank(service, 'affiliate')
      await handleEvents(world)
    }
    const { processor } = world
    let isFirst = true
    const late = {
      ...processor,
      async readAccount(id: string) {
        const account = await processor.readAccount(id)
        if (isFirst) {
          isFirst = false
          await nameOther()
        }
        return account
      },
    }
    const emails = () =>
      world.db.rows(sql`select facts from emails where kind = 'bank_changed' order by id`)
    const before = (await emails()).length
    await refreshAccount({ ...world, processor: late }, owner)
    assert.equal((await emails()).length, before + 1)
    const account = await payouts.findAccount(world.db, owner)
    assert.equal(account?.bank_last4, '6789')
  })
})
