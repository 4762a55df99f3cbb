import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProcessorUnreachable } from '#domain/payments'
import { addDays } from '#platform/calendar'
import type { AppId, DisputeId, InvoiceId, PriceId } from '#platform/ids'
import { cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { basic, buyer, TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { stateOf, subscribe } from '../support/subscriber.ts'
import { timeOf } from '../support/test-clock.ts'

const CLOCK = '/dashboard/apps/tidepool/test-clock/'

let service: TestService
let seller: Agent
let isAway = false

before(async () => {
  service = await openTestService({
    processor: (sandbox) => ({
      ...sandbox,
      async charge(now, request) {
        if (isAway && request.off_session) throw new ProcessorUnreachable('the line is cut')
        return await sandbox.charge(now, request)
      },
    }),
  })
  seller = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

/** Submits a form whose task may take longer than its page waits, and follows it to its end. */
async function submitAndWait(button: string, fields?: Record<string, string>) {
  return await seller.runTask(button, fields)
}

describe('the test clock page', () => {
  test('shows the time, and that nothing is due before the first subscription', async () => {
    const { status } = await seller.open(CLOCK)
    assert.equal(status, 200)
    assert.match(seller.text, /March 10, 2026 at 12:00 PM UTC/)
    assert.match(seller.text, /There are no subscribers yet/)
    assert.doesNotMatch(seller.text, /Test clock: it is/)
  })

  test('is for the app’s seller only', async () => {
    const other = await signedIn(service, service.demo.operator)
    assert.equal((await other.open(CLOCK)).status, 404)
    const visitor = buyer(service)
    await visitor.open(CLOCK)
    assert.match(visitor.page.url, /^\/signin\//)
  })

  test('shows the next event, its buyer, and the charge with tax', async () => {
    const { email } = await subscribe(service)
    await seller.open(CLOCK)
    assert.match(
      seller.text,
      new RegExp(`April 10, 2026 at 12:00 PM UTC : ${email} renews for \\$12\\.60`),
    )
  })

  test('rejects a past or invalid day, and explains why', async () => {
    for (const [date, fault] of [
      ['2026-03-09', /cannot go back/],
      ['', /Enter a date/],
      ['2026-02-31', /Enter a date/],
      ['9999-12-31', /at most 100 years ahead/],
    ] as const) {
      await seller.open(CLOCK)
      const { status } = await seller.submit('Advance to this day', { date })
      assert.equal(status, 422, date)
      assert.match(seller.text, fault)
    }
    assert.deepEqual(await timeOf(service, service.demo.app.client_id), service.clock.now())
  })
})

describe('an advance', () => {
  test('to the next event shows what happened: the invoice, the license, the email', async () => {
    await seller.open(CLOCK)
    const { status, url } = await submitAndWait('Advance to this event')
    assert.equal(status, 200)
    assert.match(url, new RegExp(`^${CLOCK}advances/task_\\w+/$`))
    for (const each of [/Renewal paid/, /License: renewed/, /Email: Receipt/]) {
      assert.match(seller.text, each)
    }
    assert.match(seller.text, /active, entitled/)
    assert.match(seller.text, /Test clock: it is April 10, 2026 for Tidepool\./)
  })

  test('by a week without events says so', async () => {
    await seller.open(CLOCK)
    await submitAndWait('A week')
    assert.match(seller.text, /No events/)
  })

  test('to a day goes to its end, so that everything due on it has happened', async () => {
    await seller.open(CLOCK)
    await submitAndWait('Advance to this day', { date: '2026-05-10' })
    assert.match(seller.text, /to May 10, 2026 at 11:59 PM UTC/)
    assert.match(seller.text, /Renewal paid/)
  })

  test('is listed afterwards, with a link to its result', async () => {
    await seller.open(CLOCK)
    assert.match(seller.text, /Advance to May 10, 2026/)
    await seller.press('View result')
    assert.match(seller.page.url, /\/advances\//)
  })

  test('shows the time that it reached when the processor does not respond, and continues later', async () => {
    await seller.open(CLOCK)
    isAway = true
    await seller.submit('A month')
    // It waits for the answer as long as an answer may be late, and watches meanwhile.
    assert.match(seller.page.url, /^\/tasks\//)
    assert.equal(seller.page.status, 202)
    assert.match(seller.text, /of 31 days/)
    await seller.untilDone()
    isAway = false
    assert.match(seller.text, /The clock stopped early/)
    assert.match(seller.text, /renews for \$12\.60, and the processor is not responding/)
  })

  test('can be stopped from its page; completed steps are kept', async () => {
    service.clock.pass(30)
    await addApp(service, { slug: 'daily', frequency: 'day', amount: cents(100) })
    const daily = await service.world.db.one<{ id: PriceId }>(sql`select r.id from prices r
      join products p on p.id = r.product_id join apps a on a.id = p.app_id
      where a.slug = 'daily'`)
    for (let each = 0; each < 3; each++) await subscribe(service, { price_id: daily.id })
    await seller.open('/dashboard/apps/daily/test-clock/')
    await seller.submit('A year')
    assert.equal(seller.page.status, 202)
    const watched = seller.page.url
    await seller.open('/dashboard/apps/daily/test-clock/')
    assert.match(seller.text, /Advancing the clock/)
    await seller.submit('A week')
    assert.equal(seller.page.url, watched, 'a second advance leads to the first')
    const { status } = await seller.submit('Stop')
    assert.equal(status, 200)
    assert.match(seller.text, /The task was stopped\. Completed steps are kept/)
    const { count } = await service.world.db.one<{ count: number }>(sql`select count(*) as count
      from invoices i join apps a on a.id = i.app_id where a.slug = 'daily'`)
    assert.ok(count > 3 && count < 3 * 366, `${count} invoices`)
  })
})

describe('a scenario', () => {
  test("shows its result: each status with the API's response, the emails, the ledger, the key", async () => {
    await addApp(service, { slug: 'scenarios', name: 'Scenarios' })
    await seller.open('/dashboard/apps/scenarios/test-clock/')
    const price_id = /value="(prc_\w+)"/.exec(seller.page.body)![1]!
    await submitAndWait('Run', { scenario: 'recovered', price_id, retry: '2' })
    assert.match(seller.page.url, /\/scenarios\/task_\w+\/$/)
    for (const each of [
      /Card recovers on retry 2/,
      /active, entitled/,
      /past_due, not entitled/,
      /Card declined by the bank/,
      /Email: Payment failed/,
      /License: recovered: the same key works again/,
      /Seller earnings/,
    ]) {
      assert.match(seller.text, each)
    }
    const license_key = /key_[0-9A-Za-z]{33}/.exec(seller.text)![0]
    const app = { client_id: '', client_secret: '' }
    await service.world.db
      .one<{ id: AppId }>(sql`select id from apps where slug = 'scenarios'`)
      .then(({ id }) => {
        app.client_id = id
      })
    assert.match(seller.text, new RegExp(`curl -u '${app.client_id}:YOUR_CLIENT_SECRET'`))
    assert.match(seller.text, new RegExp(`"key":"${license_key}"`))
  })

  test('returns a key that the seller’s server can validate', async () => {
    await seller.open(CLOCK)
    const price_id = service.demo.app.prices[0]!.public_id
    await submitAndWait('Run', { scenario: 'dispute_won', price_id })
    const license_key = /key_[0-9A-Za-z]{33}/.exec(seller.text)![0]
    const state = await stateOf(service, { license_key, app: service.demo.app })
    assert.deepEqual([state.status, state.entitled], ['active', true])
    assert.ok(basic(service))
  })

  test('is in the activity of the app’s seller, and so is an advance', async () => {
    await addApp(service, { slug: 'active', name: 'Active' })
    await seller.open('/dashboard/apps/active/test-clock/')
    const price_id = /value="(prc_\w+)"/.exec(seller.page.body)![1]!
    await submitAndWait('Run', { scenario: 'refund', price_id })
    await seller.open('/dashboard/activity/')
    assert.match(seller.text, /Charge: refund ch_\w+ marina@tidepool\.example/)
    await seller.open('/dashboard/apps/active/test-clock/')
    await submitAndWait('A week')
    await seller.open('/dashboard/activity/')
    assert.match(seller.text, /App: clock advanced Active marina@tidepool\.example/)
  })

  test('that needs a renewal is rejected for a one-time plan', async () => {
    await seller.open(CLOCK)
    const price_id = service.demo.app.prices[2]!.public_id
    const { status } = await seller.submit('Run', { scenario: 'declined', price_id })
    assert.equal(status, 422)
    assert.match(seller.text, /This scenario needs a plan that renews/)
  })

  test('cannot run while the app is not for sale, and the page says what is missing', async () => {
    await addApp(service, { slug: 'closed', external_sales_enabled: false })
    await seller.open('/dashboard/apps/closed/test-clock/')
    assert.match(seller.text, /Publish the app and enable external sales/)
    await seller.press('View what is left to do')
    assert.equal(seller.page.url, '/dashboard/apps/closed/')
    assert.match(seller.text, /Set up your app/)
  })

  test('cannot run while the app is archived, and the page leads to where it is restored', async () => {
    const { client_id } = await addApp(service, { slug: 'put-away' })
    await service.world.db.run(sql`update apps set archived_at = now(), is_published = false
      where id = ${client_id}`)
    await seller.open('/dashboard/apps/put-away/test-clock/')
    assert.match(seller.text, /closed while the app is archived\. Restore it and publish it first/)
    await seller.press('Settings')
    assert.equal(seller.page.url, '/dashboard/apps/put-away/settings/')
    assert.match(seller.text, /Restore app/)
    await seller.open('/dashboard/apps/put-away/')
    assert.match(seller.text, /What is left to do before you can sell/)
  })

  test('by program are refused with what opens the checkout again', async () => {
    const { db } = service.world
    const { client_id, client_secret } = await addApp(service, { slug: 'shut' })
    const headers = basic(service, { client_id, client_secret })
    const states: [Sql, RegExp][] = [
      [sql`external_sales_enabled = false`, /^The app is not approved\. Request approval on/],
      [sql`is_published = false`, /^The app is not published\. Publish it on the dashboard/],
      [sql`archived_at = now()`, /^The app is archived\. Restore and publish it on/],
      [sql`suspended_at = now()`, /^The app is suspended/],
    ]
    for (const [change, expected] of states) {
      await db.run(sql`update apps set ${change} where id = ${client_id}`)
      const answer = await service.app.inject({
        method: 'POST',
        url: '/api/v1/test/scenario-runs',
        headers,
        payload: { scenario: 'refund' },
      })
      assert.equal(answer.statusCode, 400)
      assert.match(answer.json().fields[0].message, expected)
    }
  })

  test('cannot run while the app is suspended', async () => {
    const { db } = service.world
    await seller.open(CLOCK)
    await db.run(sql`update apps set suspended_at = now() where slug = 'tidepool'`)
    try {
      const price_id = service.demo.app.prices[0]!.public_id
      const { status } = await seller.submit('Run', { scenario: 'declined', price_id })
      assert.equal(status, 400)
      await seller.open(CLOCK)
      assert.match(seller.text, /your checkout, which is closed while the app is suspended/)
    } finally {
      await db.run(sql`update apps set suspended_at = null where slug = 'tidepool'`)
    }
  })

  test('shows its result only to the seller of the app', async () => {
    await seller.open(CLOCK)
    await seller.press('View result')
    const { url } = seller.page
    const other = await signedIn(service, service.demo.operator)
    assert.equal((await other.open(url)).status, 404)
    assert.equal((await seller.open(url.replace('tidepool', 'daily'))).status, 404)
  })
})

test('the checkout of an app that is ahead shows its time, and the period that begins there', async () => {
  const app = await addApp(service, { slug: 'early', name: 'Early' })
  await seller.open('/dashboard/apps/early/test-clock/')
  await seller.runTask('A year')
  const agent = buyer(service)
  await agent.open(`/buy/${app.price_id}/`)
  assert.match(agent.text, /Test mode.*Test clock: it is March 10, 2027 for Early\./)
  await agent.submit('Continue', { email: 'early@example.com', ...TEXAS })
  await agent.submit('Continue', { number: CARD.good, expiry: '12/30', cvc: '123', zip: '78701' })
  assert.match(agent.text, /Next charge: April 10, 2027\. Cancel anytime\./)
})

test('the manage page of a buyer shows the time of the app', async () => {
  const { db } = service.world
  const { price_id, app_id } = await db.one<{ price_id: PriceId; app_id: AppId }>(sql`
    select r.id as price_id, a.id as app_id from prices r
      join products p on p.id = r.product_id join apps a on a.id = p.app_id where a.slug = 'early'`)
  const { agent } = await subscribe(service, { price_id })
  for (const path of ['', 'plan/', 'auto-renew/']) {
    await agent.open(`/manage/${app_id}/${path}`)
    assert.match(agent.text, /Test mode.*Test clock: it is March 10, 2027 for Early\./)
  }
})

test('every page of an app’s dashboard shows its time', async () => {
  for (const page of ['plans', 'listing', 'sales', 'integration', 'changes']) {
    await seller.open(`/dashboard/apps/early/${page}/`)
    assert.match(seller.text, /Test clock: it is March 10, 2027 for Early\./, page)
    assert.match(seller.text, /Changes Test clock/, page)
  }
})

test('so do the pages of a sale, its refund, its dispute, and the payouts', async () => {
  const { db } = service.world
  const { price_id } = await db.one<{ price_id: PriceId }>(sql`select r.id as price_id from prices r
    join products p on p.id = r.product_id join apps a on a.id = p.app_id where a.slug = 'early'`)
  const { license_id } = await subscribe(service, { price_id, card: CARD.fraudulent })
  await handleEvents(service.world)
  const sale = await db.one<{ invoice_id: InvoiceId; dispute_id: DisputeId }>(sql`
    select i.id as invoice_id, d.id as dispute_id from invoices i
      join charges c on c.invoice_id = i.id join disputes d on d.charge_id = c.id
    where i.license_id = ${license_id}`)
  const staff = await signedIn(service, service.demo.operator)
  for (const [agent, base] of [
    [seller, '/dashboard/apps/early'],
    [staff, '/admin'],
  ] as const) {
    for (const path of [
      `/sales/${sale.invoice_id}/`,
      `/sales/${sale.invoice_id}/refund`,
      `/disputes/${sale.dispute_id}/`,
    ]) {
      const { body } = await agent.open(base + path)
      assert.match(textOf(body), /Test clock: it is March 10, 2027 for Early\./, base + path)
    }
  }
  await seller.open('/dashboard/payouts/')
  assert.match(seller.text, /Test clock: it is March \d+, 2027 for your payouts\./)
})

test('is not available with a real processor, and the page says so', async () => {
  const { world } = service
  const sandbox = world.processor
  world.processor = { ...sandbox, has_test_clock: false }
  const { status } = await seller.open(CLOCK)
  assert.equal(status, 404)
  assert.match(seller.text, /Test clocks need test mode/)
  await seller.open('/dashboard/apps/tidepool/integration/')
  assert.doesNotMatch(seller.text, /Changes Test clock/)
  world.processor = sandbox
})

test('a task that ended with its process is shown as failed, and a new one may start', async () => {
  const { db, clock } = service.world
  await db.run(sql`insert into tasks (id, kind, user_id, app_id, request, status, created_at, updated_at)
    select 'task_000000000000000000dead', 'clock_advance', m.user_id, a.id, '{"slug": "tidepool", "to": "2030-01-01"}',
      'running', ${addDays(clock.now(), -1)}, ${addDays(clock.now(), -1)}
    from apps a join seller_members m on m.seller_id = a.seller_id where a.slug = 'tidepool'`)
  await seller.open('/tasks/task_000000000000000000dead/')
  assert.equal(seller.page.status, 200)
  assert.match(seller.text, /The task failed before it finished/)
  await seller.press('Back')
  assert.doesNotMatch(seller.text, /Advancing the clock/)
})
