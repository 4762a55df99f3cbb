import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import * as apps from '#domain/apps'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { buy } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Guards point 12 of issue 11

const MINUTE = 60

let service: TestService
let seller_id: SellerId
let staff: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  const app = await apps.find(service.world.db, service.demo.app.client_id)
  seller_id = app!.seller_id
  await addSellerWithApp(service, { email: service.demo.buyer.email, slug: 'lighthouse' })
})
after(() => service.close())
beforeEach(async () => {
  staff = await signedIn(service, service.demo.operator)
  await staff.open(`/admin/sellers/${seller_id}/`)
  await staff.submit('View as this seller', { reason: 'a question about plans' })
})

/** The forms that are not refused. */
const ALLOWED = ['/admin/viewing/stop', '/signout/']
const SEARCH = /^\/dashboard\/apps\/[\w:]+\/(sales|customers|subscriptions|licenses)\/search$/
const isAllowed = (path: string) => ALLOWED.includes(path) || SEARCH.test(path)

type Route = { method: string; url: string }

/** Every route of the service, so that a new one is covered without a line here. */
function routes(): Route[] {
  return service.app.declared_routes.flatMap(({ methods, url }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => ({ method, url })),
  )
}

/** Values for the parameters of the seller's pages. */
async function values(): Promise<Record<string, string>> {
  const { db } = service.world
  const bought = await buy(service)
  const change = await db.maybe<{ id: string }>(sql`select id from app_changes limit 1`)
  return {
    slug: 'tidepool',
    invoice_id: bought.invoice_id,
    license_id: bought.license_id,
    action: 'key',
    month: '2026-01',
    state: 'TX',
    queue: 'emails',
    job_id: '00000000-0000-0000-0000-000000000000',
    change_id: change?.id ?? `chg_${'0'.repeat(22)}`,
  }
}

async function send(agent: Agent, { method, url }: Route, facts: Record<string, string>) {
  const path = url.replaceAll(/:(\w+)(\([^)]*\))?/g, (_, name: string) => facts[name] ?? 'none')
  const isForm = method !== 'GET'
  const csrf_token = isForm ? agent.form('Stop viewing').csrf_token! : ''
  return await service.app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      ...(isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(isForm ? { payload: new URLSearchParams({ csrf_token }).toString() } : {}),
  })
}

