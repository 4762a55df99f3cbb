import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { exportBy } from '../support/exports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { listedEmails } from '../support/open-list.ts'
import { enterCard, TEXAS } from '../support/purchase.ts'
import { type Bought, buy, refund, stateOf } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { passDays, subscribe } from '../support/subscriber.ts'

const LIST = '/dashboard/apps/tidepool/customers/'

let service: TestService
let sellers: Agent
let monthly: Bought
let lifetime: Bought
let refunded: Bought
before(async () => {
  service = await openTestService()
  monthly = await buy(service)
  service.clock.pass(86_400)
  lifetime = await buy(service, { price: 2 })
  service.clock.pass(86_400)
  refunded = await buy(service)
  await refund(service, refunded)
  sellers = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

const listed = (query: string) => listedEmails(sellers, `${LIST}${query}`)

// Guards F51
describe('the list of customers', () => {
  test('has one row per buyer, the newest first, with totals', async () => {
    const page = await sellers.twin().open(LIST)
    const text = textOf(page.body)
    assert.match(text, /Customers 3 Paid, after refunds and lost disputes \$/)
    assert.match(text, /\$12\.60 \S+@example\.com Pro Active Mar 10, 2026 Apr 10, 2026/)
    assert.match(text, /\$0\.00 \S+@example\.com Pro Canceled Mar 12, 2026/)
    assert.deepEqual(await listed(''), [refunded.email, lifetime.email, monthly.email])
  })

  test('keeps a buyer who bought again in one row, with the new license', async () => {
    const { agent, ...first } = await subscribe(service)
    const [invoice] = await billing.paidInvoicesOfLicense(service.world.db, first.license_id)
    await refund(service, { invoice_id: invoice!.id })
    await agent.open(`/buy/${service.demo.app.prices[2]!.public_id}/`)
    await agent.submit('Continue', { email: first.email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    assert.deepEqual(await listed(`?q=${first.email}`), [first.email])
    const list = await sellers.twin().open(`${LIST}?q=${first.license_key}`)
    assert.match(textOf(list.body), /Paid, after refunds and lost disputes \$189\.00/)
    assert.ok(!list.body.includes(`/customers/${first.license_id}/`))
  })

  test('offers to clear a search only if there is one, as every list with a search does', async () => {
    const staff = await signedIn(service, service.demo.operator)
    const lists = [
      ...['sales', 'customers', 'subscriptions', 'licenses'].map(
        (list) =>
          [sellers.twin(), `/dashboard/apps/tidepool/${list}/`, '?from=2026-03-10'] as const,
      ),
      [staff, '/admin/audit/', '?actor=unknown'] as const,
    ]
    for (const [agent, path, query] of lists) {
      const clear = new RegExp(`<a [^>]*href="${path}"[^>]*>Clear</a>`)
      assert.match((await agent.open(path)).body, />Search</, path)
      assert.doesNotMatch(agent.page.body, />Clear</, path)
      assert.match((await agent.open(`${path}${query}`)).body, clear)
    }
  })

  test('filters by status, plan and date, and sorts by what was paid', async () => {
    assert.deepEqual(await listed('?status=active'), [monthly.email])
    assert.ok((await listed('?status=one_time_active&sort=paid')).includes(lifetime.email))
    assert.equal((await listed('?sort=paid')).at(-1), refunded.email)
    assert.deepEqual(await listed('?from=2026-03-11&to=2026-03-11'), [lifetime.email])
    assert.deepEqual(await listed('?to=2026-03-10'), [monthly.email])
    assert.equal((await listed("?status=nonsense'&below=x'&from=y")).length, 4)
    assert.deepEqual(await listed(`?plan=prod_${'0'.repeat(22)}`), [])
  })

  test('finds a buyer by email, key, order, license or invoice', async () => {
    const order = await billing.orderOfLicense(service.world.db, monthly.license_id)
    const invoice = await billing.getInvoice(service.world.db, monthly.invoice_id)
    for (const name of [
      monthly.email.toUpperCase(),
      monthly.license_key,
      monthly.license_id,
      order!,
      monthly.invoice_id,
      billing.invoiceNumber(invoice.number),
    ]) {
      assert.deepEqual(await listed(`?q=${name}`), [monthly.email], name)
    }
    assert.deepEqual(await listed('?q=unknown@example.com'), [])
    const driftlog = '/dashboard/apps/driftlog/customers/'
    const other = await sellers.twin().open(`${driftlog}?q=${monthly.license_key}`)
    assert.ok(!other.body.includes(monthly.email))
  })

  test('finds buyers of this app by the beginning of their email, of three characters or more', async () => {
    const email = 'annie_lee@example.com'
    await refund(service, await buy(service, { email }))
    for (const start of ['ann', 'ANNIE', 'annie_', 'annie_lee@', email]) {
      assert.deepEqual(await listed(`?q=${start}`), [email], start)
    }
    for (const other of ['an', 'nnie', 'annie__', 'ann%25', 'annie_lee@example.com.au']) {
      assert.deepEqual(await listed(`?q=${other}`), [], other)
    }
    const { body } = await sellers.twin().open(`${LIST}?q=an`)
    assert.match(textOf(body), /The beginning of an email \(at least 3 characters\)/)
    const driftlog = await sellers.twin().open('/dashboard/apps/driftlog/customers/?q=annie')
    assert.match(textOf(driftlog.body), /No matching customers/)
    const sales = await sellers.twin().open('/dashboard/apps/tidepool/sales/?q=annie')
    assert.match(textOf(sales.body), /Invoices 1 /)
  })

  test('continues on the next page where the last one ended', async () => {
    const { world, demo } = service
    const { db } = world
    const app_id = demo.app.client_id
    for (const sort of payments.CUSTOMER_SORTS) {
      const all = await payments.listCustomers(db, { app_id, sort, limit: 10 })
      const seen = []
      let after: (typeof all)[number] | undefined
      for (;;) {
        const [next] = await payments.listCustomers(db, { app_id, sort, after, limit: 1 })
        if (!next) break
        seen.push(next)
        after = next
      }
      assert.deepEqual(seen, all)
    }
  })

  test('is exported as it is filtered, and no email is a formula', async () => {
    const email = '=cmd@example.com'
    await buy(service, { email })
    const agent = sellers.twin()
    await agent.open(`${LIST}?status=active`)
    const { rows } = await exportBy(agent, 'Export CSV')
    // Threat 44
    assert.deepEqual(
      rows.map(({ customer, paid, status }) => [customer, paid, status]),
      [
        [`'${email}`, '12.60', 'active'],
        [monthly.email, '12.60', 'active'],
      ],
    )
  })
})

describe('a customer', () => {
  test('is shown with money, card, invoices and timeline, and without the key', async () => {
    const page = await sellers.twin().open(`${LIST}${refunded.license_id}/`)
    assert.equal(page.status, 200)
    const text = textOf(page.body)
    assert.match(text, /Paid, after refunds and lost disputes \$0\.00 Charged \$12\.60/)
    assert.match(text, /Invoices .*\$12\.60 \$12\.60 Purchase PUR-\d+ March 12, 2026 Refunded/)
    assert.match(text, /Refunds .*\$12\.60 Refunded/)
    assert.match(text, /Timeline .*License: ended by the refund.*License: bought a plan/)
    assert.ok(!page.body.includes(refunded.license_key))
    const running = await sellers.twin().open(`${LIST}${monthly.license_id}/`)
    assert.match(textOf(running.body), /Renews April 10, 2026 Card Visa ending in 4242/)
  })

  test('of another app is not found', async () => {
    const path = `/dashboard/apps/driftlog/customers/${monthly.license_id}/`
    assert.equal((await sellers.twin().open(path)).status, 404)
    assert.equal((await sellers.twin().open(`${path}cancel/`)).status, 404)
  })

  // S10
  test('is changed after a fresh proof, with a reason, and the audit log has both', async () => {
    const { email, license_id } = await buy(service)
    service.clock.pass(600)
    const agent = sellers.twin()
    await agent.open(`${LIST}${license_id}/`)
    await agent.press('Cancel at period end')
    assert.match(agent.page.url, /^\/account\/confirm/)
    await agent.submit('Confirm', { password: service.demo.seller.password })
    const refused = await agent.submit('Cancel at period end', { reason: '' })
    assert.equal(refused.status, 422)
    const done = await agent.submit('Cancel at period end', { reason: 'Asked by email' })
    assert.match(textOf(done.body), /Canceled\. Nothing more is charged.*Ends April/)
    const [entry] = await auditOf(license_id)
    assert.equal(entry?.action, 'license.auto_renew_off')
    assert.equal(entry?.detail.reason, 'Asked by email')
    const list = await agent.open(`${LIST}?q=${email}`)
    assert.match(textOf(list.body), /Ends Apr \d+, 2026/)
    sellers = await signedIn(service, service.demo.seller)
  })

  test('whose license is ended now has no license, and pays nothing later', async () => {
    const bought = await buy(service)
    const done = await act(bought, 'end', 'A test account')
    assert.match(textOf(done.body), /The license has ended/)
    const [entry] = await auditOf(bought.license_id)
    assert.deepEqual(entry, await byTheSeller('license.ended', { reason: 'A test account' }))
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    await passDays(service, 40)
    sellers = await signedIn(service, service.demo.seller)
    const page = await sellers.twin().open(`${LIST}${bought.license_id}/`)
    assert.match(textOf(page.body), /Charged \$12\.60/)
    const again = await sellers.twin().open(`${LIST}${bought.license_id}/end/`)
    assert.match(textOf(again.body), /Nothing was changed/)
  })

  test('gets a new key by one email when it is replaced, from a form that is sent twice too', async () => {
    const bought = await buy(service)
    const { email, license_id } = bought
    const agent = sellers.twin()
    await agent.open(`${LIST}${license_id}/replace-key/`)
    const tab = agent.tab()
    for (const each of [agent, tab]) {
      const page = await each.submit('Replace key', { reason: 'The key leaked' })
      assert.match(textOf(page.body), /The buyer gets the new one by email/)
    }
    assert.equal((await stateOf(service, bought)).status, undefined)
    const { count } = await service.world.db.one<{ count: number }>(sql`select count(*)
      from emails where kind = 'key_replaced' and subject_id = ${license_id}`)
    assert.equal(count, 1)
    const [entry, earlier] = await auditOf(license_id)
    assert.equal(entry?.action, 'license.key_rotated')
    assert.notEqual(earlier?.action, 'license.key_rotated')
    assert.equal(entry?.detail.reason, 'The key leaked')
    const sent = await act(bought, 'resend-receipt', `Asked by ${email}`)
    assert.match(textOf(sent.body), /Receipt sent/)
    const order_id = await billing.orderOfLicense(service.world.db, license_id)
    const detail = { order_id, reason: `Asked by ${email}` }
    const { id } = await service.world.db.one<{ id: string }>(sql`select e.id from emails e
      join audit_log a on a.subject = e.id where e.subject_id = ${bought.invoice_id}`)
    assert.deepEqual(await auditOf(id), [await byTheSeller('email.resent', detail)])
  })

  test('gets a replaced key by email after any number of receipts', async () => {
    const bought = await buy(service)
    for (let each = 0; each < 6; each++) await act(bought, 'resend-receipt', 'Asked again')
    const emails = async () =>
      (
        await service.world.db.one<{ count: number }>(sql`select count(*) as count
          from emails where subject_id in (${bought.invoice_id}, ${bought.license_id})
          and (cause like 'resend:%' or cause like 'new_key:%')`)
      ).count
    assert.equal(await emails(), 5)
    const replaced = await act(bought, 'replace-key', 'The key leaked')
    assert.match(textOf(replaced.body), /The buyer gets the new one by email/)
    assert.equal(await emails(), 6)
  })
})

const BUTTONS = {
  end: 'Cancel now',
  'replace-key': 'Replace key',
  'resend-receipt': 'Resend receipt',
}

/** Opens an action's page and sends its form. */
async function act({ license_id }: Bought, name: keyof typeof BUTTONS, reason: string) {
  const agent = sellers.twin()
  await agent.open(`${LIST}${license_id}/${name}/`)
  return await agent.submit(BUTTONS[name], { reason })
}

interface Entry {
  action: string
  actor: string
  seller_id: string | null
  detail: Record<string, unknown>
}

async function auditOf(subject: string): Promise<Entry[]> {
  return await service.world.db.rows<Entry>(
    sql`select action, actor, seller_id, detail from audit_log where subject = ${subject} order by id desc`,
  )
}

/** The entry of an action that the cast's seller did. */
async function byTheSeller(action: string, detail: Entry['detail']): Promise<Entry> {
  const { email } = service.demo.seller
  const { db } = service.world
  const { id } = (await identity.findByEmail(db, email))!
  const { seller_id } = await apps.get(db, service.demo.app.client_id)
  return { action, actor: id, seller_id, detail }
}

test('the day on which a given plan ends can be left empty in a browser', async () => {
  const page = await sellers.twin().open('/dashboard/apps/tidepool/licenses/give/')
  const [field = ''] = /<input[^>]*name="ends"[^>]*>/.exec(page.body) ?? []
  assert.match(field, /type="date"/)
  assert.doesNotMatch(field, /required/)
  assert.match(textOf(page.body), /Ends on optional/)
})

// Threat 39
describe('a search for a license key', () => {
  const lists = ['customers', 'sales', 'subscriptions', 'licenses']
  const key = () => monthly.license_key

  test('goes on with the ID of the license, so that no address has the key', async () => {
    for (const list of lists) {
      const agent = sellers.twin()
      const page = await agent.open(`/dashboard/apps/tidepool/${list}/?q=${key()}&sort=newest`)
      assert.ok(page.url.includes(`q=${monthly.license_id}`), page.url)
      assert.ok(page.url.includes('sort=newest') || list === 'sales', page.url)
      assert.ok(!page.body.includes(key()), list)
      assert.ok(page.body.includes(monthly.email), list)
    }
  })

  test('is posted, so that the first address has no key either', async () => {
    for (const list of lists) {
      const agent = sellers.twin()
      const { body } = await agent.open(`/dashboard/apps/tidepool/${list}/`)
      const form = `<form method="post" action="/dashboard/apps/tidepool/${list}/search"`
      assert.ok(body.includes(form), list)
      assert.doesNotMatch(body, /<form method="get"[^>]*dashboard/)
      const page = await agent.submit('Search', { q: key(), from: '2020-01-01' })
      const query = `q=${monthly.license_id}&from=2020-01-01`
      assert.equal(page.url, `/dashboard/apps/tidepool/${list}/?${query}`)
      assert.ok(page.body.includes(monthly.email), list)
      await agent.submit('Search', { q: monthly.email, from: '' })
      assert.equal(
        agent.page.url,
        `/dashboard/apps/tidepool/${list}/?${new URLSearchParams({ q: monthly.email })}`,
      )
    }
  })

  test('is posted while the app is suspended, too', async () => {
    const suspend = (at: Date | null) =>
      service.world.db.run(sql`update apps set suspended_at = ${at} where slug = 'tidepool'`)
    await suspend(service.clock.now())
    const agent = sellers.twin()
    await agent.open(LIST)
    const page = await agent.submit('Search', { q: key() })
    await suspend(null)
    assert.equal(page.url, `${LIST}?q=${monthly.license_id}`)
    assert.ok(page.body.includes(monthly.email))
  })

  test('finds nothing for a key of another app, and keeps none', async () => {
    const page = await sellers.twin().open(`/dashboard/apps/driftlog/customers/?q=${key()}`)
    assert.ok(!page.url.includes(key()))
    assert.ok(!page.body.includes(key()) && !page.body.includes(monthly.email))
  })

  test('leaves no key behind if its results are exported', async () => {
    for (const list of lists) {
      const agent = sellers.twin()
      await agent.open(`/dashboard/apps/tidepool/${list}/`)
      await agent.runTask('Export CSV', { q: key() })
    }
    const { kept, count } = await service.world.db.one<{ kept: number; count: number }>(sql`select
      count(*) filter (where t::text like ${`%${key()}%`})::int as kept,
      count(*) filter (where request ->> 'q' = ${monthly.license_id})::int as count from tasks t`)
    assert.deepEqual({ kept, count }, { kept: 0, count: lists.length })
  })
})
