import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import {
  changeEmail,
  changePassword,
  deleteAccount,
  endOtherSessions,
  type Owner,
  remakeRecoveryCodes,
  removeAuthenticator,
} from '#flows/account'
import { redeemLink, signIn, signInWithPasskey, signInWithPassword } from '#flows/sign-in'
import { deviceOf } from '#http/device'
import { mintId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import {
  addAuthenticator,
  addPasskey,
  auditedActionsOf,
  enterPassword,
  isSignedIn,
  newEmail,
  openOwner,
  PASSWORD,
  passkeyOptions,
  signUp,
} from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { countingRows } from '../support/counted-rows.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SECURITY = '/account/security/'
const TEN_MINUTES = 600

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

describe('the list of sessions', () => {
  const listed = (agent: Agent) => [...agent.page.body.matchAll(/id="record-(ses_\w+)"/g)].length

  test('shows the browser and the network, and never the full address', async () => {
    const { agent } = await signUp(service)
    await agent.open(SECURITY)
    assert.match(agent.text, /Unknown browser This browser Since March \d+, 2026/)
    const rows = await service.world.db.rows<{ network: string }>(sql`select network from sessions`)
    assert.ok(rows.every(({ network }) => /^(10\.\d+\.\d+|127\.0\.0)\.\*$/.test(network)))
  })

  test('ends one session, or all others, without re-authentication', async () => {
    const { email, agent } = await signUp(service)
    const others = [
      await enterPassword(service, email),
      await enterPassword(service, email),
      await enterPassword(service, email),
    ]
    service.clock.pass(TEN_MINUTES)
    await agent.open(SECURITY)
    assert.equal(listed(agent), 4)
    await agent.submit('End session')
    assert.equal(listed(agent), 3)
    assert.equal((await Promise.all(others.map(isSignedIn))).filter(Boolean).length, 2)
    await agent.submit('Sign out everywhere else')
    assert.equal(listed(agent), 1)
    assert.equal((await Promise.all(others.map(isSignedIn))).filter(Boolean).length, 0)
    assert.ok(await isSignedIn(agent))
    const actions = ['sign_up', 'session_ended', 'other_sessions_ended']
    assert.deepEqual(await auditedActionsOf(service, email), actions)
  })

  test('ends no session of another account', async () => {
    const [{ agent: thief }, { agent: victim }] = [await signUp(service), await signUp(service)]
    await enterPassword(service, (await signUp(service)).email)
    await victim.open(SECURITY)
    const session = /id="record-(ses_\w+)"/.exec(victim.page.body)![1]!
    await thief.open(SECURITY)
    const { csrf_token = '' } = thief.form('Sign out here')
    await service.app.inject({
      method: 'POST',
      url: `${SECURITY}sessions/end`,
      headers: {
        cookie: thief.cookie,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ session, csrf_token }).toString(),
    })
    assert.ok(await isSignedIn(victim))
  })

  test('names a browser by its family and system', () => {
    const AGENTS: [agent: string | undefined, browser: string][] = [
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) … Chrome/156.0 Safari/537.36',
        'Chrome on Windows',
      ],
      ['Mozilla/5.0 (Windows NT 10.0) … Chrome/156.0 Safari/537.36 Edg/156.0', 'Edge on Windows'],
      [
        'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
        'Firefox on Linux',
      ],
      ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) … Version/26.0 Safari/605', 'Safari on Mac'],
      ['Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) … Safari/604.1', 'Safari on iPhone'],
      ['Mozilla/5.0 (Linux; Android 16) … Chrome/156.0 Mobile Safari', 'Chrome on Android'],
      ['curl/8.14', 'Unknown browser'],
      [undefined, 'Unknown browser'],
    ]
    for (const [agent, browser] of AGENTS) {
      const request = { headers: { 'user-agent': agent }, ip: '203.0.113.9' } as FastifyRequest
      assert.deepEqual(deviceOf(request), { browser, network: '203.0.113.*' })
    }
  })

  test('records when a browser was last seen', async () => {
    const { email, agent } = await signUp(service)
    const other = await enterPassword(service, email)
    service.clock.pass(2 * 86_400)
    await agent.open(SECURITY)
    assert.match(agent.text, /Last seen on March \d+, 2026.*Last seen on March \d+, 2026/)
    const seen = [...agent.text.matchAll(/Last seen on (\w+ \d+)/g)].map(([, day]) => day)
    assert.notEqual(seen[0], seen[1])
    assert.ok(await isSignedIn(other))
  })
})

