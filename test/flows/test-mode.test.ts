import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { followLive } from '#flows/test-mode'
import { mintId, type UserId } from '#platform/ids'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { mintSecret } from '#platform/secrets'
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
  addDeveloper,
  type BothModes,
  enterTestMode,
  openBothModes,
  requestAs,
  sellerId,
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
  const agent = await signedIn(live, live.demo.seller)
  await agent.open('/dashboard/')
  seller = await enterTestMode(modes, agent)
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

test('an entry works once, for a minute, in test mode only, and for members only', async () => {
  const agent = await signedIn(live, live.demo.seller)
  await agent.open('/dashboard/')
  const { url } = await agent.submit('Test mode')
  const address = new URL(url)
  assert.equal(address.origin, modes.test_url)
  const path = address.pathname + address.search
  assert.equal((await live.app.inject({ url: path })).statusCode, 404)
  const head = await there.app.inject({ method: 'HEAD', url: path })
  assert.equal(head.statusCode, 405)
  const enter = () => there.app.inject({ url: path })
  const both = await Promise.all([enter(), enter()])
  assert.deepEqual(both.map(({ statusCode }) => statusCode).toSorted(), [303, 410])
  assert.equal((await enter()).statusCode, 410)

  await agent.open('/dashboard/')
  const late = await agent.submit('Test mode')
  live.clock.pass(61)
  assert.equal((await new Agent(there.app, modes.test_url).open(late.url)).status, 410)

  const other = await signedIn(live, live.demo.buyer)
  assert.doesNotMatch(other.page.body, /dashboard\/test-mode/)
  const answer = await live.app.inject({
    method: 'POST',
    url: '/dashboard/test-mode',
    headers: {
      cookie: other.cookie,
      origin: live.world.config.base_url,
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams(other.form('Sign out')).toString(),
  })
  assert.equal(answer.statusCode, 404)
})

test('a member who was removed in live mode loses test mode, at the next copy or entry', async () => {
  const { db } = live.world
  const seller_id = await sellerId(live)
  const { agent, user_id } = await addDeveloper(live, 'leaving@example.com')
  const browser = await enterTestMode(modes, agent)
  assert.equal(browser.page.status, 200)
  await agent.open('/dashboard/')
  const { url } = await agent.submit('Test mode')
  await sellers.removeMember(db, { seller_id, user_id })
  assert.equal((await new Agent(there.app, modes.test_url).open(url)).status, 410)
  await followLive(there.world, there.world.live!)
  assert.match((await browser.open('/dashboard/')).url, /^\/signin\//)
  assert.equal(await sellers.memberOf(there.world.db, { seller_id, user_id }), undefined)
})

test('a session in test mode ends with the one in live mode, and its agents with it', async () => {
  const first = await addDeveloper(live, 'signs.out@example.com')
  const second = await addDeveloper(live, 'stays@example.com')
  const [left, kept] = [
    await enterTestMode(modes, first.agent),
    await enterTestMode(modes, second.agent),
  ]
  await followLive(there.world, there.world.live!)
  assert.equal((await left.open('/dashboard/')).url, '/dashboard/')
  await agentToken(there, { email: 'signs.out@example.com' })
  await agentToken(there, { email: 'stays@example.com' })
  await identity.endAllSessions(live.world.db, live.clock.now(), first.user_id)
  await followLive(there.world, there.world.live!)
  assert.match((await left.open('/dashboard/')).url, /^\/signin\//)
  assert.equal((await kept.open('/dashboard/')).url, '/dashboard/')
  const { db, clock } = there.world
  const agentsOf = async (email: string) => {
    const { id } = (await identity.findByEmail(db, email))!
    return (await grants.listAgents(db, clock.now(), id)).length
  }
  assert.equal(await agentsOf('signs.out@example.com'), 0)
  assert.equal(await agentsOf('stays@example.com'), 1)
})

test('a later copy follows names, slugs, roles and the owner, and keeps what test mode changed', async () => {
  const { db } = live.world
  const { slug, client_id } = live.demo.sign_in_app
  const { user_id } = await addDeveloper(live, 'rising@example.com')
  const seller_id = await sellerId(live)
  const owner = (await sellers.membersOf(db, seller_id)).find(({ role }) => role === 'owner')!
  await there.world.db.run(sql`update apps set is_published = false where id = ${client_id}`)
  await db.run(sql`update apps set name = 'Renamed', slug = ${`${slug}-2`} where id = ${client_id}`)
  await sellers.setRole(db, { seller_id, user_id: owner.user_id, role: 'admin' })
  await sellers.setRole(db, { seller_id, user_id, role: 'owner' })
  await followLive(there.world, there.world.live!)
  const copy = await there.world.db.one(
    sql`select name, slug, is_published from apps where id = ${client_id}`,
  )
  assert.deepEqual(copy, { name: 'Renamed', slug: `${slug}-2`, is_published: false })
  const roles = await sellers.membersOf(there.world.db, seller_id)
  const roleOf = (id: UserId) => roles.find((each) => each.user_id === id)?.role
  assert.deepEqual([roleOf(owner.user_id), roleOf(user_id)], ['admin', 'owner'])
  await sellers.setRole(db, { seller_id, user_id, role: 'admin' })
  await sellers.setRole(db, { seller_id, user_id: owner.user_id, role: 'owner' })
})

test('an account that another person created with a member’s email loses all access', async () => {
  const email = 'squatted@example.com'
  const { db, clock, random } = there.world
  const now = clock.now()
  const id = mintId(random, 'usr')
  await identity.findOrAddUser(db, now, {
    id,
    email,
    email_normalized: email,
    created_via: 'checkout',
  })
  const password_hash = await identity.hashPassword('chosen by another')
  await identity.setPassword(db, now, { user_id: id, password_hash })
  const token = mintSecret(random)
  const device = { browser: 'Firefox', network: 'unknown' }
  const session = { id: mintId(random, 'ses'), token, user_id: id, app_id: null, device }
  await identity.openSession(db, now, session)
  const { agent } = await addDeveloper(live, email)
  const browser = await enterTestMode(modes, agent)
  assert.equal(browser.page.url, '/dashboard/')
  assert.equal(await identity.findSession(db, now, token), undefined)
  assert.equal((await identity.findUser(db, id))!.password_hash, null)
})

test('a copy of an account is secured and deleted in live mode, where these pages lead', async () => {
  const { base_url } = live.world.config
  for (const page of ['security/', 'security/password', 'security/passkeys', 'profile/delete']) {
    const seen = await seller.open(`/account/${page}`)
    assert.match(textOf(seen.body), /Change this in live mode/, page)
    const path = page.startsWith('security/') ? 'security/' : page
    assert.ok(seen.body.includes(`href="${base_url}/account/${path}"`), page)
  }
  seller.cookies.set('__Host-language', 'es')
  const spanish = await seller.open('/account/security/')
  assert.match(textOf(spanish.body), /Cambie esto en el modo real .* Abrir en el modo real/)
  seller.cookies.delete('__Host-language')
  await seller.open('/account/')
  const { csrf_token = '' } = seller.form('Sign out')
  const refused = await modes.test.app.inject({
    method: 'POST',
    url: '/account/security/password',
    headers: {
      host: new URL(modes.test_url).host,
      cookie: seller.cookie,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ csrf_token, password: 'a walk along the shore' }).toString(),
  })
  assert.equal(refused.statusCode, 403)
  const buyer = new Agent(modes.test.app, modes.test_url)
  assert.match((await buyer.open('/account/security/')).url, /^\/signin\//)
})

test('seller, team, terms and apps are changed in live mode, where these pages lead', async () => {
  const { slug } = live.demo.app
  const { base_url } = live.world.config
  for (const page of ['seller/', 'team/', 'terms/', 'start/', 'apps/new/']) {
    const seen = await seller.open(`/dashboard/${page}`)
    assert.match(textOf(seen.body), /Change this in live mode/, page)
    assert.ok(seen.body.includes(`href="${base_url}/dashboard/${page}"`), page)
  }
  const settings = await seller.open(`/dashboard/apps/${slug}/settings/`)
  assert.doesNotMatch(settings.body, /Archive app/)
  await seller.submit('Unpublish')
  assert.match(
    textOf((await seller.open(`/dashboard/apps/${slug}/settings/`)).body),
    /Not published/,
  )
  await seller.submit('Publish')
  await seller.open(`/dashboard/apps/${slug}/settings/`)
  const csrf = seller.form('Unpublish')
  for (const form of ['settings/', 'archive', 'restore']) {
    const answer = await there.app.inject({
      method: 'POST',
      url: `/dashboard/apps/${slug}/${form}`,
      headers: {
        cookie: seller.cookie,
        origin: modes.test_url,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams(csrf).toString(),
    })
    assert.equal(answer.statusCode, 403, form)
  }
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
