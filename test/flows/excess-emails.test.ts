/** What buyers are emailed about the settlement of what they are owed, or received in excess. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import { personalData } from '#flows/account'
import { payBuyerOtherwise } from '#flows/staff-actions'
import type { StoredEmail } from '#platform/email-queue'
import { mintId } from '#platform/ids'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { sql } from '#platform/sql'
import { BUYER_EMAILS } from '../../src/surfaces/emails/buyer.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase } from '../support/database.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { buyAndRefundTwice, repay, staffWithReason, writeOffSeen } from '../support/excess.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { assertContains, emailTo } from '../support/mailbox.ts'
import { readPdf } from '../support/pdf.ts'
import { advanceAndHandleEvents, type Bought, buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService({ db: killableDatabase(await openTestDatabase()) })
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

/** The text of the PDFs that are attached to the latest email with this subject. */
async function attachedTo({ email }: Bought, subject: string): Promise<string[]> {
  const kept = (await listMailbox(service.world.db)).find(
    (each) => each.recipient === email && each.subject === subject,
  )!
  const { attachments } = (await findMailboxEmail(service.world.db, kept.message_id))!
  return await Promise.all(attachments.map(async (each) => (await readPdf(each.content)).text))
}

describe('the email about an excess', () => {
  test('confirms a repayment, with what is left and the receipt', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    await repay(service, bought, 200)
    const part = await emailTo(service, bought.email, /^We received your repayment of \$2\.00$/)
    assertContains(
      part,
      'Received on: March 11, 2026',
      'Reference: WIRE 4711',
      ', $2.00',
      'Left to repay: $3.00',
      '/manage/',
    )
    assert.doesNotMatch(part, /Nothing is left/)
    await repay(service, bought, 300)
    const subject = 'We received your repayment of $3.00'
    const rest = await emailTo(service, bought.email, /^We received your repayment of \$3\.00$/)
    assertContains(rest, 'Nothing is left to repay.')
    assert.doesNotMatch(rest, /Left to repay/)
    const [pdf, ...others] = await attachedTo(bought, subject)
    assertContains(pdf!, 'Excess repaid on March 11, 2026 $3.00')
    assert.deepEqual(others, [])
  })

  test('says that the rest need not be repaid, without the reason of staff', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    await repay(service, bought, 200)
    await writeOffSeen(service, bought, 300)
    const subject = 'You no longer need to repay $3.00'
    const message = await emailTo(service, bought.email, /^You no longer need to repay \$3\.00$/)
    assertContains(message, 'You received $3.00 more than you paid.', ', $3.00')
    assert.doesNotMatch(message, /Agreed by phone/)
    const [pdf] = await attachedTo(bought, subject)
    assertContains(pdf!, 'Excess waived on')
  })

  test('is in the language of the buyer', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const { db } = service.world
    await db.run(sql`update users set language = 'es' where id = ${bought.user_id}`)
    await repay(service, bought, 200)
    const message = await emailTo(service, bought.email, /^Recibimos su devolución de /)
    assertContains(message, 'Por devolver: ', 'Referencia: WIRE 4711')
  })

  test('is one per settlement, with it or not at all when the process is killed', async () => {
    const { db } = service.world
    const queued = async (user_id: string) =>
      (
        await db.rows(sql`select 1 from emails where subject_id in
        (select id from excess_repayments where user_id = ${user_id}
          union all select id from write_offs where owner = ${user_id})`)
      ).length
    const bought = await buyAndRefundTwice(service, 500)
    for (let last = 1, was_killed = true; was_killed; last += KILL_STRIDE) {
      const id = mintId(service.world.random, 'exr')
      const before = await queued(bought.user_id)
      const { killed } = await untilKilled(last, () => repay(service, bought, 10, { id }))
      const recorded = await ledger.findRepayment(db, id)
      assert.equal(await queued(bought.user_id), before + (recorded ? 1 : 0), `step ${last}`)
      await repay(service, bought, 10, { id })
      assert.equal(await queued(bought.user_id), before + 1)
      was_killed = killed
    }
    for (let last = 1, was_killed = true; was_killed; last += KILL_STRIDE) {
      const other = await buyAndRefundTwice(service, 500)
      const { killed } = await untilKilled(last, () => writeOffSeen(service, other, 500))
      const owed = await ledger.balanceOf(db, 'buyer_payable', other.user_id)
      assert.equal(await queued(other.user_id), owed === 0 ? 1 : 0, `step ${last}`)
      await writeOffSeen(service, other, 500)
      assert.equal(await queued(other.user_id), 1)
      was_killed = killed
    }
  })

  test('is not sent once the write-off is reversed, and is in the personal data', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    const dispute = await disputeCharge(service, bought.charge)
    await writeOffSeen(service, bought, 1260)
    const { db } = service.world
    const stored = await db.one<StoredEmail>(sql`select * from emails
      where subject_id in (select id from write_offs where owner = ${bought.user_id})`)
    assert.ok(await BUYER_EMAILS.excess_waived(service.world, stored))
    await decideDispute(service, dispute, 'won')
    assert.equal(await BUYER_EMAILS.excess_waived(service.world, stored), undefined)
    const person = { user_id: bought.user_id, email_normalized: bought.email }
    const kinds = (await personalData(db, person)).emails?.map(({ kind }) => kind)
    assert.deepEqual(kinds?.filter((kind) => kind !== 'receipt').sort(), [
      'excess_waived',
      'paid_otherwise',
      'refund_issued',
      'refund_returned',
    ])
  })
})