describe('a sign-in that is under way', () => {
  const from = {
    device: { browser: 'A test', network: '127.0.0.*' },
    origin: { address: '127.0.0.1', agent: '', request_id: 'req_test' },
  }

  /** Proves a password up to the point at which the session would be opened. */
  async function provenBy(email: string) {
    const claim = { email_normalized: email, origin: from.origin, known: undefined }
    const signedIn = await signInWithPassword(service.world, { ...claim, password: PASSWORD })
    assert.equal(signedIn.outcome, 'signed_in')
    const { outcome: _, ...proven } = signedIn
    const rest = { app_id: null, return_to: undefined, is_complete: false } as const
    return { ...proven, ...rest, by: 'password' } as const
  }

  test('with a password ends when its owner changes it or the account is locked', async () => {
    const { world } = service
    const { email, agent } = await signUp(service)
    const proven = await provenBy(email)
    await agent.open(`${SECURITY}password`)
    await agent.submit('Save password', { password: 'another walk along the shore' })
    assert.deepEqual(await signIn(world, proven, from), { kind: 'gone' })
    const other = await provenBy((await signUp(service)).email)
    await identity.lockUser(world.db, service.clock.now(), other.user_id)
    assert.deepEqual(await signIn(world, other, from), { kind: 'gone' })
  })

  test('with an email link ends when the account gets another email', async () => {
    const { world } = service
    const { email } = await signUp(service)
    const { id: user_id } = (await identity.findByEmail(world.db, email))!
    const token = mintId(world.random, 'ses')
    const purpose = 'sign_in' as const
    await identity.addLink(world.db, service.clock.now(), { token, user_id, purpose })
    const link = await redeemLink(world, token, { purpose }, from.origin)
    const { email_normalized } = link!
    const rest = { app_id: null, return_to: undefined, is_complete: false } as const
    const proven = { user_id, email_normalized, ...rest, by: 'mail_link' } as const
    await identity.setEmail(world.db, { user_id, ...identity.readEmail(newEmail())! })
    assert.deepEqual(await signIn(world, proven, from), { kind: 'gone' })
  })

  test('with a passkey ends when its owner removes that passkey', async () => {
    const { world } = service
    const { agent } = await signUp(service)
    const passkey = await addPasskey(service, agent)
    const thief = buyer(service)
    await thief.open('/signin/')
    const options = await passkeyOptions(service, thief, 'Use a passkey')
    const text = passkey.get(options, { origin: world.config.base_url })
    const browser_hash = sha256(thief.cookies.get('__Host-browser')!)
    const { origin } = from
    const signedIn = await signInWithPasskey(world, { text, browser_hash, origin })
    assert.ok(signedIn.outcome === 'signed_in')
    await agent.open(SECURITY)
    await agent.submit('Remove')
    const { outcome: _, ...proven } = signedIn
    const rest = { app_id: null, return_to: undefined, is_complete: true, by: 'passkey' } as const
    assert.deepEqual(await signIn(world, { ...proven, ...rest }, from), { kind: 'gone' })
  })

  test('requires a second factor that is added during the sign-in', async () => {
    const { world } = service
    const { email } = await signUp(service)
    const proven = await provenBy(email)
    const { user_id } = proven
    const id = mintId(world.random, 'psk')
    const key = { credential_id: id, public_key: Buffer.alloc(1), counter: 0, transports: [] }
    const [added, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const adding = world.db.tx(async (tx) => {
      await identity.addPasskey(tx, service.clock.now(), { ...key, id, user_id, name: 'A test' })
      await identity.endOtherSessions(tx, { user_id, session_id: mintId(world.random, 'ses') })
      added.resolve()
      await ready.promise
    })
    await added.promise
    const entered = signIn(world, proven, from)
    // Long enough for it to open a session, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 200))
    ready.resolve()
    await adding
    assert.equal((await entered).kind, 'pending')
  })
})

describe('a change in a session that was ended after the request was authorized', () => {
  /** An account with an authenticator app, the session of a thief in it, and its owner's browser. */
  async function robbed() {
    const { world } = service
    const { email, agent } = await signUp(service)
    await addAuthenticator(service, agent)
    const { id: user_id } = (await identity.findByEmail(world.db, email))!
    const thief = await openOwner(service, { user_id, email })
    return { agent, thief }
  }

  const stateOf = async ({ thief: { user_id } }: { thief: Owner }) =>
    await service.world.db.rows(sql`select u.password_hash, u.email,
        (select count(*) from email_changes c where c.user_id = u.id) as changes,
        (select count(*) from authenticator_apps a where a.user_id = u.id) as apps,
        (select string_agg(encode(code_hash, 'hex'), ',' order by code_hash)
          from recovery_codes r where r.user_id = u.id) as codes,
        (select count(*) from sessions s where s.user_id = u.id) as sessions
      from users u where u.id = ${user_id}`)

  const CHANGES: Record<string, (thief: Owner) => Promise<unknown>> = {
    password: (thief) => changePassword(service.world, thief, 'a thief along the shore'),
    email: (thief) => changeEmail(service.world, thief, identity.readEmail('thief@example.com')!),
    authenticator: (thief) => removeAuthenticator(service.world, thief),
    recovery_codes: (thief) => remakeRecoveryCodes(service.world, thief),
    sessions: (thief) => endOtherSessions(service.world, thief),
    deletion: (thief) => deleteAccount(service.world, thief),
  }

  for (const [name, change] of Object.entries(CHANGES)) {
    // Threat 50
    test(`does not happen: ${name}`, async () => {
      const account = await robbed()
      await account.agent.open(SECURITY)
      await account.agent.submit('Sign out everywhere else')
      const before = await stateOf(account)
      await assert.rejects(change(account.thief), { code: 'signed_out' })
      assert.deepEqual(await stateOf(account), before)
      assert.ok(await isSignedIn(account.agent))
    })
  }
})

describe('a change of email that waits for its confirmation', () => {
  const WAYS: Record<string, (agent: Agent) => Promise<unknown>> = {
    'Save password': async (agent) => {
      await agent.open(`${SECURITY}password`)
      await agent.submit('Save password', { password: 'another walk along the shore' })
    },
    'Sign out everywhere else': async (agent) => {
      await agent.open(SECURITY)
      await agent.submit('Sign out everywhere else')
    },
    'End session': async (agent) => {
      await agent.open(SECURITY)
      await agent.submit('End session')
    },
    'an authenticator app': (agent) => addAuthenticator(service, agent),
  }

  /** Requests the change in a browser, and returns the link that its new mailbox gets. */
  async function linkOf(agent: Agent): Promise<string> {
    const email = newEmail()
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email })
    return linkIn(await emailTo(service, email, /^Confirm your new/), 'change_email')
  }

  // Threat 50
  for (const [way, act] of Object.entries(WAYS)) {
    test(`ends with the session in which it was requested: ${way}`, async () => {
      const { agent, email } = await signUp(service)
      const link = await linkOf(await enterPassword(service, email))
      await act(agent)
      assert.equal((await agent.tab().open(link)).status, 404)
      await agent.open(SECURITY)
      assert.doesNotMatch(agent.text, /Waiting for confirmation/)
    })
  }

  test('stays if this session requested it, whatever other session ends', async () => {
    const { agent, email } = await signUp(service)
    const link = await linkOf(agent)
    for (const act of Object.values(WAYS)) {
      await enterPassword(service, email)
      await enterPassword(service, email, 'another walk along the shore')
      await act(agent)
    }
    await agent.open(link)
    await agent.submit('Change my email')
    assert.match(agent.text, /Email changed/)
  })
})

