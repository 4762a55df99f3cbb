import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as metrics from '#domain/metrics'
import { isoDate } from '#platform/calendar'
import type { InvoiceId } from '#platform/ids'
import { cents, sum } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { CARD } from '../support/cards.ts'
import { addCode } from '../support/discounts.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { buyer, enterCard, goToConfirm } from '../support/purchase.ts'
import { type Bought, buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, runDue, subscribe } from '../support/subscriber.ts'
import { advanceTestClock, timeOf } from '../support/test-clock.ts'

// Guards F51: the figures of the overview, from the ledger and the history of licenses.

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const app_id = () => service.demo.app.client_id
const price = (index: number) => service.demo.app.prices[index]!.public_id

/** The figures of the cast's app for the last days in its own time. */
async function figures(days = 30): Promise<metrics.OverviewFigures> {
  const to = isoDate(await timeOf(service, app_id()))
  const range = { from: metrics.dayAfter(to, 1 - days), to }
  return await metrics.readOverview(service.world.db, { app_ids: [app_id()], range })
}

/** What a balance of the ledger is in total, with the other sign. */
async function earnings(): Promise<number> {
  const { amount } = await service.world.db.one<{ amount: number }>(sql`
    select coalesce(-sum(e.amount), 0)::bigint as amount
    from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    where e.account in ('seller_payable', 'dispute_hold')
      and t.event not in ('payout', 'payout_failed', 'write_off')`)
  return amount
}

async function assertRight(): Promise<void> {
  assert.deepEqual(await metrics.findWrongMetrics(service.world.db), [])
}

describe('net revenue', () => {
  test('is what the ledger says that the seller earned, to the cent', async () => {
    const before = await figures()
    const bought = await buy(service)
    await buy(service, { price: 2 })
    assert.equal((await figures()).sales, before.sales + 2)
    await refund(service, bought, 700)
    await handleEvents(service.world)
    const after = await figures()
    assert.equal(after.refunds, before.refunds + 1)
    assert.equal(after.net, await earnings())
    await assertRight()
  })

  test('comes with the number of payments that were refunded, each once', async () => {
    const before = await figures()
    const bought = await buy(service)
    await refund(service, bought, 300)
    await refund(service, bought, 300)
    assert.equal((await figures()).refunds, before.refunds + 1)
    service.clock.pass(2 * DAY)
    await refund(service, bought)
    assert.equal((await figures()).refunds, before.refunds + 1)
    assert.equal((await figures(1)).refunds, 1, 'it counts in each range with a refund of it')
  })

  test('is the sum of what the list of sales says was earned, after refunds and disputes', async () => {
    const refunded = await buy(service)
    await refund(service, refunded)
    const lost = await buy(service)
    await decideDispute(service, await disputeCharge(service, lost.charge), 'lost')
    const query = { app_ids: [app_id()], limit: 100 }
    const sales = await metrics.latestSales(service.world.db, query)
    const netOf = ({ invoice_id }: Bought) => sales.find(({ id }) => id === invoice_id)?.net
    assert.deepEqual([netOf(refunded), netOf(lost)], [-50, -1610])
    assert.equal(sum(...sales.map(({ net }) => net)), (await figures()).net)
  })

  test('decreases by a dispute when it is lost, and by its fee when it is opened', async () => {
    const before = await figures()
    await buy(service, { card: '4000000000000259' })
    const sold = await figures()
    await handleEvents(service.world)
    const opened = await figures()
    assert.equal(opened.disputes, before.disputes + 1)
    assert.ok(opened.net < sold.net)
    assert.ok(opened.net > before.net - 5000)
    assert.equal(opened.net, await earnings())
    await assertRight()
  })
})

describe('monthly recurring revenue', () => {
  test('counts a new plan, an upgrade, a failed renewal and its end', async () => {
    const before = await figures()
    const monthly = await subscribe(service, { card: CARD.never_renews })
    const { amount } = await service.world.db.one<{ amount: number }>(
      sql`select amount from subscriptions where license_id = ${monthly.license_id}`,
    )
    const sold = await figures()
    assert.equal(sold.mrr - before.mrr, amount)
    assert.equal(sold.mrr_changes.mrr_new - before.mrr_changes.mrr_new, amount)
    assert.equal(sold.licenses.active, before.licenses.active + 1)
    service.clock.pass(32 * DAY)
    await runDue(service)
    const owing = await figures(60)
    assert.equal(owing.licenses.past_due, before.licenses.past_due + 1)
    assert.equal(owing.mrr, sold.mrr)
    for (let days = 0; days < 60; days += 3) {
      service.clock.pass(3 * DAY)
      await runDue(service)
    }
    const ended = await figures(120)
    assert.ok(ended.mrr_changes.mrr_churn <= -amount)
    await assertRight()
  })

  test('divides a yearly price by twelve, and an upgrade is an expansion', async () => {
    const { world } = service
    const subscriber = await subscribe(service)
    const before = await figures()
    await changePlanTo(service, subscriber, price(1))
    const after = await figures()
    const { amount } = await world.db.one<{ amount: number }>(
      sql`select amount from subscriptions where license_id = ${subscriber.license_id}`,
    )
    const monthly = 1200
    const change = Math.round(amount / 12) - monthly
    assert.equal(after.mrr - before.mrr, change)
    const { mrr_expansion, mrr_contraction } = after.mrr_changes
    const { mrr_changes: former } = before
    const moved = mrr_expansion + mrr_contraction - former.mrr_expansion - former.mrr_contraction
    assert.equal(moved, change)
    await assertRight()
  })
})

