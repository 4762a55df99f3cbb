/** What the manage page says that its buyer is owed, by the books. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { payBuyerOtherwise } from '#flows/staff-actions'
import type { InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { refundOutside, returnRefund, staffWithReason } from '../support/excess.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { manage, pageText } from '../support/manage-page.ts'
import { refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { countStatements, type StatementCounter } from '../support/statement-count.ts'
import { DAY, otherApp, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

let service: TestService
let counter: StatementCounter
before(async () => {
  service = await openTestService()
  counter = countStatements()
})
after(async () => {
  counter.stop()
  await assertInvariantsAndClose(service)
})

/** A buyer of an app with its own clock. */
async function subscriber(): Promise<Subscriber> {
  const app = await otherApp(service, { amount: cents(1000) })
  return await subscribe(service, { app })
}

async function lastInvoiceOf({ license_id }: Subscriber): Promise<InvoiceId> {
  return (await billing.lastPaidInvoice(service.world.db, license_id))!.id
}

/** Renews a plan by the clock of its app, so that the buyer stays signed in. */
async function renew({ app }: Subscriber, months: number): Promise<void> {
  const { db } = service.world
  for (let month = 0; month < months; month++) {
    const { clock_ahead } = await apps.get(db, app.client_id)
    await apps.setClockAhead(db, app.client_id, clock_ahead + 31 * DAY)
    await runDue(service)
  }
}

/** Refunds some cents of a payment, which the card returns at once. */
async function returnedRefund(invoice_id: InvoiceId, amount: number): Promise<void> {
  const { db } = service.world
  const answer = await refund(service, { invoice_id }, amount)
  assert.ok(answer.outcome === 'refunded')
  const { processor_refund_id } = await payments.getRefund(db, answer.refund_id)
  const charge = (await payments.chargeOf(db, invoice_id))!
  await returnRefund(service, { charge, refund_id: processor_refund_id! })
}

async function pageOf(buyer: Subscriber, query = ''): Promise<string> {
  await buyer.agent.open(`${manage(buyer)}${query}`)
  return pageText(buyer.agent)
}

test('a returned refund is owed on each page of the receipts, until staff pay it', async () => {
  const buyer = await subscriber()
  await returnedRefund(await lastInvoiceOf(buyer), 400)
  await renew(buyer, 12)
  const first = await pageOf(buyer)
  assert.match(first, /We still owe you \$4\.00 ?: contact us/)
  assert.doesNotMatch(first, /refund returned/)
  const second = await pageOf(buyer, '?page=2')
  assert.match(second, /We still owe you \$4\.00 ?: contact us/)
  assert.match(second, /\$4\.00 refund returned/)
  await payBuyerOtherwise(service.world, await staffWithReason(service), buyer)
  assert.doesNotMatch(await pageOf(buyer), /We still owe you/)
})

test('only a buyer who is owed something costs a statement of the books', async () => {
  const buyer = await subscriber()
  const other = await subscriber()
  const statementsOf = async (opened: Subscriber) =>
    (await counter.within(() => pageOf(opened))).statements
  await returnedRefund(await lastInvoiceOf(buyer), 400)
  assert.equal(await statementsOf(buyer), (await statementsOf(other)) + 1)
})

test('what a buyer received in excess of another payment is deducted', async () => {
  const { world } = service
  const buyer = await subscriber()
  const first = await lastInvoiceOf(buyer)
  const charge = (await payments.chargeOf(world.db, first))!
  await returnedRefund(first, 300)
  await payBuyerOtherwise(world, await staffWithReason(service), buyer)
  await renew(buyer, 1)
  await refundOutside(service, { charge }, charge.amount)
  const second = await lastInvoiceOf(buyer)
  await returnedRefund(second, 100)
  assert.doesNotMatch(await pageOf(buyer), /We still owe you|refund returned/)
  await returnedRefund(second, 500)
  const page = await pageOf(buyer)
  assert.match(page, /We still owe you \$3\.00 ?: contact us/)
  assert.match(page, /\$3\.00 refund returned/)
})
