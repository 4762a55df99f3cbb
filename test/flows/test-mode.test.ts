import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { sql } from '#platform/sql'
import { Agent, textOf } from '../support/agent.ts'
import { agentToken } from '../support/agent-token.ts'
import { exportBy } from '../support/exports.ts'
import { emailTo } from '../support/mailbox.ts'
import { post } from '../support/mcp.ts'
import { readPdf } from '../support/pdf.ts'
import { basic, buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import {
  type BothModes,
  enterTestMode,
  openBothModes,
  requestAs,
  sellerInTestMode,
  testSecret,
} from '../support/test-mode.ts'

let modes: BothModes
let live: TestService
let there: TestService
let seller: Agent
let port: number
before(async () => {
  modes = await openBothModes({
    settings: { STORAGE_URL: 'http://key:secret@127.0.0.1:1/pictures' },
  })
  live = modes.live
  there = modes.test
  port = live.world.config.port
  seller = await sellerInTestMode(modes)
})
after(() => modes.close())

/** How many orders, licenses and payment attempts a mode has. */
async function salesOf({ world }: TestService) {
  return await world.db.one(sql`select (select count(*)::int from orders) as orders,
    (select count(*)::int from licenses) as licenses,
    (select count(*)::int from attempts) as attempts`)
}

test('a member enters test mode at the same page, with the plans and the listing of live mode', async () => {
  const agent = await signedIn(live, live.demo.seller)
  const { slug } = live.demo.app
  const plans = textOf((await agent.open(`/dashboard/apps/${slug}/plans/`)).body)
  const tab = await enterTestMode(modes, agent)
  assert.equal(tab.page.url, `/dashboard/apps/${slug}/plans/`)
  assert.equal(tab.page.status, 200)
  const price = live.demo.app.prices[0]!.public_id
  for (const service of [live, there]) {
    const page = await buyer(service).open(`/buy/${price}/`)
    assert.match(textOf(page.body), /Tidepool/)
  }
  assert.match(plans, /Pro/)
  const listing = await tab.open(`/apps/${slug}/`)
  assert.equal(listing.status, 200)
})

test('the payouts of a seller have the same page in test mode', async () => {
  const agent = await signedIn(live, live.demo.seller)
  await agent.open('/dashboard/payouts/')
  const tab = await enterTestMode(modes, agent)
  assert.equal(tab.page.url, '/dashboard/payouts/')
  assert.match(tab.page.body, /href="[^"]*\/dashboard\/payouts\/"[^>]*>.*Leave test/s)
})

test('leaving the test clock opens the overview, and live mode says where the clock is', async () => {
  const { slug } = live.demo.app
  const { base_url } = live.world.config
  const { body } = await seller.open(`/dashboard/apps/${slug}/test-clock/`)
  assert.match(body, new RegExp(`href="${base_url}/dashboard/apps/${slug}/"[^>]*>[^]*Leave test`))
  const agent = await signedIn(live, live.demo.seller)
  const page = await agent.open(`/dashboard/apps/${slug}/test-clock/`)
  assert.match(textOf(page.body), /Live mode has no test clock\. Choose Test mode in the menu/)
  const tab = await enterTestMode(modes, agent)
  assert.equal(tab.page.url, `/dashboard/apps/${slug}/test-clock/`)
})

test('a purchase in test mode leaves nothing in live mode, and its key is refused there', async () => {
  const before = await salesOf(live)
  const done = await purchase(there, buyer(there), { email: 'robin.tests@example.com' })
  const key = licenseKey(done)
  const reference = orderReference(done)
  assert.deepEqual(await salesOf(live), before)
  const secret = await testSecret(seller, live.demo.app.slug)
  const validate = (service: TestService, client_secret: string) =>
    service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service, { client_secret }),
      payload: { key },
    })
  const live_secret = live.demo.app.client_secret
  assert.equal((await validate(there, secret)).json().status, 'active')
  assert.equal((await validate(live, live_secret)).json().error, 'unknown_key')
  assert.equal((await validate(live, secret)).json().error, 'invalid_client')
  assert.equal((await validate(there, live_secret)).json().error, 'invalid_client')
  const order = (service: TestService, client_secret: string) =>
    service.app.inject({
      url: `/api/v1/orders/${reference}`,
      headers: basic(service, { client_secret }),
    })
  assert.equal((await order(there, secret)).statusCode, 200)
  assert.equal((await order(live, live_secret)).statusCode, 404)
})

