import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import * as apps from '#domain/apps'
import { timelineEvents } from '#domain/billing'
import * as payouts from '#domain/payouts'
import { payWeekly } from '#flows/pay-out'
import { eventText } from '#http/timeline-labels'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { type Agent, textOf } from '../support/agent.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { BANKS, payeeOf, sell, withBank } from '../support/payees.ts'
import { readPdf } from '../support/pdf.ts'
import { buy, refund } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const HOME = '/dashboard/payouts/'

let service: TestService
let agent: Agent
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/** The seller's latest statement: its address, and what it pays in cents. */
async function latest(): Promise<payouts.Payout & { path: string }> {
  const payee = await payeeOf(service, 'seller')
  const [payout] = await payouts.payoutsOf(service.world.db, payee, { limit: 1 })
  return { ...payout!, path: `${HOME}${payout!.id}/` }
}

describe('a seller’s payouts', () => {
  test('begin with a bank account, which needs recent authentication', async () => {
    agent = await signedIn(service, service.demo.seller)
    await agent.open(HOME)
    assert.match(agent.text, /Available now \$0\.00 The minimum payout is \$25\.00/)
    assert.match(agent.text, /No payouts yet/)
    service.clock.pass(11 * 60)
    await agent.open(HOME)
    await agent.submit('Add bank account')
    assert.match(agent.page.url, /^\/account\/confirm/)
    agent = await withBank(service, 'seller')
    assert.match(agent.text, /ready for payouts.*Sandbox Test Bank, account ending in 6789/)
    await agent.submit('Change bank account')
    await agent.open(HOME)
    assert.match(agent.text, /account ending in 6789/, 'leaving without a change changes nothing')
  })

  test('return from the bank page to the seller whose account it is, whichever was chosen since', async () => {
    const { db } = service.world
    const { owner } = await payeeOf(service, 'seller')
    const { email } = service.demo.seller
    const { client_id } = await addSellerWithApp(service, { email, slug: 'bank-return' })
    const { seller_id: other } = await apps.get(db, client_id)
    await agent.open(HOME)
    await agent.submit('Change bank account')
    await db.run(sql`update sessions set seller_id = ${other} where user_id =
      (select id from users where email_normalized = ${email})`)
    const account_number = BANKS.closed
    await agent.submit('Save this account', { routing_number: '110000000', account_number })
    assert.equal(agent.page.url, `${HOME}?done=bank`)
    assert.match(agent.text, /Sandbox Test Bank, account ending in 1113/)
    assert.equal((await payouts.findAccount(db, owner))?.bank_last4, '1113')
    await db.run(sql`delete from seller_members where seller_id = ${other}`)
    agent = await withBank(service, 'seller')
  })

  test('show the pending, the available and the transferred balance', async () => {
    await sell(service)
    await agent.open(HOME)
    assert.match(agent.text, /Pending: \$170\.50.*March 17, 2026 \$170\.50/)
    service.clock.pass(7 * DAY)
    agent = await signedIn(service, service.demo.seller)
    await agent.open(HOME)
    assert.match(agent.text, /Available now \$170\.50 Paid automatically on Monday, March 23, 2026/)
    await agent.submit('Pay out now')
    assert.match(agent.text, /Payout sent to your bank.*Payout \d+: \$170\.50.*Pending/)
    assert.throws(() => agent.form('Pay out now'))
  })

  test('are sent on the Monday that the page names, not when the bank account is added', async (t) => {
    const fresh = await openTestService()
    t.after(() => assertInvariantsAndClose(fresh))
    await sell(fresh)
    fresh.clock.pass(14 * DAY)
    const { page } = await withBank(fresh, 'seller')
    assert.match(textOf(page.body), /Paid automatically on Monday, March 30, 2026/)
    assert.equal(await payWeekly(fresh.world), 0)
    fresh.clock.pass(7 * DAY)
    assert.equal(await payWeekly(fresh.world), 1)
  })

  test('show a debt and how it is settled', async () => {
    const { charge } = await buy(service)
    service.clock.pass(DAY)
    await handleEvents(service.world)
    await disputeCharge(service, charge)
    agent = await signedIn(service, service.demo.seller)
    await agent.open(HOME)
    assert.match(agent.text, /Balance due \$16\.10 This is deducted from your next earnings/)
  })

  test('tell staff what new earnings leave of a debt', async (t) => {
    const fresh = await openTestService()
    t.after(() => assertInvariantsAndClose(fresh))
    const { charge } = await buy(fresh)
    fresh.clock.pass(DAY)
    await handleEvents(fresh.world)
    await disputeCharge(fresh, charge)
    const { owner } = await payeeOf(fresh, 'seller')
    const staff = await signedIn(fresh, fresh.demo.operator)
    const read = async () => textOf((await staff.open(`/admin/sellers/${owner}/`)).body)
    await buy(fresh)
    const reduces = /Available −\$16\.10 .* \$10\.90 reduces the negative balance to −\$5\.20 on /
    assert.match(await read(), reduces)
    await sell(fresh)
    const settles = /Available −\$16\.10 .* \$181\.40 settles .* on [^.]*, and \$165\.30 remains\./
    assert.match(await read(), settles)
  })

  test('show why a payout was returned, and keep its statement', async () => {
    for (let sale = 0; sale < 2; sale++) await sell(service)
    service.clock.pass(7 * DAY)
    agent = await withBank(service, 'seller', BANKS.closed)
    await agent.submit('Pay out now')
    service.clock.pass(DAY)
    await handleEvents(service.world)
    const { path, number } = await latest()
    await agent.open(path)
    assert.match(agent.text, /This payout was returned.*has been closed\..*Total/)
    assert.match(agent.text, /Change your bank account under Payouts, or confirm that its details/)
    assert.match(agent.text, /Bank Sandbox Test Bank, account ending in 1113/)
    const headers = { cookie: agent.cookie }
    const pdf = await service.app.inject({ url: `${path}statement.pdf`, headers })
    const { text } = await readPdf(pdf.rawPayload)
    assert.match(text, / Returned \d{4}-\d\d-\d\d /)
    assert.match(text, /Their sum is the amount of the payout\./)
    assert.doesNotMatch(text, /amount paid/)
    const { invoice_id } = await service.world.db.one<{ invoice_id: string }>(
      sql`select id as invoice_id from invoices order by number desc limit 1`,
    )
    await agent.open(`/dashboard/apps/tidepool/sales/${invoice_id}/`)
    assert.match(agent.text, new RegExp(`Payout ${number} .* Returned Statement`))
    agent = await withBank(service, 'seller')
    await agent.submit('Pay out now')
    const next = await latest()
    assert.match(
      textOf((await agent.open(next.path)).body),
      new RegExp(`Payout ${number} returned`),
    )
    await agent.open(path)
    assert.match(agent.text, /This payout was returned.*added back to your balance\. Status/)
  })
})

