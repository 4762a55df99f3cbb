import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { buyWithCode } from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { exportBy } from '../support/exports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, runDue, type Subscriber, subscribe } from '../support/subscriber.ts'

// The figures of a seller's pages about sales, compared with the ledger.

const BASE = '/dashboard/apps/tidepool'

let service: TestService
let subscriber: Subscriber
let agent: Agent
before(async () => {
  service = await openTestService()
  subscriber = await subscribe(service, { card: CARD.never_renews })
  service.clock.pass(32 * DAY)
  await runDue(service)
  agent = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

describe('an invoice that is not paid', () => {
  test('has no fee and no earnings, in the list, in its export and on its page', async () => {
    await agent.open(`${BASE}/sales/?status=open`)
    assert.match(agent.text, /\$12\.00 \$0\.60 \$0\.00 \$0\.00 PUR-\d+ Open/)
    const { rows } = await exportBy(agent, 'Export CSV')
    assert.deepEqual(
      rows.map(({ amount, fee, add_on_fee, net }) => [amount, fee, add_on_fee, net]),
      [['12.00', '0.00', '0.00', '0.00']],
    )
    const open = await service.world.db.one<{ id: InvoiceId }>(
      sql`select id from invoices where status = 'open'`,
    )
    const text = textOf((await agent.open(`${BASE}/sales/${open.id}/`)).body)
    assert.match(text, /Paid by the buyer \$0\.00 Purser’s fee \$0\.00 Your earnings \$0\.00/)
  })

  test('is not listed as paid on the page of its customer', async () => {
    const { body } = await agent.open(`${BASE}/customers/${subscriber.license_id}/`)
    assert.match(textOf(body), /Total Refunded Invoice Status \$12\.60 \$0\.00 Renewal .* Open/)
  })
})

test('a renewal that is due is not announced for a day that has passed', async () => {
  const { email, license_id } = subscriber
  for (const list of ['customers', 'subscriptions']) {
    const { body } = await agent.open(`${BASE}/${list}/?q=${email}`)
    assert.match(textOf(body), /Past due .*Due since Apr 10, 2026/, list)
  }
  const { body } = await agent.open(`${BASE}/customers/${license_id}/`)
  assert.match(textOf(body), /Due since April 10, 2026/)
  assert.doesNotMatch(textOf(body), /Renews April/)
})

describe('what disputes take', () => {
  test('is deducted in the list, in its export and on the page of a sale, as in the ledger', async () => {
    const partly = await buy(service, { price: 2 })
    await refund(service, partly, 9_450)
    const [lost, won, open] = [await buy(service), await buy(service), await buy(service)]
    for (const [bought, outcome] of [
      [partly, 'lost'],
      [lost, 'lost'],
      [won, 'won'],
    ] as const) {
      await decideDispute(service, await disputeCharge(service, bought.charge), outcome)
    }
    await disputeCharge(service, open.charge)
    await agent.open(`${BASE}/sales/`)
    assert.match(agent.text, /Deducted for disputes \$147\.00 Invoices/)
    const { rows } = await exportBy(agent, 'Export CSV')
    const inCents = (text = '') => Math.round(Number(text) * 100)
    for (const { invoice_id, net, refund_deducted, dispute_deducted } of rows) {
      const { earned } = await service.world.db.one<{ earned: number }>(sql`
        select coalesce(-sum(e.amount), 0)::bigint as earned
        from posted_invoices t join ledger_entries e using (transaction_id)
        where t.invoice_id = ${invoice_id} and e.account in ('seller_payable', 'dispute_hold')`)
      const left = inCents(net) - inCents(refund_deducted) - inCents(dispute_deducted)
      assert.equal(left, earned, invoice_id)
    }
    const text = textOf((await agent.open(`${BASE}/sales/${lost.invoice_id}/`)).body)
    assert.match(text, /Your earnings \$10\.90 Deducted for disputes \$27\.00/)
  })
})

test('a customer is offered a refund only of what was charged', async () => {
  const slug = 'free-first'
  const app = await addApp(service, { slug, amount: cents(1000) })
  const { code } = await addCode(service, app.client_id, { percent: 100, periods: 1 })
  const { license_id } = await buyWithCode(service, app, code)
  const path = `/dashboard/apps/${slug}/customers/${license_id}/`
  assert.doesNotMatch((await agent.open(path)).body, /\/refund"/)
  service.clock.pass(32 * DAY)
  await runDue(service)
  agent = await signedIn(service, service.demo.seller)
  await agent.open(path)
  await agent.press('Refund')
  assert.match(agent.text, /\$10\.50 is refundable/)
})

test('a member is offered no page of a sale that their role may not open', async () => {
  const { db, clock } = service.world
  const bought = await buy(service)
  const disputed = await buy(service)
  await disputeCharge(service, disputed.charge)
  const { buyer: person } = service.demo
  const { id: user_id } = (await identity.findByEmail(db, person.email))!
  const developer = await signedIn(service, person)
  const { seller_id } = await apps.get(db, service.demo.app.client_id)
  await sellers.addMember(db, clock.now(), { seller_id, user_id, role: 'developer' })
  const pages = [`${BASE}/`, `${BASE}/sales/`]
  for (const { invoice_id } of [bought, disputed]) pages.push(`${BASE}/sales/${invoice_id}/`)
  for (const path of pages) {
    const { body } = await developer.open(path)
    const links = [...body.matchAll(/href="([^"]*\/(?:disputes|sales|payouts)\/[^"]*)"/g)]
    for (const href of new Set(links.map(([, href]) => href!))) {
      assert.equal((await developer.twin().open(href)).status, 200, `${href} on ${path}`)
    }
  }
})
