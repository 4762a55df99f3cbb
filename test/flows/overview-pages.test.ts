import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatMoney } from '#design/money'
import * as identity from '#domain/identity'
import * as metrics from '#domain/metrics'
import * as sellers from '#domain/sellers'
import { decideAboutSeller, suspendByStaff } from '#flows/staff-actions'
import { isoDate } from '#platform/calendar'
import { parseId, type SellerId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { buyWithCode } from '../support/discount-purchases.ts'
import { addCode } from '../support/discounts.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { payeeOf, withBank } from '../support/payees.ts'
import { buy, refund, staffActor } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, runDue, subscribe } from '../support/subscriber.ts'

// Guards F51: the overview of an app, and of all apps of a seller.

const APP = '/dashboard/apps/tidepool/'
const ALL = '/dashboard/overview/'

let service: TestService
let seller: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  await subscribe(service, { card: CARD.never_renews })
  service.clock.pass(32 * DAY)
  await runDue(service)
  await subscribe(service)
  await refund(service, await buy(service, { price: 2 }))
  await buy(service, { card: '4000000000000259' })
  await handleEvents(service.world)
  seller = await signedIn(service, service.demo.seller)
})
after(() => service.close())

/** The value of a tile on the page, as text. */
function tile({ page }: Agent, name: string): string | undefined {
  const pattern = new RegExp(`<dt[^>]*>${name}</dt><dd[^>]*>(.*?)</dd>`)
  const [, value] = pattern.exec(page.body) ?? []
  return value === undefined ? undefined : textOf(value).trim()
}

/** The line below the value of a tile. */
function noteOf({ page }: Agent, name: string): string {
  const pattern = new RegExp(`<dt[^>]*>${name}</dt>.*?</dd><dd[^>]*>(.*?)</dd>`)
  return textOf(pattern.exec(page.body)?.[1] ?? '').trim()
}

async function expected(from: string, to: string): Promise<metrics.OverviewFigures> {
  const app_ids = [service.demo.app.client_id]
  return await metrics.readOverview(service.world.db, { app_ids, range: { from, to } })
}

test('both pages show the figures of the range in their address', async () => {
  const to = isoDate(service.clock.now())
  const ranges = [7, 30, 90, 365].map((days) => ({
    query: `?days=${days}`,
    from: metrics.dayAfter(to, 1 - days),
    to,
  }))
  const last = metrics.dayAfter(to, -20)
  const own = { from: metrics.dayAfter(to, -40), to: last }
  const chosen = [...ranges, { query: `?from=${own.from}&to=${own.to}`, ...own }]
  const seen = new Set<string | undefined>()
  const notes: string[] = []
  for (const { query, from, to: end } of chosen) {
    const { net, mrr, licenses } = await expected(from, end)
    for (const path of [APP, ALL]) {
      await seller.open(`${path}${query}`)
      assert.equal(tile(seller, 'Net revenue'), formatMoney(net), query)
      assert.equal(tile(seller, 'Monthly recurring revenue'), formatMoney(mrr), query)
      assert.equal(tile(seller, 'Active'), `${licenses.active}`, query)
      assert.equal(tile(seller, 'Past due'), `${licenses.past_due + licenses.unpaid}`, query)
    }
    seen.add(tile(seller, 'Net revenue'))
    notes.push(noteOf(seller, 'Net revenue'))
  }
  assert.ok(seen.size >= 3, 'the ranges differ')
  assert.match(notes.join(), /−\d+% from /)
})

test('a wrong range shows the last 30 days and says what to enter', async () => {
  await seller.open(ALL)
  const usual = tile(seller, 'Net revenue')
  for (const query of [
    '?days=31',
    '?from=2026-02-30&to=2026-03-01',
    '?from=2026-03-02&to=2026-03-01',
    '?from=2000-01-01&to=2026-03-01',
    '?from=2026-03-02',
    '?days=7&from=2026-03-02&to=2026-03-03',
  ]) {
    const { status, body } = await seller.open(`${ALL}${query}`)
    assert.equal(status, 200, query)
    assert.match(textOf(body), /Enter two dates, the earlier one first/, query)
    assert.equal(body.match(/aria-describedby="range-error"/g)?.length, 2, 'both fields')
    assert.equal(tile(seller, 'Net revenue'), usual, query)
  }
})