describe('a payout that the processor refuses at once', () => {
  let refused: number

  test('is called failed, not returned, with the reason and what is next', async () => {
    const { world } = service
    await sell(service)
    service.clock.pass(7 * DAY)
    agent = await signedIn(service, service.demo.seller)
    const { owner } = await payeeOf(service, 'seller')
    const { processor_account_id } = (await payouts.findAccount(world.db, owner))!
    await world.db.run(sql`update sandbox.accounts set bank_name = null, bank_last4 = null,
        bank_fingerprint = null
      where id = ${processor_account_id}`)
    await agent.open(HOME)
    await agent.submit('Pay out now')
    const { path, number } = await latest()
    await agent.open(HOME)
    assert.match(agent.text, new RegExp(`Payout ${number}: \\$[\\d.]+ .{0,60}Failed`))
    await agent.open(path)
    assert.match(agent.text, /This payout failed The account has no bank yet\. Nothing was sent/)
    assert.match(agent.text, /part of your next payout\. Check your bank account before then/)
    assert.doesNotMatch(agent.text, /[Rr]eturned/)
    const headers = { cookie: agent.cookie }
    const pdf = await service.app.inject({ url: `${path}statement.pdf`, headers })
    const { text } = await readPdf(pdf.rawPayload)
    assert.match(text, /Status\s+Failed/)
    assert.match(text, /Reason for failure/)
    refused = number
    agent = await withBank(service, 'seller')
    await agent.submit('Pay out now')
    assert.equal((await latest()).status, 'pending')
  })

  test('is called failed by the line of the next statement, the sale and the timeline', async () => {
    const { db } = service.world
    const next = await latest()
    await agent.open(next.path)
    assert.match(agent.text, new RegExp(`Payout ${refused} failed`))
    const headers = { cookie: agent.cookie }
    const csv = await service.app.inject({ url: `${next.path}statement.csv`, headers })
    assert.match(csv.body, new RegExp(`Payout ${refused} failed`))
    const { invoice_id, app_id } = await db.one<{ invoice_id: string; app_id: AppId }>(
      sql`select id as invoice_id, app_id from invoices order by number desc limit 1`,
    )
    await agent.open(`/dashboard/apps/tidepool/sales/${invoice_id}/`)
    assert.match(agent.text, new RegExp(`Payout ${refused} .* Failed Statement`))
    const events = await timelineEvents(db, { app_id }, { limit: 500, offset: 0 })
    const ends = events.filter(({ kind, why }) => kind === 'payout_settled' && why !== 'paid')
    assert.deepEqual(ends.map(eventText), ['Payout returned', 'Payout failed'])
    assert.ok(events.every((event) => !/Payout sent/i.test(eventText(event))))
  })

  test('is called failed in the lists of staff, where another was returned', async () => {
    const { owner } = await payeeOf(service, 'seller')
    const staff = await signedIn(service, service.demo.operator)
    for (const path of ['/admin/payouts/?status=failed', `/admin/sellers/${owner}/`]) {
      const { body } = await staff.open(path)
      const text = textOf(body)
      assert.match(text, new RegExp(`payout ${refused} Failed .*payout \\d+ Returned`), path)
    }
    assert.match(staff.text, /has no bank yet/)
  })
})

