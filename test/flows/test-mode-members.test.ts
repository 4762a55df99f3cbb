import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { followLive } from '#flows/test-mode'
import { mintId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { sql } from '#platform/sql'
import { Agent, textOf } from '../support/agent.ts'
import { agentToken } from '../support/agent-token.ts'
import { untilBlocked } from '../support/blocked.ts'
import { signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import {
  addDeveloper,
  type BothModes,
  enterTestMode,
  openBothModes,
  openEntry,
  sellerId,
  sellerInTestMode,
} from '../support/test-mode.ts'

let modes: BothModes
let live: TestService
let there: TestService
let seller: Agent
before(async () => {
  modes = await openBothModes()
  live = modes.live
  there = modes.test
  seller = await sellerInTestMode(modes)
})
after(() => modes.close())

test('an entry works once, for a minute, in test mode only, and for members only', async () => {
  const agent = await signedIn(live, live.demo.seller)
  await agent.open('/dashboard/')
  const { there: browser, url } = await openEntry(modes, agent)
  const address = new URL(url)
  assert.equal(address.origin, modes.test_url)
  const path = address.pathname + address.search
  assert.equal((await live.app.inject({ url: path })).statusCode, 404)
  const head = await there.app.inject({ method: 'HEAD', url: path })
  assert.equal(head.statusCode, 405)
  const { cookie } = browser
  const enter = () => there.app.inject({ url: path, headers: { cookie } })
  const both = await Promise.all([enter(), enter()])
  assert.deepEqual(both.map(({ statusCode }) => statusCode).toSorted(), [303, 410])
  assert.equal((await enter()).statusCode, 410)

  await agent.open('/dashboard/')
  const late = await openEntry(modes, agent)
  live.clock.pass(61)
  assert.equal((await late.there.open(late.url)).status, 410)

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

test('an entry signs in the browser that asked for it, and no other', async () => {
  const { agent: other } = await addDeveloper(live, 'sends.entry@example.com')
  const { agent: member } = await addDeveloper(live, 'opens.entry@example.com')
  const own = await enterTestMode(modes, member)
  const { there: first, url } = await openEntry(modes, other)
  for (const browser of [new Agent(there.app, modes.test_url), own]) {
    const { cookie } = browser
    assert.equal((await browser.open(url)).status, 410)
    assert.equal(browser.cookies.get('__Host-session'), /__Host-session=([^;]+)/.exec(cookie)?.[1])
  }
  // It was not used up.
  assert.equal((await first.open(url)).status, 200)
  assert.equal(first.page.url, '/dashboard/')

  await other.open('/dashboard/')
  const wanted = await other.submit('Test mode')
  const named = await own.open(wanted.url)
  assert.equal(new URL(named.url).origin, live.world.config.base_url)
  assert.equal((await member.open(named.url)).url, '/dashboard/')
  live.clock.pass(61)
  assert.equal((await other.open(named.url)).url, '/dashboard/')
})

test('a member who was removed in live mode loses test mode, at the next copy or entry', async () => {
  const { db } = live.world
  const seller_id = await sellerId(live)
  const { agent, user_id } = await addDeveloper(live, 'leaving@example.com')
  const browser = await enterTestMode(modes, agent)
  assert.equal(browser.page.status, 200)
  await agent.open('/dashboard/')
  const late = await openEntry(modes, agent)
  await sellers.removeMember(db, { seller_id, user_id })
  assert.equal((await late.there.open(late.url)).status, 410)
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
  assert.equal((await identity.getUser(db, id)).password_hash, null)
})

test('a member enters while another account in test mode takes their new email', async () => {
  const taken = 'taken.there@example.com'
  const { agent, user_id } = await addDeveloper(live, 'moves@example.com')
  await enterTestMode(modes, agent)
  await agent.open('/dashboard/')
  const { there: browser, url } = await openEntry(modes, agent)
  await identity.setEmail(live.world.db, { user_id, email: taken, email_normalized: taken })
  const { db, clock, random } = there.world
  const begun = Promise.withResolvers<void>()
  const entering = begun.promise.then(() => browser.open(url))
  const id = mintId(random, 'usr')
  await db.tx(async (tx) => {
    const account = { id, email: taken, email_normalized: taken, created_via: 'checkout' } as const
    await identity.findOrAddUser(tx, clock.now(), account)
    begun.resolve()
    await untilBlocked(tx, db)
  })
  const { status, url: opened } = await entering
  assert.deepEqual([status, opened], [200, '/dashboard/'])
  assert.equal((await identity.findByEmail(db, taken))?.id, id)
  assert.equal((await identity.getUser(db, user_id)).email, 'moves@example.com')
})

test('a copy of an account is secured and deleted in live mode, where these pages lead', async () => {
  const { base_url } = live.world.config
  for (const page of ['security/', 'security/password', 'security/passkeys', 'profile/delete']) {
    const seen = await seller.open(`/account/${page}`)
    assert.match(textOf(seen.body), /Change this in live mode/, page)
    const path = page.startsWith('security/') ? 'security/' : page
    assert.ok(seen.body.includes(`href="${base_url}/account/${path}"`), page)
  }
  // Routes are found without the slash at their end, and with encoded characters.
  for (const page of ['security', '%73ecurity/password', 'profile/delete/', 'profile/%64elete']) {
    assert.match(textOf((await seller.open(`/account/${page}`)).body), /live mode/, page)
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