test('deletes a backlog of expired links in batches', async () => {
  const { db } = service.world
  const now = service.clock.now()
  await db.run(sql`insert into account_links
      (token_hash, about, purpose, created_at, expires_at)
    select sha256(n::text::bytea), 'a sign-up', 'sign_up', ${now}, ${now}
    from generate_series(1, 2500) n`)
  const { db: counting, counts } = countingRows(db)
  await identity.deleteExpired(counting, now, service.world.stopping)
  assert.ok(Math.max(...counts) <= 1000, counts.join())
  assert.deepEqual(await db.rows(sql`select 1 from account_links where expires_at <= ${now}`), [])
})

test('deletes expired sessions, links and sign-ups', async () => {
  const { db } = service.world
  const { agent } = await signUp(service)
  await agent.open(`${SECURITY}passkeys`)
  const kept = await enterPassword(service, (await signUp(service)).email)
  service.clock.pass(20 * 86_400)
  await kept.open(SECURITY)
  const late = await signUp(service)
  await identity.deleteExpired(db, service.clock.now(), service.world.stopping)
  const counts = async () =>
    await db.one<Record<string, number>>(sql`select
      (select count(*) from sign_ups) as sign_ups,
      (select count(*) from account_links) as links,
      (select count(*) from pending_sign_ins) as pending,
      (select count(*) from passkey_challenges) as challenges`)
  assert.deepEqual(await counts(), { sign_ups: 1, links: 1, pending: 0, challenges: 0 })
  assert.ok(await isSignedIn(late.agent))
  service.clock.pass(31 * 86_400)
  await identity.deleteExpired(db, service.clock.now(), service.world.stopping)
  assert.deepEqual(await db.rows(sql`select id from sessions`), [])
})
