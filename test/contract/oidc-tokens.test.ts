import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import type { UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import {
  addApp,
  addPerson,
  authorizeApp,
  browser,
  discover,
  entitlementOf,
  exchange,
  openSignInTest,
  type SignInTest,
  signInAs,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest
let ada: { user_id: UserId }
before(async () => {
  setup = await openSignInTest()
  ada = await addPerson(setup, 'ada@example.org')
})
after(async () => {
  await setup.close()
})

const DAY = 86_400

test('client secrets are stored as digests alone, and both ways to show one are taken', async () => {
  const { client_id, client_secret } = setup.demo.app
  const { rows } = await setup.world.db.raw('select * from clients where client_id = $1', [
    client_id,
  ])
  const [row] = rows as { secret_hash: Buffer }[]
  assert.deepEqual(row!.secret_hash, sha256(client_secret))
  assert.ok(!JSON.stringify(rows).includes(client_secret))
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  for (const way of [client.ClientSecretBasic(), client.ClientSecretPost()]) {
    const side = await discover(setup, { client_id, client_secret }, way)
    const attempt = await startSignIn(side, setup.callback)
    const { url } = await authorizeApp(agent, attempt)
    assert.ok((await exchange(side, attempt, url)).access_token)
  }
})

test('a wrong secret, an unknown client and no secret at all are refused alike', async () => {
  const ask = async (client_id: string, client_secret?: string) =>
    await setup.app.inject({
      method: 'POST',
      url: '/o/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        client_id,
        ...(client_secret ? { client_secret } : {}),
        grant_type: 'refresh_token',
        refresh_token: 'x',
      }).toString(),
    })
  const { client_id } = setup.demo.app
  for (const answer of [
    await ask(client_id, 'wrong'),
    await ask('app_unknown', 'wrong'),
    await ask('no\0body', 'wrong'),
    await ask(client_id),
  ]) {
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.json().error, 'invalid_client')
  }
})

test('the database contains no usable secret', async () => {
  const agent = await signInAs(setup, ada)
  const attempt = await startSignIn(setup.app_side, setup.callback, { prompt: 'consent' })
  await authorizeApp(agent, attempt)
  const open = await startSignIn(setup.app_side, setup.callback, { prompt: 'consent' })
  const page = await agent.open(open.url.href)
  const tokens = await signInToApp(setup, agent)
  const { rows } = await setup.world.db.raw(`select row_to_json(r)::text as text,
    encode(id, 'escape') as id from oidc_records r`)
  const stored = JSON.stringify(rows)
  const uid = page.url.split('/').at(-1)!
  const cookies = [...agent.cookies].filter(([name]) => name.includes('sign-in'))
  assert.equal(cookies.length, 1)
  const secrets = [tokens.access_token, tokens.refresh_token!, uid, cookies[0]![1]]
  for (const secret of secrets) {
    assert.ok(secret.length >= 21)
    assert.ok(!stored.includes(secret))
  }
})

test('a code is good once, for 60 seconds, and its second use revokes what it gave', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(agent, attempt)
  const tokens = await exchange(setup.app_side, attempt, url)
  setup.clock.pass(30)
  await assert.rejects(exchange(setup.app_side, attempt, url), { error: 'invalid_grant' })
  assert.equal((await entitlementOf(setup, tokens.access_token)).statusCode, 401)
  await assert.rejects(client.refreshTokenGrant(setup.app_side, tokens.refresh_token!), {
    error: 'invalid_grant',
  })
  const late = await startSignIn(setup.app_side, setup.callback)
  const page = await authorizeApp(agent, late)
  setup.clock.pass(61)
  await assert.rejects(exchange(setup.app_side, late, page.url), { error: 'invalid_grant' })
})

test('of ten simultaneous exchanges of one code at most one succeeds, and its tokens are revoked', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(agent, attempt)
  const tries = Array.from({ length: 10 }, () => exchange(setup.app_side, attempt, url))
  const got = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled')
  assert.ok(got.length <= 1)
  for (const each of got as PromiseFulfilledResult<{ access_token: string }>[]) {
    assert.equal((await entitlementOf(setup, each.value.access_token)).statusCode, 401)
  }
})

test('another app cannot use a code, a verifier must fit, and the redirect URI must be the same', async () => {
  const other = await addApp(setup, { redirect_uris: [setup.callback] })
  const other_side = await discover(setup, other)
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(agent, attempt)
  const wrong = { error: 'invalid_grant' }
  await assert.rejects(exchange(other_side, attempt, url), wrong)
  const guessed = { ...attempt, verifier: client.randomPKCECodeVerifier() }
  await assert.rejects(exchange(setup.app_side, guessed, url), wrong)
  const elsewhere = url.replace('/auth/callback', '/auth/callback/')
  await assert.rejects(exchange(setup.app_side, attempt, elsewhere), wrong)
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
})

test('a refresh token ends after 30 days without use, and its family after 180 with it', async () => {
  const idle = await signInToApp(setup, await signInAs(setup, ada))
  let { refresh_token } = await signInToApp(setup, await signInAs(setup, ada))
  const use = async () => {
    refresh_token = (await client.refreshTokenGrant(setup.app_side, refresh_token!)).refresh_token
  }
  for (let day = 29; day <= 174; day += 29) {
    setup.clock.pass(29 * DAY)
    await use()
  }
  setup.clock.pass(5 * DAY)
  await use()
  setup.clock.pass(DAY)
  await assert.rejects(use(), { error: 'invalid_grant' })
  await assert.rejects(client.refreshTokenGrant(setup.app_side, idle.refresh_token!), {
    error: 'invalid_grant',
  })
})

