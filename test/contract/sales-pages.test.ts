import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import { changePlan, quotePlanChange } from '#flows/subscription'
import type { InvoiceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { addCode } from '../support/discounts.ts'
import { disputeOf } from '../support/disputes.ts'
import { exportBy } from '../support/exports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer, enterCard, purchase, TEXAS } from '../support/purchase.ts'
import { type Bought, buy, refund, refundsOf, stateOf } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { auditOf, openSellerAndStaff, type SellerAndStaff } from '../support/seller-and-staff.ts'
import { openTestService, type TestService } from '../support/service.ts'

const BASE = '/dashboard/apps/tidepool'

let service: TestService
let sides: SellerAndStaff
before(async () => {
  service = await openTestService()
  sides = await openSellerAndStaff(service)
})
after(() => assertInvariantsAndClose(service))

const seller = () => sides.seller()
const staff = () => sides.staff()
const salePath = ({ invoice_id }: Bought, base = BASE) => `${base}/sales/${invoice_id}/`

// R14: by each status too, at any size (bench/growth.ts)
describe('the list of sales', () => {
  test('says that there are no sales before the first', async () => {
    const page = await seller().open('/dashboard/apps/driftlog/sales/')
    assert.equal(page.status, 200)
    assert.match(textOf(page.body), /No sales yet/)
  })

  test('lists every invoice with its parts, with filters and pages', async () => {
    const bought = await buy(service)
    const refunded = await buy(service)
    await refund(service, refunded)
    const page = await seller().open(`${BASE}/sales/`)
    const text = textOf(page.body)
    assert.ok(text.includes(bought.email) && text.includes(refunded.email))
    assert.match(
      text,
      /\$12\.00 \$0\.60 \$1\.10 \$10\.90 PUR-\d+ Paid Mar 10, 2026 \S+ Pro, purchase/,
    )
    const only = await seller().open(`${BASE}/sales/?status=refunded&kind=purchase`)
    assert.ok(only.body.includes(refunded.email) && !only.body.includes(bought.email))
    const none = await seller().open(`${BASE}/sales/?status=dispute_lost`)
    assert.match(textOf(none.body), /No matching invoices/)
    const odd = await seller().open(`${BASE}/sales/?status=nonsense&below=x'`)
    assert.equal(odd.status, 200)
    const below = await seller().open(`${BASE}/sales/?below=1`)
    assert.match(textOf(below.body), /Latest/)
  })

  // Guards F52
  test('is searched by email, key, license, order and invoice, and filtered by day', async () => {
    const bought = await buy(service)
    service.clock.pass(86_400)
    const later = await buy(service)
    const { id: order } = await service.world.db.one<{ id: string }>(
      sql`select id from orders where license_id = ${bought.license_id}`,
    )
    const { number } = await billing.getInvoice(service.world.db, bought.invoice_id)
    const found = async (query: string) => {
      const { body } = await seller().open(`${BASE}/sales/?${query}`)
      return [bought, later].filter(({ email }) => body.includes(`>${email}<`))
    }
    const { email, license_key, license_id, invoice_id } = bought
    const names = [email, license_key, license_id, order, invoice_id, billing.invoiceNumber(number)]
    for (const name of names) assert.deepEqual(await found(`q=${name}`), [bought], name)
    assert.deepEqual(await found('q=unknown@example.com'), [])
    assert.deepEqual(await found('to=2026-03-10'), [bought])
    assert.deepEqual(await found('from=2026-03-11&to=2026-03-11'), [later])
    assert.deepEqual(await found(`q=${email}&from=2026-03-11`), [])
    const other = await seller().open(`/dashboard/apps/driftlog/sales/?q=${invoice_id}`)
    assert.ok(!other.body.includes(email))
    await sides.signInAgain()
  })

  // Guards F52
  test('sums what a search finds, and exports no more than that', async () => {
    const bought = await buy(service)
    await refund(service, bought, 630)
    const agent = seller()
    await agent.open(`${BASE}/sales/?q=${bought.email}`)
    assert.match(
      agent.text,
      /Amount, before tax \$12\.00 Tax \$0\.60 Fee \$1\.10 Net, before refunds and disputes \$10\.90 Refunded, with tax \$6\.30 Deducted for refunds \$5\.70 Invoices 1/,
    )
    const { rows } = await exportBy(agent, 'Export CSV')
    assert.deepEqual(
      rows.map(({ buyer, refunded, refund_deducted }) => [buyer, refunded, refund_deducted]),
      [[bought.email, '6.30', '5.70']],
    )
    const posted = await service.world.db.one<{ amount: number }>(
      sql`select e.amount from ledger_entries e
        join ledger_transactions t on t.id = e.transaction_id and t.event = 'refund'
        join refunds r on r.id = t.subject join charges c on c.id = r.charge_id
        where e.account = 'seller_payable' and c.invoice_id = ${bought.invoice_id}`,
    )
    assert.equal(Math.abs(posted.amount), 570)
  })

  test('is a table for other programs, in which no address is a formula', async () => {
    const email = '=cmd@example.com'
    await purchase(service, buyer(service), { email })
    const agent = seller()
    await agent.open(`${BASE}/sales/`)
    const { rows } = await exportBy(agent, 'Export CSV')
    assert.ok(rows.some((row) => row.buyer === `'${email}`))
    const row = rows.find(({ status }) => status === 'refunded')!
    assert.deepEqual(
      [row.amount, row.tax, row.tax_state, row.fee, row.net, row.refunded],
      ['12.00', '0.60', 'TX', '1.10', '10.90', '12.60'],
    )
    const { count } = await service.world.db.one<{ count: number }>(
      sql`select count(*) from invoices`,
    )
    assert.equal(rows.length, count)
  })

  test('shows its pages to no one else', async () => {
    const bought = await buy(service, { card: CARD.fraudulent })
    await handleEvents(service.world)
    const dispute = (await disputeOf(service, bought))!
    await addSellerWithApp(service, { email: service.demo.affiliate.email, slug: 'lighthouse' })
    const other = await signedIn(service, service.demo.affiliate)
    for (const path of [
      `${BASE}/sales/`,
      salePath(bought),
      `${salePath(bought)}refund`,
      `${BASE}/disputes/${dispute.id}/`,
      salePath(bought, '/dashboard/apps/lighthouse'),
      `/dashboard/apps/lighthouse/disputes/${dispute.id}/`,
      '/admin/',
      salePath(bought, '/admin'),
      `/admin/disputes/${dispute.id}/`,
    ]) {
      assert.equal((await other.open(path)).status, 404, path)
    }
    const anonymous = buyer(service)
    assert.match((await anonymous.open(salePath(bought))).url, /^\/signin\//)
  })
})

describe('a sale', () => {
  test('warns of a refund that the processor refused, and not of one that it made', async () => {
    const bought = await buy(service)
    const after = async (done: string) =>
      (await seller().open(`${salePath(bought)}?done=${done}`)).body
    assert.match(await after('refused_by_processor'), /role="alert"[^>]*>.*refused this refund/s)
    assert.match(await after('refunded'), /role="status"[^>]*>.*Refunded\./s)
    assert.doesNotMatch(await after('refunded'), /role="alert"/)
  })

  test('explains every ledger entry in words, down to a balance of zero', async () => {
    const bought = await buy(service)
    await refund(service, bought, 630)
    const text = textOf((await seller().open(salePath(bought))).body)
    assert.match(text, /Paid by the buyer \$12\.60/)
    assert.match(text, /Refunded to the buyer −\$6\.30/)
    assert.match(text, /Purser’s fee returned, in proportion \$0\.30/)
    assert.match(text, /Final balance \$0\.00/)
  })

  test('that was too small to be charged was paid with nothing', async () => {
    const { client_id, prices } = service.demo.app
    const { code } = await addCode(service, client_id, { percent: 98 })
    const agent = buyer(service)
    await agent.open(`/buy/${prices[0]!.public_id}/?discount=${code}`)
    await agent.submit('Continue', { email: 'waived@example.com', ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^(Pay|Complete|Get) /)
    const sale = await service.world.db.one<Bought>(sql`select i.id as invoice_id from invoices i
      join users u on u.id = i.user_id where u.email_normalized = 'waived@example.com'`)
    const text = textOf((await seller().open(salePath(sale))).body)
    assert.match(text, /Price \$0\.24 .*Paid by the buyer \$0\.00/)
  })

  test('is refunded as it was shown, to the cent', async () => {
    const bought = await buy(service)
    const agent = seller()
    await agent.open(salePath(bought))
    await agent.press('Refund')
    assert.match(agent.text, /The buyer does not see it\./)
    const wrong = await agent.submit('Review refund', { amount: '1.234', reason: '' })
    assert.equal(wrong.status, 422)
    assert.match(textOf(wrong.body), /Enter an amount in dollars.*Give a reason/)
    const much = await agent.submit('Review refund', { amount: '12.61', reason: 'Too much' })
    assert.match(textOf(much.body), /Amount: Enter at most \$12\.60\./)
    const shown = await agent.submit('Review refund', { amount: '6.30', reason: 'Half' })
    assert.match(textOf(shown.body), /Refund to the buyer \$6\.30/)
    assert.match(textOf(shown.body), /balance \$5\.70/)
    assert.equal((await refundsOf(service, bought)).length, 0)
    const done = await agent.submit('Refund $6.30')
    assert.match(textOf(done.body), /Refunded\./)
    assert.equal((await refundsOf(service, bought))[0]?.amount, 630)
    const [line] = (await auditOf(service, 'charge.refund')).slice(-1)
    assert.equal(line?.detail.reason, 'Half')
  })

  test('is not refunded for a reason that turns a line around or is too long', async () => {
    const bought = await buy(service)
    const agent = seller()
    await agent.open(`${salePath(bought)}refund`)
    const turned = await agent.submit('Review refund', { amount: '1', reason: 'Paid \u202etwice' })
    assert.equal(turned.status, 422)
    assert.match(textOf(turned.body), /Must not contain control characters\./)
    const long = await agent.submit('Review refund', { amount: '1', reason: 'x'.repeat(201) })
    assert.match(textOf(long.body), /Reason: Use at most 200 characters\. This text has 201\./)
  })

  test('that was refunded meanwhile is shown again, and nothing is refunded', async () => {
    const bought = await buy(service)
    const agent = seller()
    await agent.open(`${salePath(bought)}refund`)
    await agent.submit('Review refund', { amount: '10', reason: 'As asked' })
    await refund(service, bought, 200)
    const page = await agent.submit('Refund $10.00')
    assert.equal(page.status, 409)
    assert.match(textOf(page.body), /The amounts have changed/)
    assert.equal((await refundsOf(service, bought)).length, 1)
  })

  // F9
  test('that is confirmed twice at once is refunded once', async () => {
    const bought = await buy(service)
    const agent = seller()
    await agent.open(`${salePath(bought)}refund`)
    await agent.submit('Review refund', { amount: '5', reason: 'As asked' })
    const { limits } = service.world
    const { consume } = limits
    // The other request does everything between this one's comparison and its refund.
    limits.consume = async (limit, ...more) => {
      if (limit.name === 'refunds') {
        limits.consume = consume
        await refund(service, bought, 500)
      }
      return await consume.call(limits, limit, ...more)
    }
    const page = await agent.submit('Refund $5.00')
    assert.equal(page.status, 409)
    assert.match(textOf(page.body), /The amounts have changed/)
    assert.deepEqual(
      (await refundsOf(service, bought)).map(({ amount }) => amount),
      [500],
    )
  })

  /** A purchase that was upgraded to the plan of $180 at once; the invoice of the upgrade. */
  async function upgraded() {
    const bought = await buy(service)
    const { license_id, user_id } = bought
    const price_id = service.demo.app.prices[2]!.public_id
    const { agreement } = (await quotePlanChange(service.world, { license_id, price_id }))!
    const agreed = { license_id, agreement, return_url: 'http://localhost/' }
    await changePlan(service.world, { kind: 'buyer', user_id, request_id: 'req_test' }, agreed)
    const { id: invoice_id } = await service.world.db.one<{ id: InvoiceId }>(sql`select id
      from invoices where license_id = ${license_id} and kind = 'upgrade'`)
    return { bought, invoice_id }
  }

  test('of an upgrade says that its credit was refunded since the form was opened', async () => {
    const { bought, invoice_id } = await upgraded()
    const agent = seller()
    await agent.open(`${salePath({ ...bought, invoice_id })}refund`)
    await agent.submit('Review refund', { reason: 'As asked', credit: 'yes' })
    await refund(service, bought)
    const refused = await agent.submit('Refund $189.00')
    assert.equal(refused.status, 422)
    assert.match(textOf(refused.body), /credit from the previous plan can no longer be refunded/)
    const without = await agent.submit('Review refund', { reason: 'As asked' })
    assert.match(textOf(without.body), /Refund to the buyer \$176\.40/)
    assert.equal((await refundsOf(service, bought)).length, 1)
  })

  test('that was an upgrade offers the credit it used, and refunds it too where that is chosen', async () => {
    const { bought, invoice_id } = await upgraded()
    const agent = seller()
    await agent.open(`${salePath({ ...bought, invoice_id })}refund`)
    assert.match(agent.text, /credit from the previous plan: \$12\.60/)
    const without = await agent.submit('Review refund', { reason: 'As asked' })
    assert.match(textOf(without.body), /\$12\.60 of credit.*is not refunded/)
    await agent.open(`${salePath({ ...bought, invoice_id })}refund`)
    const part = { amount: '1', reason: 'As asked', credit: 'yes' }
    const refused = await agent.submit('Review refund', part)
    assert.match(textOf(refused.body), /only with the full remaining amount/)
    const whole = { amount: '176.40', reason: 'As asked', credit: 'yes' }
    const shown = await agent.submit('Review refund', whole)
    assert.match(textOf(shown.body), /Refund to the buyer \$189\.00/)
    await agent.submit(/^Refund /)
    assert.match(agent.text, /Refunded\./)
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    assert.equal((await refundsOf(service, bought))[0]?.amount, 1260)
  })

  test('older than 60 days is refunded by staff alone', async () => {
    const bought = await buy(service, { price: 2 })
    service.clock.pass(61 * 86_400)
    await sides.signInAgain()
    const refused = await seller().open(`${salePath(bought)}refund`)
    assert.match(textOf(refused.body), /can refund for 60 days/)
    const agent = staff()
    await agent.open(`${salePath(bought, '/admin')}refund`)
    await agent.submit('Review refund', { reason: 'Goodwill' })
    await agent.submit(/^Refund /)
    assert.match(agent.text, /Refunded\./)
    assert.equal((await stateOf(service, bought)).status, 'canceled')
  })
})
