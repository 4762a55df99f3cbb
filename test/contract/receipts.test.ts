import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { payBuyerOtherwise, recordRepayment, writeOffExcess } from '#flows/staff-actions'
import { addSeconds } from '#platform/calendar'
import { type InvoiceId, mintId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { signUp } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { buyWithCode } from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { bankSandbox, decideDispute, disputeCharge } from '../support/disputes.ts'
import { exportBy } from '../support/exports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { assertContains, emailTo } from '../support/mailbox.ts'
import { readPdf } from '../support/pdf.ts'
import { refund, staffActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, otherApp, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

/** The paid invoices of a subscriber, oldest first. */
async function invoicesOf({
  license_id,
}: Subscriber): Promise<{ id: InvoiceId; number: number }[]> {
  return await service.world.db.rows(sql`select id, number from invoices
    where license_id = ${license_id} and status = 'paid' order by paid_at, number`)
}

const address = ({ app }: Subscriber, id: string) => `/manage/${app.client_id}/invoices/${id}.pdf`

async function fetchPdf({ agent }: Pick<Subscriber, 'agent'>, url: string) {
  const { cookie } = agent
  return await service.app.inject({ url, headers: { cookie, accept: 'text/html' } })
}

test('the receipt of a trial deducts what the trial does not charge', async () => {
  const app = await otherApp(service, { trial_days: 7 })
  const { email } = await subscribe(service, { app })
  const deducted = /Total: \$0\.00\s+Paid on March 10, 2026: \$0\.00/
  const receipt = await emailTo(service, email, /^Your receipt for /)
  assert.match(receipt, /Free trial: −\$\d+\.\d\d/)
  assert.match(receipt, deducted)
})

test('the receipt of an amount that is too small to charge deducts it', async () => {
  const app = await otherApp(service, { amount: cents(1000) })
  const { code } = await addCode(service, app.client_id, { percent: 97 })
  const { email } = await buyWithCode(service, app, code)
  const receipt = await emailTo(service, email, /^Your receipt for /)
  assert.match(receipt, /Waived \(below the minimum charge\): −\$0\.32/)
  assert.match(receipt, /Total: \$0\.00\s+Paid on March \d+, 2026: \$0\.00/)
  assert.doesNotMatch(receipt, /Free trial/)
})

test('a receipt names seller of record, seller, buyer, line, tax with state and rate, total and card', async () => {
  const subscriber = await subscribe(service)
  const [invoice] = await invoicesOf(subscriber)
  const answer = await fetchPdf(subscriber, address(subscriber, invoice!.id))
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'application/pdf')
  assert.equal(answer.headers['cache-control'], 'no-store')
  const number = billing.invoiceNumber(invoice!.number)
  assert.ok(String(answer.headers['content-disposition']).includes(`"${number}.pdf"`))
  const { text, pages, title, author } = await readPdf(answer.rawPayload)
  assert.equal(pages, 1)
  assert.equal(title, 'Receipt and invoice')
  assert.equal(author, 'Purser Demo, Inc.')
  for (const part of [
    number,
    // F26: the operator's settings, and the actual statement descriptor.
    'Purser Demo, Inc., merchant of record',
    '1 Demo Street',
    'Tax ID 00-0000000 (demo)',
    'Questions about this receipt: support@demo.example',
    'Your card statement shows PURSERDEMO* TIDEPOOL.',
    'Tidepool Works LLC',
    subscriber.email,
    'TX 78701, United States',
    'March 10, 2026 to April 10, 2026',
    'Tidepool Pro, one month',
    '$12.00',
    'Sales tax (TX), 6.25% on 80% of the price',
    '$0.60',
    '$12.60',
    'Visa ending in 4242',
    'Page 1 of 1',
  ]) {
    assert.ok(text.includes(part), `the receipt lacks "${part}":\n${text}`)
  }
  assert.ok(!text.includes('424242424242'))
  const again = await fetchPdf(subscriber, address(subscriber, invoice!.id))
  assert.ok(again.rawPayload.equals(answer.rawPayload), 'the same invoice is the same bytes')
})

test('a receipt keeps the names and the email under which it was sold', async () => {
  const app = await otherApp(service, {})
  const subscriber = await subscribe(service, { app })
  const [invoice] = await invoicesOf(subscriber)
  const read = async () => (await fetchPdf(subscriber, address(subscriber, invoice!.id))).rawPayload
  const before = await read()
  const { db } = service.world
  await db.run(sql`update apps set name = 'Renamed app' where id = ${app.client_id}`)
  await db.run(sql`update products set name = 'Renamed plan' where app_id = ${app.client_id}`)
  await db.run(sql`update sellers set legal_name = 'Renamed LLC'
    where id = (select seller_id from apps where id = ${app.client_id})`)
  const renamed = `renamed-${subscriber.email}`
  await db.run(sql`update users set email = ${renamed}, email_normalized = ${renamed}
    where id = ${subscriber.user_id}`)
  assert.ok((await read()).equals(before))
  const receipt = (await billing.findReceipt(db, invoice!.id))!
  assert.doesNotMatch(JSON.stringify(receipt), /renamed/i)
  const order = (await billing.orderOfInvoice(db, invoice!.id))!
  assert.doesNotMatch(order.app_name + order.product_name, /Renamed/)
})

test('a receipt is its buyer’s alone, under its own app, and only once it was paid', async () => {
  const subscriber = await subscribe(service)
  const [invoice] = await invoicesOf(subscriber)
  const url = address(subscriber, invoice!.id)
  const others = [(await subscribe(service)).agent, (await signUp(service)).agent]
  for (const agent of others) {
    assert.equal((await fetchPdf({ agent }, url)).statusCode, 404)
  }
  const other = await otherApp(service, {})
  const elsewhere = url.replace(service.demo.app.client_id, other.client_id)
  // Nor under another app, which this session cannot access.
  assert.notEqual((await fetchPdf(subscriber, elsewhere)).statusCode, 200)
  for (const id of ['inv_0000000000000000000000', 'inv_x', invoice!.id.slice(0, -1)]) {
    assert.equal((await fetchPdf(subscriber, address(subscriber, id))).statusCode, 404, id)
  }
  const anonymous = await service.app.inject({ url })
  assert.match(String(anonymous.headers.location), /^\/signin\//)
})

test('a renewal has a receipt of its own, and a refund is on the receipt of its invoice', async () => {
  const app = await otherApp(service, { amount: cents(2000) })
  const subscriber = await subscribe(service, { app })
  await apps.setClockAhead(service.world.db, app.client_id, 32 * DAY)
  await runDue(service)
  const [first, second] = await invoicesOf(subscriber)
  assert.ok(second!.number > first!.number)
  const before = await readPdf(
    (await fetchPdf(subscriber, address(subscriber, second!.id))).rawPayload,
  )
  assert.doesNotMatch(before.text, /Refunded/)
  await refund(service, { invoice_id: second!.id }, 525, 'operator')
  const { text } = await readPdf(
    (await fetchPdf(subscriber, address(subscriber, second!.id))).rawPayload,
  )
  for (const part of ['Refunded on', '−$5.25', 'Paid after refunds', '$15.75']) {
    assert.ok(text.includes(part), part)
  }
  assert.match(text, /Refunded on \w+ \d+, \d+ \(\$0\.25 tax\) −\$5\.25/)
  const untouched = await readPdf(
    (await fetchPdf(subscriber, address(subscriber, first!.id))).rawPayload,
  )
  assert.doesNotMatch(untouched.text, /Refunded/)
  await subscriber.agent.open(`/manage/${app.client_id}/`)
  assert.match(subscriber.agent.text, /\$5\.25 refunded/)
})

test('a refund that the card has not confirmed is pending on page, receipt and email', async () => {
  const app = await otherApp(service, { amount: cents(2000) })
  const subscriber = await subscribe(service, { app, card: '4000000000007726' })
  const { email, agent } = subscriber
  const [invoice] = await invoicesOf(subscriber)
  const url = address(subscriber, invoice!.id)
  const sale = `/admin/sales/${invoice!.id}/`
  const staff = await signedIn(service, service.demo.operator)
  await refund(service, { invoice_id: invoice!.id }, undefined, 'operator')
  const sent = await emailTo(service, email, /^Your refund of \$21\.00 for /)
  assertContains(
    sent,
    'Your refund of $21.00 is pending',
    'Refund pending to: Visa',
    'not confirmed',
  )
  assert.doesNotMatch(sent, /[Rr]efunded/)
  const pending = await readPdf((await fetchPdf(subscriber, url)).rawPayload)
  assertContains(pending.text, 'Refund pending since March 10, 2026', '($1.00 tax)', '−$21.00')
  assert.doesNotMatch(pending.text, /Refunded/)
  await agent.open(`/manage/${app.client_id}/`)
  assert.match(agent.text, /Refund pending/)
  assert.doesNotMatch(agent.text, /Refunded/)
  await staff.open(`${sale}?done=refunded`)
  assert.match(staff.text, /The refund is pending until the buyer’s bank confirms it/)
  assert.match(staff.text, /Refund pending \$21\.00/)
  assert.doesNotMatch(staff.text, /Refunded \$|Refunded\./)
  const { slug } = await apps.get(service.world.db, app.client_id)
  const seller = await signedIn(service, service.demo.seller)
  const list = `/dashboard/apps/${slug}/sales/`
  const labels = { refund_pending: 'Refund pending', refunded: 'Refunded' }
  const filtered = async (status: keyof typeof labels) => {
    const { body } = await seller.open(`${list}?status=${status}`)
    if (!body.includes(email)) return []
    assert.match(seller.text, new RegExp(`PUR-\\d+ ${labels[status]} .*${email}`))
    const { rows } = await exportBy(seller, 'Export CSV')
    return rows.map((row) => row.status)
  }
  assert.deepEqual(await filtered('refund_pending'), ['refund_pending'])
  assert.deepEqual(await filtered('refunded'), [])
  await apps.setClockAhead(service.world.db, app.client_id, 2 * DAY)
  await handleEvents(service.world)
  assert.deepEqual(await filtered('refund_pending'), [])
  assert.deepEqual(await filtered('refunded'), ['refunded'])
  const arrived = await readPdf((await fetchPdf(subscriber, url)).rawPayload)
  assert.match(arrived.text, /Refunded on/)
  assert.doesNotMatch(arrived.text, /pending/)
  await agent.open(`/manage/${app.client_id}/`)
  assert.match(agent.text, /Refunded/)
  assert.doesNotMatch(agent.text, /pending/)
})

test('a refund at the processor, after the buyer was repaid otherwise, is one in excess', async () => {
  const app = await otherApp(service, { amount: cents(2000) })
  const subscriber = await subscribe(service, { app, card: '4000000000005126' })
  const [invoice] = await invoicesOf(subscriber)
  const charge = (await payments.chargeOf(service.world.db, invoice!.id))!
  await refund(service, { invoice_id: invoice!.id })
  await apps.setClockAhead(service.world.db, app.client_id, 2 * DAY)
  await handleEvents(service.world)
  const staff = { ...(await staffActor(service)), reason: 'A check was sent.' }
  assert.equal(await payBuyerOtherwise(service.world, staff, subscriber), 2100)
  const again = { charge_id: charge.processor_charge_id, amount: cents(500) }
  const later = addSeconds(service.clock.now(), 2 * DAY)
  await bankSandbox(service).refundOutside(later, again)
  await handleEvents(service.world)
  await handleEvents(service.world)
  const { text } = await readPdf(
    (await fetchPdf(subscriber, address(subscriber, invoice!.id))).rawPayload,
  )
  const rows = 'Refunded in excess $5.00 Refunded on March 12, 2026 −$5.00'
  assert.ok(text.includes(`Paid after refunds $0.00 ${rows}`), text)
  await subscriber.agent.open(`/manage/${app.client_id}/`)
  assert.match(subscriber.agent.text, /Refunded, \$5\.00 in excess/)
  const { user_id } = subscriber
  const paid = { amount: cents(300), way: 'check', reference: '12', paid_on: '2026-03-13' } as const
  const repayment = { id: mintId(service.world.random, 'exr'), user_id, ...paid }
  assert.deepEqual(await recordRepayment(service.world, staff, repayment), { outcome: 'recorded' })
  const rest = { user_id, seen: cents(200) }
  assert.equal(await writeOffExcess(service.world, staff, rest), 200)
  const settled = await readPdf(
    (await fetchPdf(subscriber, address(subscriber, invoice!.id))).rawPayload,
  )
  const repaid = 'Excess repaid on March 13, 2026 $3.00 Excess waived on March 12, 2026 $2.00'
  const after = `${repaid} Paid after refunds $0.00 ${rows}`
  assert.ok(settled.text.includes(after), settled.text)
  await subscriber.agent.open(`/manage/${app.client_id}/`)
  assert.match(subscriber.agent.text, /Refunded, \$5\.00 in excess \$3\.00 repaid \$2\.00 waived/)
})

test('a disputed payment is named on the receipt and the manage page, until the bank upholds it', async () => {
  const app = await otherApp(service, { amount: cents(2000) })
  const subscriber = await subscribe(service, { app })
  const [invoice] = await invoicesOf(subscriber)
  const charge = (await payments.chargeOf(service.world.db, invoice!.id))!
  const pdf = async () =>
    (await readPdf((await fetchPdf(subscriber, address(subscriber, invoice!.id))).rawPayload)).text
  const page = async () => textOf((await subscriber.agent.open(`/manage/${app.client_id}/`)).body)
  const before = await pdf()
  const dispute = await disputeCharge(service, charge)
  assert.match(
    await pdf(),
    /Disputed since March \d+, 2026 \$21\.00 Paid with Visa ending in 4242 \$21\.00/,
  )
  assert.match(await page(), /Harbor Pro, purchase Disputed March/)
  await decideDispute(service, dispute, 'won')
  assert.equal(await pdf(), before)
  assert.doesNotMatch(await page(), /Disputed/)
  service.clock.pass(60)
  await bankSandbox(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
  await handleEvents(service.world)
  assert.match(await pdf(), /Returned by your bank on March \d+, 2026 \$21\.00 Paid with/)
  assert.match(await page(), /\$21\.00 returned by your bank/)
})

// S9
test('the development mailbox answers this machine alone', async () => {
  const ask = (remoteAddress: string) => service.app.inject({ url: '/dev/mailbox/', remoteAddress })
  for (const own of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.equal((await ask(own)).statusCode, 200, own)
  }
  for (const other of ['203.0.113.9', '10.0.0.2', '2001:db8::1']) {
    assert.equal((await ask(other)).statusCode, 404, other)
  }
})