test('an access token ends after an hour, at userinfo and at the entitlement endpoint alike', async () => {
  const { access_token } = await signInToApp(setup, await signInAs(setup, ada))
  const userinfo = () => client.fetchUserInfo(setup.app_side, access_token, client.skipSubjectCheck)
  setup.clock.pass(3599)
  assert.ok(await userinfo())
  assert.equal((await entitlementOf(setup, access_token)).statusCode, 200)
  setup.clock.pass(1)
  await assert.rejects(userinfo)
  assert.equal((await entitlementOf(setup, access_token)).statusCode, 401)
})

test('a locked account keeps nothing: no token of it is good, and none is given', async () => {
  const lost = await addPerson(setup, 'lost@example.org')
  const agent = await signInAs(setup, lost)
  const tokens = await signInToApp(setup, agent)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const page = await authorizeApp(agent, attempt)
  await setup.world.db.raw('update users set locked_at = $1 where id = $2', [
    setup.clock.now(),
    lost.user_id,
  ])
  assert.equal((await entitlementOf(setup, tokens.access_token)).statusCode, 401)
  await assert.rejects(exchange(setup.app_side, attempt, page.url), { error: 'invalid_grant' })
  await assert.rejects(client.refreshTokenGrant(setup.app_side, tokens.refresh_token!), {
    error: 'invalid_grant',
  })
  const again = await startSignIn(setup.app_side, setup.callback)
  assert.match((await agent.open(again.url.href)).url, /^\/signin\//)
})

test('F43: an app revokes a refresh token, and with it the login alone', async () => {
  const agent = await signInAs(setup, ada)
  const one = await signInToApp(setup, agent)
  const other = await signInToApp(setup, agent)
  await client.tokenRevocation(setup.app_side, one.refresh_token!)
  assert.equal((await entitlementOf(setup, one.access_token)).statusCode, 401)
  await assert.rejects(client.refreshTokenGrant(setup.app_side, one.refresh_token!))
  assert.equal((await entitlementOf(setup, other.access_token)).statusCode, 200)
  // Another app cannot revoke this one's tokens.
  const other_app = await addApp(setup, { redirect_uris: [setup.callback] })
  await client.tokenRevocation(await discover(setup, other_app), other.refresh_token!)
  assert.ok((await client.refreshTokenGrant(setup.app_side, other.refresh_token!)).access_token)
})

test('F40: refresh goes on while an app has no redirect URI', async () => {
  const app = await addApp(setup, { redirect_uris: [setup.callback] })
  const side = await discover(setup, app)
  const attempt = await startSignIn(side, setup.callback)
  const { url } = await authorizeApp(await signInAs(setup, ada), attempt)
  const tokens = await exchange(side, attempt, url)
  await setup.world.db.raw(`update clients set redirect_uris = '{}' where client_id = $1`, [
    app.client_id,
  ])
  assert.ok((await client.refreshTokenGrant(side, tokens.refresh_token!)).access_token)
  const nowhere = await startSignIn(side, 'https://nowhere.invalid/')
  assert.equal((await browser(setup).open(nowhere.url.href)).status, 400)
})

test('F45: pages may exchange and refresh as an agent, and never as an app', async () => {
  const origin = 'http://127.0.0.1:6274'
  const ask = (client_id: string, client_secret?: string) =>
    setup.app.inject({
      method: 'POST',
      url: '/o/token',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        client_id,
        ...(client_secret ? { client_secret } : {}),
        grant_type: 'refresh_token',
        refresh_token: 'unknown',
      }).toString(),
    })
  const agents = await ask('purser-agent')
  assert.equal(agents.json().error, 'invalid_grant')
  assert.equal(agents.headers['access-control-allow-origin'], origin)
  assert.equal(agents.headers['access-control-allow-credentials'], undefined)
  const { client_id, client_secret } = setup.demo.app
  const apps = await ask(client_id, client_secret)
  assert.equal(apps.json().error, 'invalid_request')
  assert.equal(apps.headers['access-control-allow-origin'], undefined)
  const preflight = await setup.app.inject({
    method: 'OPTIONS',
    url: '/o/token',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  assert.equal(preflight.statusCode, 204)
  assert.equal(preflight.headers['access-control-allow-methods'], 'POST')
})

test('an OPTIONS request that is no preflight gets the methods of its endpoint', async () => {
  for (const [url, allow] of [
    ['/o/token', 'OPTIONS, POST'],
    ['/o/token/revocation', 'OPTIONS, POST'],
    ['/o/me', 'GET, HEAD, OPTIONS, POST'],
    ['/o/jwks', 'GET, HEAD, OPTIONS'],
    ['/o/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
  ] as const) {
    for (const headers of [{}, { origin: 'https://page.example' }]) {
      const answer = await setup.app.inject({ method: 'OPTIONS', url, headers })
      assert.deepEqual([answer.statusCode, answer.headers.allow], [204, allow], url)
      const refused = await setup.app.inject({ method: 'DELETE', url })
      assert.equal(refused.headers.allow, allow)
    }
  }
})