test('the period is said to be in UTC', async () => {
  for (const path of [APP, ALL, `${APP}affiliates/`]) {
    assert.match(textOf((await seller.open(path)).body), /Days begin at midnight UTC\./, path)
  }
})

test('a wrong range keeps the dates that were typed', async () => {
  const { body } = await seller.open(`${ALL}?from=2026-03-02&to=2026-03-01`)
  assert.match(body, /name="from"[^>]* value="2026-03-02"/)
  assert.match(body, /name="to"[^>]* value="2026-03-01"/)
})

test('each chart is an image with a name, and a table with the same figures', async () => {
  const { body } = await seller.open(`${ALL}?days=30`)
  const to = isoDate(service.clock.now())
  const { steps } = await expected(metrics.dayAfter(to, -29), to)
  for (const [id, values] of [
    ['revenue', steps.map(({ net }) => net)],
    ['mrr', steps.map(({ mrr }) => mrr)],
  ] as const) {
    const [drawing = ''] = new RegExp(`<svg role="img"[^>]*${id}-title.*?</svg>`).exec(body) ?? []
    assert.match(drawing, new RegExp(`<title id="${id}-title">\\w`))
    assert.match(drawing, new RegExp(`<desc id="${id}-description">From \\w`))
    const [path = ''] = /<path d="(M[^"]*)"[^>]*fill-none/.exec(drawing) ?? []
    assert.ok(path.split(/[ML]/).length > steps.length, 'a point for each day')
    const rows = body.slice(body.indexOf(drawing)).split('<tbody').at(1)!.split('</tbody>')[0]!
    const found = [...rows.matchAll(/<tr.*?<\/tr>/g)].map(([row]) =>
      textOf(row.split('<td').at(2)!)
        .replace(/^[^>]*>/, '')
        .trim(),
    )
    assert.deepEqual(
      found,
      values.map((value) => formatMoney(cents(value))),
      id,
    )
  }
  assert.doesNotMatch(body, / style=|<script>/)
})

test('each step of the checkout has a bar with its part of all checkouts', async () => {
  const { body } = await seller.open(`${ALL}?days=365`)
  const to = isoDate(service.clock.now())
  const { carts } = await expected(metrics.dayAfter(to, -364), to)
  const bars = [...body.matchAll(/<progress [^>]*max="(\d+)" value="(\d+)"/g)]
  const [first, ...rest] = Object.values(carts)
  assert.ok(first! > 0)
  assert.deepEqual(
    bars.map(([, max, value]) => [Number(max), Number(value)]),
    [first!, ...rest].map((count) => [first, count]),
  )
  assert.match(textOf(body), /Paid\s*\d+\s+\d+(\.\d)?% of all checkouts/)
})

test('latest sales, open disputes and failed renewals lead to their pages', async () => {
  for (const path of [APP, ALL]) {
    const { body } = await seller.open(path)
    for (const [title, pattern] of [
      ['Open disputes', /href="(\/dashboard\/apps\/tidepool\/disputes\/dsp_\w+\/)"/],
      ['Failed renewals', /href="(\/dashboard\/apps\/tidepool\/sales\/inv_\w+\/)"/],
      ['Latest sales', /href="(\/dashboard\/apps\/tidepool\/sales\/inv_\w+\/)"/],
    ] as const) {
      const list = body.split(`>${title}</h2>`)[1]
      assert.ok(list, `${path} lists ${title}`)
      const { status } = await seller.twin().open(pattern.exec(list)![1]!)
      assert.equal(status, 200, title)
    }
  }
})

test('a latest sale says why its net is less: a lost dispute', async () => {
  const bought = await buy(service, { price: 2 })
  await decideDispute(service, await disputeCharge(service, bought.charge), 'lost')
  for (const path of [APP, ALL]) {
    const text = textOf((await seller.open(path)).body)
    const [, sale = ''] = text.split('Latest sales')[1]!.split(bought.email)
    assert.match(sale, /^[^@]+ Dispute lost Net .?\$/, path)
    assert.match(text, /Refunded Net /)
  }
})