/** A purchase whose refund of some cents the card returned. */
async function returned(amount: number): Promise<Bought> {
  const bought = await buy(service, { card: CARD.comes_back })
  await refund(service, bought, amount)
  await advanceAndHandleEvents(service, 2)
  return bought
}

const pay = async (bought: Bought) =>
  await payBuyerOtherwise(service.world, await staffWithReason(service), bought)

describe('the email about a refund that the bank returned', () => {
  test('says what the buyer is owed, and where to ask for it', async () => {
    const bought = await returned(500)
    const message = await emailTo(service, bought.email, /^Your refund of \$5\.00 .* was returned$/)
    assertContains(message, 'Your bank returned your refund of $5.00', 'in another way', '/help/')
  })

  test('is not sent once the buyer is owed nothing', async () => {
    const bought = await returned(500)
    const stored = await service.world.db.one<StoredEmail>(sql`select * from emails
      where kind = 'refund_returned' and subject_id in
        (select id from refunds where charge_id = ${bought.charge.id})`)
    assert.ok(await BUYER_EMAILS.refund_returned(service.world, stored))
    await pay(bought)
    assert.equal(await BUYER_EMAILS.refund_returned(service.world, stored), undefined)
  })
})

describe('the email about a payment in another way than to the card', () => {
  test('names amount and invoice, with the receipt and without the reason of staff', async () => {
    const bought = await returned(500)
    assert.equal(await pay(bought), 500)
    const message = await emailTo(service, bought.email, /^We paid you \$5\.00$/)
    assertContains(message, ', $5.00', 'by check or in another way', '/manage/')
    assert.doesNotMatch(message, /Agreed by phone/)
    const [pdf, ...others] = await attachedTo(bought, 'We paid you $5.00')
    assertContains(pdf!, 'Refunded on', '$5.00')
    assert.deepEqual(others, [])
    const person = { user_id: bought.user_id, email_normalized: bought.email }
    const kinds = (await personalData(service.world.db, person)).emails?.map(({ kind }) => kind)
    assert.ok(kinds?.includes('paid_otherwise'))
  })

  test('is in the language of the buyer', async () => {
    const bought = await returned(500)
    const { db } = service.world
    await db.run(sql`update users set language = 'es' where id = ${bought.user_id}`)
    await pay(bought)
    const message = await emailTo(service, bought.email, /^Le pagamos /)
    assertContains(message, 'cheque')
  })

  test('is one per payment, with it or not at all when the process is killed', async () => {
    const { db } = service.world
    for (let last = 1, was_killed = true; was_killed; last += KILL_STRIDE) {
      const bought = await returned(500)
      const queued = async () =>
        (
          await db.rows(sql`select 1 from emails where subject_id in
            (select id from buyer_payments where user_id = ${bought.user_id})`)
        ).length
      const { killed } = await untilKilled(last, () => pay(bought))
      const owed = await ledger.balanceOf(db, 'buyer_payable', bought.user_id)
      assert.equal(await queued(), owed === 0 ? 1 : 0, `step ${last}`)
      await pay(bought)
      assert.equal(await queued(), 1)
      was_killed = killed
    }
  })
})
