import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payOut, refreshAccount } from '#flows/pay-out'
import { endNow } from '#flows/subscription'
import { EMAIL_QUEUE, queueFreshEmail } from '#platform/email-queue'
import type { EmailId, InvoiceId, UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { payoutFailed, payoutPaid } from '../../src/surfaces/emails/payee-templates.ts'
import { statementPdf } from '../../src/surfaces/payouts/statement.ts'
import { textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { buyWithCode } from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { decideDispute, disputeCharge, disputeOf } from '../support/disputes.ts'
import { eventually } from '../support/eventually.ts'
import { assertInvariants } from '../support/invariants.ts'
import { assertContains, emailTo } from '../support/mailbox.ts'
import { BANKS, payeeOf, sell, withBank } from '../support/payees.ts'
import { readPdf } from '../support/pdf.ts'
import { advanceAndHandleEvents, buy, refund, sellerActor } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, otherApp, subscribe } from '../support/subscriber.ts'

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

const seller = 'marina@tidepool.example'

describe('an email to a seller', () => {
  test('reports a dispute, the withdrawn amount and the deadline, and the decision', async () => {
    const bought = await buy(service)
    const dispute = await disputeCharge(service, bought.charge)
    const opened = await emailTo(service, seller, /^A payment for Tidepool Pro is disputed$/)
    assertContains(opened, bought.email, 'Disputed: $12.60', '$12.00 and the $15.00 dispute fee')
    assertContains(opened, 'Respond by:', '/dashboard/apps/tidepool/sales/inv_')
    await decideDispute(service, dispute, 'won')
    const won = await emailTo(service, seller, /^You won the dispute for Tidepool Pro$/)
    assertContains(won, '$12.00 and the $15.00 dispute fee were returned to your balance')
    const other = await buy(service)
    await decideDispute(service, await disputeCharge(service, other.charge), 'lost')
    assertContains(
      await emailTo(service, seller, /^You lost the dispute for/),
      'The license has ended',
    )
  })

  test('says that no money has moved in an inquiry, also when it is closed', async () => {
    const bought = await buy(service, { card: CARD.inquiry })
    await handleEvents(service.world)
    const message = await emailTo(service, seller, /^Inquiry about a payment/)
    assertContains(message, 'No funds were withdrawn')
    await decideDispute(service, (await disputeOf(service, bought))!, 'won')
    const closed = await emailTo(service, seller, /^The inquiry about a payment .* is closed$/)
    assertContains(closed, 'No funds were withdrawn', 'the license is unchanged')
  })

  test('does not call a license unchanged if a refund closed the inquiry and ended it', async () => {
    const bought = await buy(service, { price: 2, card: CARD.inquiry })
    await handleEvents(service.world)
    await refund(service, bought)
    await handleEvents(service.world)
    const closed = await emailTo(service, seller, /^The inquiry .* Tidepool Lifetime is closed$/)
    assertContains(closed, 'No funds were withdrawn.')
    assert.doesNotMatch(closed, /unchanged/)
  })

  test('about a dispute of a payment that was refunded names only its cost', async () => {
    const bought = await buy(service, { price: 2, card: CARD.comes_back })
    await refund(service, bought)
    // The card returns the refund, so that the bank has something to withdraw.
    await advanceAndHandleEvents(service, 2)
    const dispute = await disputeCharge(service, bought.charge)
    const opened = await emailTo(service, seller, /^A payment for Tidepool Lifetime is/)
    assertContains(opened, 'The $15.00 dispute fee was withdrawn from your balance. It is returned')
    await decideDispute(service, dispute, 'won')
    const won = await emailTo(service, seller, /^You won the dispute for Tidepool Lifetime/)
    assertContains(won, 'The $15.00 dispute fee was returned to your balance.')
    assert.doesNotMatch(won, /\$0\.00/)
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
    const dispute = await disputeCharge(service, (await payments.chargeOf(service.world.db, id))!)
    const opened = await emailTo(service, seller, /^A payment for Harbor Harbor Pro is disputed$/)
    assertContains(opened, 'The license had ended before.')
    await decideDispute(service, dispute, 'won')
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
      await buyWithCode(service, app, code)
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
    const earn = async () => {
      await sell(service)
      service.clock.pass(8 * DAY)
      await handleEvents(service.world)
    }
    const pay = async () => {
      await payOut(service.world, { ...payee, cause: 'request' })
      service.clock.pass(3 * DAY)
      await handleEvents(service.world)
    }
    await earn()
    await pay()
    const paid = await emailTo(service, seller, /^Your payout of \$[\d.,]+ to Tidepool Works LLC$/)
    const text =
      'Payout 1 of Tidepool Works LLC was sent to Sandbox Test Bank, account ending in 6789.'
    assertContains(paid, text, '/dashboard/payouts/po_')
    await withBank(service, 'seller', BANKS.closed)
    await earn()
    await pay()
    const failed = await emailTo(service, seller, /was returned$/)
    assertContains(
      failed,
      'Payout 2 of Tidepool Works LLC for $',
      'was returned',
      'added back to your balance',
      '/dashboard/payouts/po_',
    )
    assertContains(
      failed,
      'Change your bank account under Payouts, or confirm that its details are right',
    )
    await withBank(service, 'seller')
    // Handled before the bank is removed: the event about it would make the service read it again.
    await earn()
    await service.world.db.run(sql`update sandbox.accounts set bank_name = null, bank_last4 = null,
      bank_fingerprint = null`)
    await pay()
    const refused = await emailTo(service, seller, /failed$/)
    assertContains(
      refused,
      'failed. Nothing was sent to the bank. Reason: The account has no bank yet.',
    )
  })

  test('names the page and the entries that an affiliate has, for an affiliate', () => {
    const payout = {
      number: 1,
      amount: cents(6189),
      bank: 'Tide Bank, account ending in 6789',
      failure: null,
      was_refused: false,
      url: 'http://localhost/affiliate/payouts/po_1/',
    }
    const textFor = (write: typeof payoutPaid, seller_name: string | null) =>
      JSON.stringify(write({ ...payout, seller_name }))
    assert.match(textFor(payoutFailed, null), /Change your bank account under Referrals/)
    assert.match(textFor(payoutFailed, 'Tidepool Works LLC'), /bank account under Payouts/)
    assert.match(textFor(payoutPaid, null), /Every commission and reversal in this payout/)
    assert.match(textFor(payoutPaid, 'Tidepool Works LLC'), /Every sale, refund and fee/)
  })

  test('opens the pages of the seller that it is about, for a member of two sellers', async () => {
    const { db, clock } = service.world
    const { owner } = await payeeOf(service, 'seller')
    const { client_id } = await addSellerWithApp(service, { email: seller, slug: 'second' })
    const { seller_id: other } = await apps.get(db, client_id)
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
    const { text } = await readPdf(await statementPdf(world, 'seller', payout!))
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
    await refreshAccount({ ...world, processor: late }, owner, { is_confirmed: false })
    assert.equal((await emails()).length, before + 1)
    const account = await payouts.findAccount(world.db, owner)
    assert.equal(account?.bank_last4, '6789')
  })
})