test('the next payout is shown to members who may view payouts, and to no other', async () => {
  const { db, clock } = service.world
  const { email, agent } = await signUp(service)
  const { id: user_id } = (await identity.findByEmail(db, email))!
  const { seller_id } = await db.one<{ seller_id: SellerId }>(
    sql`select seller_id from apps where slug = 'tidepool'`,
  )
  await sellers.addMember(db, clock.now(), { seller_id, user_id, role: 'developer' })
  for (const path of [APP, ALL]) {
    await seller.open(path)
    assert.match(tile(seller, 'Next payout') ?? '', /\$/)
    await agent.open(path)
    assert.match(tile(agent, 'Net revenue') ?? '', /^.?\$/)
    assert.equal(tile(agent, 'Next payout'), undefined)
  }
})

test('another seller has no part in the figures', async () => {
  const { email, agent } = await signUp(service)
  await addSellerWithApp(service, { email, slug: 'beacon' })
  const { body } = await agent.open(ALL)
  assert.equal(tile(agent, 'Net revenue'), '$0.00')
  assert.match(textOf(body), /No sales yet/)
  assert.doesNotMatch(body, /Tidepool/)
})

test('shows the setup first until it is complete', async () => {
  const { body: complete } = await seller.open(APP)
  assert.ok(complete.indexOf('Setup complete') > complete.indexOf('Net revenue'))
  await service.world.db.run(sql`update apps set tagline = '' where slug = 'tidepool'`)
  const { body } = await seller.open(APP)
  assert.ok(body.indexOf('Set up your app') < body.indexOf('Net revenue'))
  assert.ok(body.includes('Set up your app'))
})

test('rates are of payments, and a purchase with nothing to pay is none', async () => {
  const app = await addApp(service, { slug: 'free-first' })
  const { code } = await addCode(service, app.client_id, { percent: 100 })
  await buyWithCode(service, app, code)
  const agent = await signedIn(service, service.demo.seller)
  await agent.open('/dashboard/apps/free-first/')
  assert.match(agent.text, /Latest sales discount-\d+@example\.com/)
  for (const name of ['Refund rate', 'Dispute rate']) {
    assert.equal(noteOf(agent, name), '0 of 0 payments', name)
  }
})

test('a renewal that is not retried is called paused, and an unpaid one has a retry left', async () => {
  const { license_id } = await subscribe(service, { card: CARD.never_renews })
  for (let day = 0; day < 47; day++) {
    service.clock.pass(DAY)
    await runDue(service)
  }
  const agent = await signedIn(service, service.demo.seller)
  await agent.open(ALL)
  assert.equal(noteOf(agent, 'Past due'), '1 with one retry left')
  await service.world.db.run(sql`update subscriptions set last_decline = 'lost_card'
    where license_id = ${license_id}`)
  assert.match(textOf((await agent.open(ALL)).body), /Failed renewals .* Needs a new card/)
  const staff = { ...(await staffActor(service)), reason: 'Under review.' }
  await suspendByStaff(service.world, staff, license_id)
  const { body } = await agent.open(ALL)
  assert.match(textOf(body), /Failed renewals .* Failed \w+ \d+, \d+ Paused, not retried/)
})

test('the next payout is not promised for a Monday on which it does not happen', async () => {
  await buy(service, { price: 2 })
  service.clock.pass(14 * DAY)
  const note = async (agent: Agent) => {
    await agent.open(ALL)
    return noteOf(agent, 'Next payout')
  }
  assert.equal(await note(await signedIn(service, service.demo.seller)), 'Add a bank account')
  const agent = await withBank(service, 'seller')
  assert.match(await note(agent), /^\w+ \d+, 2026$/)
  const staff = { ...(await staffActor(service)), reason: 'Under review.' }
  const { owner } = await payeeOf(service, 'seller')
  const seller_id = parseId('sel', owner)
  await decideAboutSeller(service.world, staff, { seller_id, what: 'payouts_paused' })
  assert.equal(await note(agent), 'Paused')
  await decideAboutSeller(service.world, staff, { seller_id, what: 'payouts_resumed' })
  await service.world.db.run(sql`update payout_accounts
    set is_ready = false, returned_at = ${service.clock.now()}`)
  assert.equal(await note(agent), 'Change or confirm your bank account')
})
