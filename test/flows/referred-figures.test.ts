import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { formatDay } from '#design/money'
import * as affiliates from '#domain/affiliates'
import * as ledger from '#domain/ledger'
import * as metrics from '#domain/metrics'
import { recordClicks } from '#flows/record-clicks'
import { renewDue } from '#flows/subscription'
import { isoDate } from '#platform/calendar'
import { type AffiliateId, type AppId, mintId } from '#platform/ids'
import { cents, formatAmount, sum } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { type Agent, textOf } from '../support/agent.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer } from '../support/purchase.ts'
import { buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Guards point 13 of issue 11: every figure of affiliates equals the ledger.

const DAY = 86_400
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let service: TestService
let app_id: AppId
const codes = ['coast-walks', 'harbor-news', 'tide-table']
before(async () => {
  service = await openTestService()
  app_id = service.demo.app.client_id as AppId
  await service.world.db.run(sql`delete from affiliate_clicks`)
  for (const code of codes.slice(1)) await addAffiliate(code)
})
after(() => assertInvariantsAndClose(service))

async function addAffiliate(code: string): Promise<void> {
  const { db, random, clock } = service.world
  const id = mintId(random, 'usr')
  await db.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
    values (${id}, ${code}, ${`${code}@example.net`}, 'signup', ${clock.now()})`)
  await affiliates.add(db, clock.now(), { id: mintId(random, 'aff'), user_id: id, code })
}

async function passDays(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    service.clock.pass(DAY)
    while ((await renewDue(service.world)) > 0);
    await handleEvents(service.world)
  }
}

async function idOf(code: string): Promise<AffiliateId> {
  return (await affiliates.findByCode(service.world.db, code))!.id
}

const figuresOf = (days: { from: string; to: string }) =>
  affiliates.affiliatesOfApp(service.world.db, { app_id, days, limit: 100 })

/** All days of the test so far. */
async function allDays() {
  return { from: '2020-01-01', to: isoDate(service.clock.now()) }
}

test('figures by affiliate equal the ledger after renewals, refunds and disputes', async () => {
  const { db } = service.world
  const query = (code: string) => `?ref=${code}`
  await buy(service, { query: query(codes[0]!) })
  const lifetime = await buy(service, { query: query(codes[0]!), price: 2 })
  const yearly = await buy(service, { query: query(codes[1]!), price: 1 })
  const lost = await buy(service, { query: query(codes[1]!), price: 2 })
  const won = await buy(service, { query: query(codes[2]!), price: 2 })
  const open = await buy(service, { query: query(codes[2]!), price: 2 })
  await passDays(32)
  await refund(service, lifetime, 9_450)
  await refund(service, yearly)
  const disputes = [
    await disputeCharge(service, lost.charge),
    await disputeCharge(service, won.charge),
  ]
  await decideDispute(service, disputes[0]!, 'lost')
  await decideDispute(service, disputes[1]!, 'won')
  await disputeCharge(service, open.charge)
  const days = await allDays()
  const rows = await figuresOf(days)
  assert.deepEqual(rows.map(({ code }) => code).sort(), [...codes].sort())
  for (const { affiliate_id, code, commission } of rows) {
    const owed = 0 - (await ledger.balanceOf(db, 'affiliate_payable', affiliate_id))
    assert.equal(commission, owed, code)
  }
  const totals = await affiliates.referredTotals(db, { app_id, days })
  const { net } = await metrics.readOverview(db, { app_ids: [app_id], range: days })
  assert.equal(totals.net, net, 'every sale so far was referred')
  assert.equal(totals.purchases, 6)
  for (const figure of ['net', 'commission'] as const) {
    assert.equal(sum(...rows.map((row) => row[figure])), totals[figure])
  }
  await buy(service, { price: 2 })
  assert.deepEqual(await affiliates.referredTotals(db, { app_id, days: await allDays() }), totals)
})

test('the days of a range add up to the whole, and each belongs to one day', async () => {
  const { db } = service.world
  const { to } = await allDays()
  const whole = await affiliates.referredTotals(db, { app_id, days: await allDays() })
  const parts = []
  for (let day = metrics.dayAfter(to, -40); day <= to; day = metrics.dayAfter(day, 1)) {
    parts.push(await affiliates.referredTotals(db, { app_id, days: { from: day, to: day } }))
  }
  assert.equal(sum(...parts.map(({ net }) => net)), whole.net)
  assert.equal(sum(...parts.map(({ commission }) => commission)), whole.commission)
  assert.equal(
    parts.reduce((count, { purchases }) => count + purchases, 0),
    whole.purchases,
  )
})

test('the list continues after a cursor without a gap or a repeat', async () => {
  const days = await allDays()
  const whole = await figuresOf(days)
  const paged: affiliates.AffiliateFigures[] = []
  for (let after: affiliates.FiguresCursor | undefined; ; ) {
    const question = { app_id, days, after, limit: 1 }
    const [row] = await affiliates.affiliatesOfApp(service.world.db, question)
    if (!row) break
    paged.push(row)
    after = { amount: row.net, id: row.affiliate_id }
  }
  assert.deepEqual(paged, whole)
})

/** Follows a link as a browser at an address. */
async function follow(url: string, facts: { ip?: string; headers?: Record<string, string> } = {}) {
  const { ip = '192.0.2.1', headers = {} } = facts
  const method = headers.method === 'HEAD' ? 'HEAD' : 'GET'
  return await service.app.inject({
    method,
    url,
    remoteAddress: ip,
    headers: { 'user-agent': BROWSER, 'sec-fetch-dest': 'document', ...headers },
  })
}

/** The clicks of an affiliate by app, once they are written. */
async function clicksOf(code: string): Promise<Record<string, number>> {
  await recordClicks(service.world)
  const { apps } = await affiliates.appsOfAffiliate(service.world.db, {
    affiliate_id: await idOf(code),
    limit: 100,
  })
  return Object.fromEntries(apps.map(({ slug, clicks }) => [slug ?? 'home', clicks]))
}

test('a visitor counts once for each app and day, and programs do not count', async () => {
  await addAffiliate('clicked')
  const product = '/apps/tidepool/?ref=clicked'
  const buy_link = `/buy/${service.demo.app.prices[0]!.public_id}/?ref=clicked`
  await follow(product)
  const stored = await service.world.db.rows(
    sql`select 1 from affiliate_clicks k where k.affiliate_id = ${await idOf('clicked')}`,
  )
  assert.equal(stored.length, 0, 'the page writes nothing')
  assert.deepEqual(await clicksOf('clicked'), { tidepool: 1 })
  await follow(product)
  await follow(buy_link)
  assert.deepEqual(await clicksOf('clicked'), { tidepool: 1 }, 'the same visitor')
  await follow(product, { ip: '192.0.2.2' })
  await follow('/apps/driftlog/?ref=clicked')
  await follow('/?ref=clicked')
  const counted = { tidepool: 2, driftlog: 1, home: 1 }
  assert.deepEqual(await clicksOf('clicked'), counted)
  const uncounted: Record<string, string>[] = [
    { 'user-agent': 'Googlebot/2.1' },
    { 'user-agent': 'curl/8.5.0' },
    { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
    { 'user-agent': '' },
    { 'sec-purpose': 'prefetch' },
    { 'sec-fetch-dest': 'image' },
    { method: 'HEAD' },
  ]
  for (const headers of uncounted) await follow(product, { ip: '192.0.2.3', headers })
  await follow('/apps/tidepool/?ref=unknown-code', { ip: '192.0.2.4' })
  assert.deepEqual(await clicksOf('clicked'), counted)
  service.clock.pass(DAY)
  await follow(product)
  assert.deepEqual(await clicksOf('clicked'), { ...counted, tidepool: 3 })
})

test('the totals of an affiliate are the sums over all apps, on every page of them', async () => {
  await addAffiliate('totaled')
  const affiliate_id = await idOf('totaled')
  const ask = { affiliate_id, limit: 100 }
  const nothing = { clicks: 0, purchases: 0, net: 0, commission: 0 }
  const empty = await affiliates.appsOfAffiliate(service.world.db, ask)
  assert.deepEqual(empty, { totals: nothing, apps: [] })
  await follow('/apps/driftlog/?ref=totaled', { ip: '192.0.2.5' })
  await follow('/?ref=totaled', { ip: '192.0.2.5' })
  await buy(service, { query: '?ref=totaled' })
  await recordClicks(service.world)
  const { totals, apps } = await affiliates.appsOfAffiliate(service.world.db, ask)
  assert.equal(apps.length, 3)
  for (const figure of ['clicks', 'purchases', 'net', 'commission'] as const) {
    assert.equal(sum(...apps.map((app) => cents(app[figure]))), totals[figure], figure)
  }
  assert.ok(totals.commission > 0)
  const [first, second, last] = apps
  const below = ({ commission: amount, app_id }: affiliates.ReferredApp) =>
    ({ ...ask, limit: 1, after: { amount, id: app_id ?? '' } }) as const
  const pages = [
    [await affiliates.appsOfAffiliate(service.world.db, { ...ask, limit: 1 }), [first]],
    [await affiliates.appsOfAffiliate(service.world.db, below(first!)), [second]],
    [await affiliates.appsOfAffiliate(service.world.db, below(last!)), []],
  ] as const
  for (const [page, expected] of pages) assert.deepEqual(page, { totals, apps: expected })
})

test('clicks that could not be written are written later', async () => {
  await addAffiliate('clicked-later')
  await follow('/apps/tidepool/?ref=clicked-later')
  const { clicks } = service.world
  await assert.rejects(
    clicks.drain(() => Promise.reject(new Error('the database is away'))),
    /away/,
  )
  assert.deepEqual(await clicksOf('clicked-later'), { tidepool: 1 })
})

test('what is stored of a click names no visitor', async () => {
  const columns = await service.world.db.rows<{ column_name: string }>(sql`
    select column_name from information_schema.columns where table_name = 'affiliate_clicks'
    order by ordinal_position`)
  assert.deepEqual(
    columns.map(({ column_name }) => column_name),
    ['affiliate_id', 'app_id', 'day', 'count'],
  )
})

test('an affiliate gets a link by a button, and sees what it brings', async () => {
  await recordClicks(service.world)
  const agent = await signedIn(service, service.demo.affiliate)
  await agent.open('/affiliate/?q=Tidepol')
  await agent.press('Get link')
  const link = /https?:[^\s<]*\/apps\/tidepool\/\?ref=coast-walks/.exec(agent.page.body)![0]
  const buyUrls = [...agent.page.body.matchAll(/\/buy\/(prc_\w+)\/\?ref=coast-walks/g)]
  assert.deepEqual(
    buyUrls.map(([, id]) => id).sort(),
    service.demo.app.prices.map(({ public_id }) => public_id).sort(),
  )
  const visitor = buyer(service)
  await visitor.open(link)
  assert.ok(visitor.cookies.has('__Host-ref'))
  const affiliate_id = await idOf('coast-walks')
  await recordClicks(service.world)
  const question = { affiliate_id, limit: 1 }
  const { totals } = await affiliates.appsOfAffiliate(service.world.db, question)
  const text = textOf((await agent.open('/affiliate/')).body)
  assert.match(text, new RegExp(`Commissions \\$${formatAmount(totals.commission)}`))
  assert.match(text, new RegExp(`Purchases ${totals.purchases} Clicks ${totals.clicks}`))
})

test('an app that is not published has no link', async () => {
  const agent = await signedIn(service, service.demo.affiliate)
  await service.world.db.run(sql`update apps set is_published = false where slug = 'driftlog'`)
  await agent.open('/affiliate/?app=driftlog')
  assert.doesNotMatch(agent.page.body, /\/apps\/driftlog\/\?ref=/)
  await agent.open('/affiliate/?app=unknown&q=%27&below=x')
  assert.equal(agent.page.status, 200)
})

test('charts show the money of each day, with a table behind them', async () => {
  const { db } = service.world
  const { to } = await allDays()
  const days = { from: metrics.dayAfter(to, -29), to }
  const affiliate_id = await idOf('coast-walks')
  const scopes = [
    [{ app_id }, await affiliates.referredTotals(db, { app_id, days: await allDays() })],
    [{ affiliate_id }, (await affiliates.appsOfAffiliate(db, { affiliate_id, limit: 1 })).totals],
  ] as const
  for (const [scope, totals] of scopes) {
    const found = await affiliates.referredByDay(db, { ...scope, days: await allDays() })
    assert.equal(sum(...found.map(({ net }) => net)), totals.net)
    assert.equal(sum(...found.map(({ commission }) => commission)), totals.commission)
  }
  const dollars = (amount: number) =>
    `${amount < 0 ? '−' : ''}\\$${formatAmount(cents(Math.abs(amount)))}`
  const seller = await signedIn(service, service.demo.seller)
  const page = textOf((await seller.open('/dashboard/apps/tidepool/affiliates/?days=30')).body)
  assert.match(page, /Net revenue and commission .*Show as table/)
  const brought = await affiliates.referredByDay(db, { app_id, days })
  assert.ok(brought.length > 0)
  for (const { day, net, commission } of brought) {
    const row = `${formatDay(new Date(day))} ${dollars(net)} ${dollars(commission)}`
    assert.match(page, new RegExp(row))
  }
  const agent = await signedIn(service, service.demo.affiliate)
  const own = textOf((await agent.open('/affiliate/')).body)
  const [chart = ''] = /Commissions of the last 30 days.*?By app/.exec(own) ?? []
  assert.doesNotMatch(chart, /Net revenue/)
  for (const { day, commission } of await affiliates.referredByDay(db, { affiliate_id, days })) {
    assert.match(chart, new RegExp(`${formatDay(new Date(day))} ${dollars(commission)}`))
  }
})

test('the seller’s page and its CSV have the same figures, and no email', async () => {
  const agent: Agent = await signedIn(service, service.demo.seller)
  const base = '/dashboard/apps/tidepool/affiliates/'
  const text = textOf((await agent.open(`${base}?days=90`)).body)
  const { to } = await allDays()
  const rows = await figuresOf({ from: metrics.dayAfter(to, -89), to })
  assert.ok(rows.length >= 3)
  for (const { code, purchases } of rows) assert.match(text, new RegExp(`${code} .* ${purchases} `))
  assert.doesNotMatch(agent.page.body, /@example\.net/)
  const csv = await agent.open(`${base}affiliates.csv?days=90`)
  assert.deepEqual(
    parse(csv.body, { columns: true }),
    rows.map(({ code, clicks, purchases, net, commission }) => ({
      affiliate: code,
      clicks: String(clicks),
      purchases: String(purchases),
      net_revenue: formatAmount(net),
      commission: formatAmount(commission),
    })),
  )
  const empty = await agent.open(`${base}?from=2020-01-01&to=2020-01-02`)
  assert.match(textOf(empty.body), /No referrals in this period/)
})