describe('a statement', () => {
  let path: string
  let amount: number
  before(async () => {
    const { db } = service.world
    const name = sql`update apps set name = '=HYPERLINK("https://evil.example")' where slug = 'tidepool'`
    await db.run(name)
    const bought = await buy(service, { price: 2 })
    const [won, lost] = [await buy(service), await buy(service)]
    await refund(service, bought, 1_000)
    await decideDispute(service, await disputeCharge(service, won.charge), 'won')
    await decideDispute(service, await disputeCharge(service, lost.charge), 'lost')
    service.clock.pass(8 * DAY)
    await handleEvents(service.world)
    agent = await signedIn(service, service.demo.seller)
    await agent.open(HOME)
    await agent.submit('Pay out now')
    ;({ path, amount } = await latest())
  })

  test("lists the ledger's own lines, whose sum is the payout", async () => {
    const page = await agent.open(path)
    const sums = [...page.body.matchAll(/<td[^>]*tabular-nums[^>]*>(.*?)<\/td>/gs)].map(
      ([, cell]) =>
        Math.round(Number(textOf(cell!).replace('−', '-').replaceAll(/[$,]/g, '')) * 100),
    )
    const total = sums.splice(-3)
    const sumOf = (column: number) =>
      sums.filter((_, index) => index % 3 === column).reduce((sum, each) => sum + each, 0)
    assert.deepEqual(total, [sumOf(0), sumOf(1), sumOf(2)], 'the last row has the totals')
    assert.equal(total[2], amount)
    assert.ok(total[1]! < 0, 'fees were charged')
    assert.match(page.body, /href="\/dashboard\/apps\/tidepool\/sales\/inv_\w+\/"/)
    for (const each of [/Refund of/, /Dispute won: /]) assert.match(agent.text, each)
  })

  test('is available as CSV, without formulas in any cell', async () => {
    const csv = await agent.open(`${path}statement.csv`)
    assert.match(String(csv.headers['content-type']), /^text\/csv/)
    assert.match(String(csv.headers['content-disposition']), /filename="payout-\d+\.csv"/)
    const rows = parse(csv.body, { columns: true }) as Record<string, string>[]
    const cents = (text: string) => Math.round(Number(text) * 100)
    for (const row of rows) {
      assert.match(row.net!, /^-?\d+\.\d\d$/)
      assert.equal(cents(row.before_fees!) + cents(row.fees!), cents(row.net!))
      for (const cell of Object.values(row)) assert.doesNotMatch(cell, /^[=+@\t]/)
    }
    assert.equal(
      rows.reduce((sum, { net }) => sum + cents(net!), 0),
      amount,
    )
    assert.ok(rows.some(({ app }) => app === '\'=HYPERLINK("https://evil.example")'))
    assert.doesNotMatch(csv.body, /@example\.com/, 'no statement names a buyer')
  })

  test('is available as a PDF with the same amounts, and the same bytes at the same time', async () => {
    const get = () =>
      service.app.inject({ url: `${path}statement.pdf`, headers: { cookie: agent.cookie } })
    const [one, two] = [await get(), await get()]
    assert.equal(one.headers['content-type'], 'application/pdf')
    assert.ok(one.rawPayload.equals(two.rawPayload))
    const { text, pages } = await readPdf(one.rawPayload)
    assert.equal(pages, 1)
    const { number } = await latest()
    for (const each of [
      `Payout statement ${number}`,
      'Tidepool Works LLC',
      'Sandbox Test Bank, account ending in 6789',
      `$${(amount / 100).toFixed(2)}`,
      'Page 1 of 1',
    ]) {
      assert.ok(text.includes(each), `${each} in ${text}`)
    }
    assert.doesNotMatch(text, /@example\.com/)
  })

  test('keeps the names under which each line was sold', async () => {
    const { db } = service.world
    const read = async () => (await agent.open(`${path}statement.csv`)).body
    const before = await read()
    await db.run(sql`update apps set name = 'Renamed' where slug = 'tidepool'`)
    await db.run(sql`update products set name = 'Renamed ' || id`)
    assert.equal(await read(), before)
  })

  test('is visible only to its payee', async () => {
    const others = [service.demo.affiliate, service.demo.operator, service.demo.buyer]
    for (const who of others) {
      const other = await signedIn(service, who)
      for (const each of ['', 'statement.csv', 'statement.pdf']) {
        assert.equal((await other.open(`${path}${each}`)).status, 404)
        const affiliates = path.replace('/dashboard/payouts/', '/affiliate/payouts/')
        assert.equal((await other.open(`${affiliates}${each}`)).status, 404)
      }
    }
  })
})

test('a seller’s balance names what open disputes reserve, until the bank decides', async () => {
  const bought = await buy(service)
  agent = await signedIn(service, service.demo.seller)
  await agent.open(HOME)
  assert.doesNotMatch(agent.text, /Reserve for open disputes/)
  const dispute = await disputeCharge(service, bought.charge)
  await agent.open(HOME)
  assert.match(agent.text, /Reserve for open disputes: \$12\.00 Deducted until the bank decides\./)
  await decideDispute(service, dispute, 'won')
  await agent.open(HOME)
  assert.doesNotMatch(agent.text, /Reserve for open disputes/)
})