test('a renewal that was paid late is the latest sale', async () => {
  const { license_id } = await subscribe(service, { card: CARD.renews_on_retry_3 })
  service.clock.pass(32 * DAY)
  await runDue(service)
  const { invoice_id } = await buy(service)
  for (let days = 0; days < 14; days++) {
    service.clock.pass(DAY)
    await runDue(service)
  }
  const renewal = await service.world.db.one<{ id: InvoiceId }>(sql`select id from invoices
    where license_id = ${license_id} and kind = 'renewal' and status = 'paid'`)
  const query = { app_ids: [app_id()], limit: 100 }
  const latest = (await metrics.latestSales(service.world.db, query)).map(({ id }) => id)
  assert.ok(latest.indexOf(renewal.id) < latest.indexOf(invoice_id), latest.join(', '))
})

test('recurring revenue excludes a discount on future periods, and no other', async () => {
  for (const [terms, mrr] of [
    [{ periods: null }, 960],
    [{ periods: 1 }, 1200],
    [{ percent: null, amount: cents(500), periods: 3 }, 700],
  ] as const) {
    const { mrr: before } = await figures()
    const { code } = await addCode(service, app_id(), terms)
    await buy(service, { query: `?discount=${code}` })
    assert.equal((await figures()).mrr - before, mrr, JSON.stringify(terms))
  }
  await assertRight()
})

test('a checkout counts once at each of its steps', async () => {
  const before = (await figures()).carts
  await goToConfirm(service, buyer(service), { email: 'steps@example.com' })
  await buy(service)
  const agent = buyer(service)
  const declined = { email: 'another-card@example.com', card: '4000000000000002' }
  await goToConfirm(service, agent, declined)
  await agent.submit(/^Pay /)
  await agent.press('Use another card')
  await enterCard(agent)
  await agent.submit(/^Pay /)
  const { carts } = await figures()
  assert.equal(carts.cart_details - before.cart_details, 3)
  assert.equal(carts.cart_card - before.cart_card, 3)
  assert.equal(carts.cart_confirmation - before.cart_confirmation, 2)
  assert.equal(carts.cart_paid - before.cart_paid, 2)
})

test('a purchase of a test clock that is ahead counts on its day in that time', async () => {
  await advanceTestClock(service, app_id(), 3)
  await buy(service)
  const to = isoDate(await timeOf(service, app_id()))
  const range = { from: to, to }
  const { carts } = await metrics.readOverview(service.world.db, { app_ids: [app_id()], range })
  assert.deepEqual(carts, { cart_details: 1, cart_card: 1, cart_confirmation: 1, cart_paid: 1 })
})

test('figures are the same before, while and after the queue is added to the sums', async () => {
  const { db } = service.world
  const expected = await figures(365)
  for (let taken = 1; taken > 0; ) {
    taken = await metrics.sumMetrics(db, 3)
    assert.deepEqual(await figures(365), expected)
  }
  await Promise.all(Array.from({ length: 4 }, () => buy(service)))
  const queued = await figures(365)
  await Promise.all(Array.from({ length: 6 }, () => metrics.sumMetrics(db, 2)))
  while ((await metrics.sumMetrics(db, 100)) > 0);
  assert.deepEqual(await figures(365), queued)
  await assertRight()
})

test('a renewal of a test clock that is ahead counts on its day in that time', async () => {
  await subscribe(service)
  const sold = await timeOf(service, app_id())
  await advanceTestClock(service, app_id(), 40)
  const to = isoDate(await timeOf(service, app_id()))
  const range = { from: metrics.dayAfter(isoDate(sold), 1), to }
  const { sales, net } = await metrics.readOverview(service.world.db, {
    app_ids: [app_id()],
    range,
  })
  assert.ok(sales >= 1)
  assert.ok(net > cents(0))
  await assertRight()
})

test('a failed renewal is listed with what it comes to, less a discount', async () => {
  const { world } = service
  const { code } = await addCode(service, app_id(), { percent: 50, periods: null })
  const { email } = await buy(service, { query: `?discount=${code}`, card: CARD.never_renews })
  service.clock.pass(32 * DAY)
  await runDue(service)
  const failed = await metrics.failedRenewals(world.db, { app_ids: [app_id()], limit: 20 })
  const own = failed.find((renewal) => renewal.email === email)!
  const invoice = await billing.getInvoice(world.db, own.invoice_id!)
  assert.deepEqual([own.amount, invoice.amount], [600, 600])
})