test('a session and the signing keys of one mode mean nothing in the other', async () => {
  const agent = await signedIn(live, live.demo.seller)
  const { base_url } = live.world.config
  const crossed = [
    new Agent(there.app, modes.test_url, { cookies: new Map(agent.cookies) }),
    new Agent(live.app, base_url, { cookies: new Map(seller.cookies) }),
  ]
  for (const browser of crossed) {
    assert.match((await browser.open('/dashboard/')).url, /^\/signin\//)
  }
  const kids = async (service: TestService) => {
    const { keys } = (await service.app.inject({ url: '/o/jwks' })).json()
    return keys.map(({ kid }: { kid: string }) => kid)
  }
  const [own, others] = [await kids(live), await kids(there)]
  assert.ok(own.length > 0 && others.length > 0)
  assert.deepEqual(
    own.filter((kid: string) => others.includes(kid)),
    [],
  )
})

test('test mode stores files in its own database, and signs with its own keys', async () => {
  const { storage, keys, clock, db } = there.world
  const file = { content: Buffer.from('a picture'), type: 'image/webp' }
  // The bucket of live mode cannot be reached here.
  await storage.put(clock.now(), 'probe', file)
  assert.deepEqual(await storage.get('probe'), file.content)
  const signed = keys.hmac('form-token', 'text')
  assert.equal(live.world.keys.verify('form-token', 'text', signed), false)
  const count = sql`select count(*)::int from secret_keys`
  assert.deepEqual(await db.one(count), { count: 1 })
})

test('each page, email and file of test mode says so, and none of live mode does', async () => {
  const pages = ['/', '/docs/', '/signin/', '/status/', '/nowhere/', `/apps/${live.demo.app.slug}/`]
  for (const url of pages) {
    const headers = { accept: 'text/html' }
    const [one, other] = await Promise.all([
      there.app.inject({ url, headers }),
      live.app.inject({ url, headers }),
    ])
    assert.match(one.body, /<title>Test mode · /, url)
    assert.match(one.body, /<meta name="robots" content="noindex"/, url)
    assert.match(textOf(one.body), /Test mode\. No real card is charged\./, url)
    assert.doesNotMatch(other.body, /<title>Test mode|No real card is charged/, url)
  }
  const sales = `/dashboard/apps/${live.demo.app.slug}/`
  const member = await signedIn(live, live.demo.seller)
  for (const [agent, prefix] of [
    [await enterTestMode(modes, member), 'test-mode-'],
    [member, ''],
  ] as const) {
    await agent.open(`${sales}sales/`)
    const { file } = await exportBy(agent, 'Export CSV')
    assert.equal(
      file.headers['content-disposition'],
      `attachment; filename="${prefix}${live.demo.app.slug}-sales.csv"`,
    )
    const affiliates = await agent.open(`${sales}affiliates/affiliates.csv`)
    assert.match(
      `${affiliates.headers['content-disposition']}`,
      RegExp(`"${prefix}\\w+-affiliates`),
    )
  }
  const robots = await there.app.inject({ url: '/robots.txt' })
  assert.equal(robots.body, 'User-agent: *\nDisallow: /\n')
  assert.doesNotMatch((await there.app.inject({ url: '/sitemap.xml' })).body, /<loc>/)
  await purchase(there, buyer(there), { email: 'casey.tests@example.com' })
  const receipt = await emailTo(there, 'casey.tests@example.com', /^\[Test mode\] /)
  assert.match(receipt, /Test mode: no real money moves\./)
  const emails = await listMailbox(there.world.db)
  const sent = emails.find(({ recipient }) => recipient === 'casey.tests@example.com')
  const email = await findMailboxEmail(there.world.db, sent!.message_id)
  const { text } = await readPdf(email!.attachments[0]!.content)
  assert.match(text, /TEST MODE/)
})

test('the agent endpoint says that it is in test mode, and in live mode does not', async () => {
  for (const [service, isTest] of [
    [there, true],
    [live, false],
  ] as const) {
    const token = await agentToken(service, { email: live.demo.seller.email })
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const answer = await post(service, request, { authorization: `Bearer ${token}` })
    const { serverInfo, instructions } = answer.json().result
    assert.equal(serverInfo.title, isTest ? 'Purser (test mode)' : 'Purser')
    assert.equal(/^This is test mode/.test(instructions), isTest)
  }
})

test('one port serves both modes by host, and an unknown host as before', async () => {
  const { host } = new URL(modes.test_url)
  const home = await requestAs(port, host, '/')
  assert.match(home.body, /<title>Test mode · /)
  assert.match((await requestAs(port, host.toUpperCase(), '/')).body, /<title>Test mode · /)
  for (const other of [`localhost:${port}`, 'elsewhere.example', 'test.localhost']) {
    const seen = await requestAs(port, other, '/')
    assert.equal(seen.status, 200, other)
    assert.doesNotMatch(seen.body, /Test mode/, other)
  }
  assert.equal((await requestAs(port, host, '/readyz')).status, 200)
})

test('scenarios and events by API are in test mode only', async () => {
  const schemaOf = async (app: typeof live.app) =>
    (await app.inject('/api/v1/schema/')).json().paths
  assert.ok('/api/v1/test/events' in (await schemaOf(there.app)))
  assert.ok(!('/api/v1/test/events' in (await schemaOf(live.app))))
  for (const path of ['scenarios', 'events', 'scenario-runs/task_1']) {
    const url = `/api/v1/test/${path}`
    const { client_id, client_secret } = live.demo.app
    const authorization = `Basic ${btoa(`${client_id}:${client_secret}`)}`
    const answer = await live.app.inject({ url, headers: { authorization } })
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'not_found'], path)
    assert.equal((await there.app.inject(url)).statusCode, 401)
  }
  const { statusCode } = await live.app.inject('/docs/api/test-mode/')
  assert.equal(statusCode, 200)
})