/** The actions of the forms on a page that can be sent and are refused. */
function refusedForms(body: string): string[] {
  const forms = body.matchAll(/<form [^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)
  return [...forms]
    .filter(([, , content]) => !content!.includes('<fieldset disabled'))
    .map(([, action]) => action!)
    .filter((action) => !isAllowed(action))
}

test('every page of the seller answers, with the banner and without a license key', async () => {
  const facts = await values()
  const wrong: string[] = []
  for (const route of routes()) {
    if (route.method !== 'GET' || !/^\/dashboard\//.test(route.url)) continue
    const answer = await send(staff, route, facts)
    const isPage = String(answer.headers['content-type']).startsWith('text/html')
    const needsValue = /:(dispute_id|id|import_id|user_id|task_id|action)\b/.test(route.url)
    const accepted = needsValue ? [200, 303, 404] : [200, 303]
    if (!accepted.includes(answer.statusCode)) wrong.push(`${route.url}: ${answer.statusCode}`)
    const isShown = answer.body.includes('Viewing as Tidepool Works LLC')
    if (answer.statusCode === 200 && isPage && !isShown) wrong.push(`${route.url}: no banner`)
    for (const form of refusedForms(answer.body)) wrong.push(`${route.url}: can send ${form}`)
    if (/\bkey_[0-9A-Za-z]{10}/.test(answer.body)) wrong.push(`${route.url}: shows a key`)
  }
  assert.deepEqual(wrong, [])
})

test('every other request of a browser is refused, wherever it leads', async () => {
  const facts = await values()
  const before = await counts()
  const wrong: string[] = []
  let refused = 0
  for (const route of routes()) {
    if (route.method === 'GET' || isAllowed(route.url)) continue
    const { statusCode, body } = await send(staff, route, facts)
    if (statusCode === 403 && textOf(body).includes('You are viewing as a seller')) refused++
    else if (!isForPrograms(route)) wrong.push(`${route.method} ${route.url}: ${statusCode}`)
  }
  assert.deepEqual(wrong, [])
  assert.ok(refused > 80, String(refused))
  assert.deepEqual(await counts(), before)
})

/** Routes that ignore sessions: programs prove themselves otherwise. */
function isForPrograms({ url }: Route): boolean {
  return /^\/(api|mcp|o|licensing|sandbox|stripe|\.well-known)\b/.test(url) || url === '*'
}

/** What forms of a seller write. */
async function counts() {
  return await service.world.db.one(sql`select
    (select count(*) from app_changes) as changes, (select count(*) from products) as products,
    (select count(*) from refunds) as refunds, (select count(*) from payouts) as payouts,
    (select count(*) from tasks) as tasks, (select count(*) from seller_members) as members,
    (select count(*) from discount_codes) as codes, (select count(*) from clients) as clients`)
}

test('lists are searched, also for a license key, which is in no address', async () => {
  const { license_id, license_key } = await buy(service)
  for (const list of ['sales', 'customers', 'subscriptions', 'licenses']) {
    await staff.open(`/dashboard/apps/tidepool/${list}/`)
    const { status, url } = await staff.submit('Search', { q: license_key })
    assert.equal(status, 200, list)
    assert.ok(url.includes(license_id), url)
  }
})

test('the links to what the owner may do about customers are seen, too', async () => {
  await buy(service)
  await staff.open('/dashboard/apps/tidepool/customers/')
  assert.match(staff.text, /Import Give a plan/)
  const [, customer] = /href="([^"]*\/customers\/lic_[^"]*)"/.exec(staff.page.body) ?? []
  await staff.open(customer!)
  assert.match(staff.text, /Replace key/)
})

test('only the viewed seller is seen, not another one', async () => {
  assert.equal((await staff.open('/dashboard/apps/tidepool/')).status, 200)
  assert.equal((await staff.open('/dashboard/apps/lighthouse/')).status, 404)
})

test('it is in the audit log of staff and in the activity of the seller, from start to end', async () => {
  await staff.open('/dashboard/')
  await staff.submit('Stop viewing')
  assert.equal(staff.page.url, `/admin/sellers/${seller_id}/?done=stopped`)
  assert.equal((await staff.open('/dashboard/apps/tidepool/')).status, 404)
  const entries = await service.world.db.rows<{ action: string; reason: string | null }>(sql`
    select action, detail ->> 'reason' as reason from audit_log
    where subject = ${seller_id} and action like 'seller.view%' order by id desc limit 2`)
  assert.deepEqual(entries, [
    { action: 'seller.viewing_ended', reason: null },
    { action: 'seller.viewed', reason: 'a question about plans' },
  ])
  const seller = await signedIn(service, service.demo.seller)
  await seller.open('/dashboard/activity/')
  assert.match(seller.text, /Seller: viewing ended .* Seller: viewed .* Purser staff/)
})

test('it ends after half an hour, and for those whose role no longer includes it', async () => {
  service.clock.pass(29 * MINUTE)
  assert.equal((await staff.open('/dashboard/apps/tidepool/')).status, 200)
  service.clock.pass(2 * MINUTE)
  assert.equal((await staff.open('/dashboard/apps/tidepool/')).status, 404)
  const again = await signedIn(service, service.demo.operator)
  await again.open(`/admin/sellers/${seller_id}/`)
  await again.submit('View as this seller', { reason: 'a question about plans' })
  const { db } = service.world
  for (const [role, status] of [
    ['support', 200],
    ['finance', 404],
    [null, 404],
    ['admin', 200],
  ] as const) {
    await db.run(sql`update users set staff_role = ${role} where email_normalized =
      ${service.demo.operator.email}`)
    assert.equal((await again.open('/dashboard/apps/tidepool/')).status, status, `${role}`)
  }
})
