import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import type { UserId } from '#platform/ids'
import {
  addApp,
  addPerson,
  authorizeApp,
  browser,
  discover,
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

const issuer = () => `${setup.world.config.base_url}/o`

test('the discovery document names what there is, under the service’s own address', async () => {
  const found = setup.app_side.serverMetadata()
  assert.equal(found.issuer, issuer())
  for (const [name, value] of Object.entries(found)) {
    if (!/_endpoint$|jwks_uri/.test(name)) continue
    assert.match(String(value), new RegExp(`^${issuer()}/`), name)
  }
  assert.deepEqual(found.scopes_supported, ['openid', 'entitlements'])
  assert.deepEqual(found.response_types_supported, ['code'])
  assert.deepEqual(found.response_modes_supported, ['query'])
  assert.deepEqual(found.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(found.subject_types_supported, ['pairwise'])
  assert.deepEqual(found.id_token_signing_alg_values_supported, ['RS256'])
  assert.deepEqual(found.token_endpoint_auth_methods_supported, [
    'client_secret_basic',
    'client_secret_post',
    'none',
  ])
  assert.equal(found.claims_parameter_supported, false)
  assert.equal(found.request_uri_parameter_supported, false)
  assert.equal(found.authorization_response_iss_parameter_supported, true)
  for (const absent of ['registration', 'introspection', 'device_authorization']) {
    assert.equal(found[`${absent}_endpoint`], undefined, absent)
  }
})

test('the document says the same where RFC 8414 looks for it, whatever host is asked for', async () => {
  const at = async (url: string, host = 'evil.example') =>
    (await setup.app.inject({ url, headers: { host, 'x-forwarded-host': host } })).json()
  const own = await at('/o/.well-known/openid-configuration')
  assert.equal(own.token_endpoint, `${issuer()}/token`)
  assert.deepEqual(await at('/.well-known/oauth-authorization-server/o'), own)
})

test('other features of the library cannot be reached', async () => {
  for (const path of ['reg', 'token/introspection', 'device', 'request']) {
    const answer = await setup.app.inject({ method: 'POST', url: `/o/${path}` })
    assert.equal(answer.statusCode, 404, path)
  }
  for (const path of ['SESSION/END', 'Auth', 'session/end/success', 'interaction']) {
    assert.equal((await setup.app.inject(`/o/${path}`)).statusCode, 404, path)
  }
})

test('a person signs in, agrees, and the app learns a private id and nothing else', async () => {
  const attempt = await startSignIn(setup.app_side, setup.callback, {
    scope: 'openid entitlements email profile address phone',
  })
  const { url } = await authorizeApp(await signInAs(setup, ada), attempt)
  const back = new URL(url)
  assert.equal(back.origin + back.pathname, setup.callback)
  assert.equal(back.searchParams.get('iss'), issuer())
  const tokens = await exchange(setup.app_side, attempt, url)
  assert.equal(tokens.scope, 'openid entitlements')
  assert.equal(tokens.expires_in, 3600)
  for (const opaque of [tokens.access_token, tokens.refresh_token!]) {
    assert.match(opaque, /^[\w-]{43}$/)
  }
  const claims = tokens.claims()!
  const names = ['aud', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub']
  assert.deepEqual(Object.keys(claims).sort(), names)
  assert.equal(claims.exp - claims.iat, 3600)
  const known = await client.fetchUserInfo(setup.app_side, tokens.access_token, claims.sub)
  assert.deepEqual(known, { sub: claims.sub })
  assert.ok(!claims.sub.includes(ada.user_id))
  assert.ok(!JSON.stringify(claims).includes('ada'))
})

test('oauth4webapi drives the same flow and finds the signature of the ID token good', async () => {
  const server = setup.app_side.serverMetadata() as oauth.AuthorizationServer
  const { client_id, client_secret } = setup.demo.app
  const app = { client_id }
  const insecure = { [oauth.allowInsecureRequests]: true }
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(agent, attempt)
  const parameters = oauth.validateAuthResponse(server, app, new URL(url), attempt.state)
  const authentication = oauth.ClientSecretBasic(client_secret)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    app,
    authentication,
    parameters,
    setup.callback,
    attempt.verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, app, answer, {
    expectedNonce: attempt.nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, answer, insecure)
  const known = await oauth.userInfoRequest(server, app, tokens.access_token, insecure)
  assert.ok(await oauth.processUserInfoResponse(server, app, oauth.skipSubjectCheck, known))
})

test('a request that names no scope gets what apps get by default', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  for (const change of [(url: URL) => url.searchParams.delete('scope'), emptyScope]) {
    const attempt = await startSignIn(setup.app_side, setup.callback)
    change(attempt.url)
    const { url } = await authorizeApp(agent, attempt)
    const tokens = await exchange(setup.app_side, attempt, url)
    assert.equal(tokens.scope, 'openid entitlements')
  }
})

test('a request that names unknown scopes only is one that names none', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  for (const scope of ['profile email', 'calendar']) {
    const attempt = await startSignIn(setup.app_side, setup.callback, { scope })
    const { url } = await authorizeApp(agent, attempt)
    assert.equal((await exchange(setup.app_side, attempt, url)).scope, 'openid entitlements')
  }
})

test('a malformed scope and a repeated one are refused', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  for (const [scopes, error] of [
    [['"calendar"'], 'invalid_scope'],
    [['openid', 'entitlements'], 'invalid_request'],
  ] as const) {
    const { url } = await startSignIn(setup.app_side, setup.callback)
    url.searchParams.delete('scope')
    for (const scope of scopes) url.searchParams.append('scope', scope)
    const answer = new URL((await agent.open(url.href)).url)
    assert.equal(answer.searchParams.get('error'), error)
  }
})

function emptyScope(url: URL): void {
  url.searchParams.set('scope', '')
}

test('two apps see different private ids, and one app the same from every browser', async () => {
  const redirect_uri = 'https://driftwood.example/callback'
  const other = await addApp(setup, { redirect_uris: [redirect_uri] })
  const other_side = await discover(setup, other)
  const agent = await signInAs(setup, ada)
  const here = (await signInToApp(setup, agent)).claims()!.sub
  assert.equal((await signInToApp(setup, await signInAs(setup, ada))).claims()!.sub, here)
  const attempt = await startSignIn(other_side, redirect_uri)
  const { url } = await authorizeApp(agent, attempt)
  const there = (await exchange(other_side, attempt, url)).claims()!
  assert.notEqual(there.sub, here)
  assert.equal(there.aud, other.client_id)
})

test('an app may return to several hosts, and has one private id for a person on all of them', async () => {
  const uris = ['https://driftwood.example/cb', 'https://eu.driftwood.example/cb', setup.callback]
  const app = await addApp(setup, { redirect_uris: uris })
  const side = await discover(setup, app)
  const agent = await signInAs(setup, ada)
  const subs = new Set<string>()
  for (const uri of uris) {
    const attempt = await startSignIn(side, uri)
    const { url } = await authorizeApp(agent, attempt)
    assert.ok(url.startsWith(`${uri}?`))
    subs.add((await exchange(side, attempt, url)).claims()!.sub)
  }
  assert.equal(subs.size, 1)
})

test('a client without a redirect URI is refused until one is set', async () => {
  const app = await addApp(setup, { redirect_uris: [] })
  const side = await discover(setup, app)
  const attempt = await startSignIn(side, setup.callback)
  const refused = await browser(setup).open(attempt.url.href)
  assert.equal(refused.status, 400)
  await setup.world.db.raw('update clients set redirect_uris = $1 where client_id = $2', [
    [setup.callback],
    app.client_id,
  ])
  assert.match((await browser(setup).open(attempt.url.href)).url, /^\/signin\//)
})

test('F43: prompt=select_account asks which account, and takes the one that is chosen', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  const attempt = await startSignIn(setup.app_side, setup.callback, { prompt: 'select_account' })
  const page = await agent.open(attempt.url.href)
  assert.match(page.body, /Choose an account/)
  const { url } = await agent.submit('Continue as ada@example.org')
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
  const again = await startSignIn(setup.app_side, setup.callback, { prompt: 'select_account' })
  await agent.open(again.url.href)
  assert.match((await agent.press('Use another account')).url, /^\/signin\//)
})

test('F38: the default request of Auth.js and Auth0 gets the plan too, and no other request does', async () => {
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  for (const [scope, given] of [
    ['openid email profile', 'openid entitlements'],
    ['openid profile', 'openid entitlements'],
    ['openid profile email offline_access', 'openid entitlements'],
    ['openid', 'openid'],
    ['openid offline_access', 'openid'],
    ['openid offline_access calendar', 'openid'],
  ] as const) {
    const attempt = await startSignIn(setup.app_side, setup.callback, { scope })
    const { url } = await authorizeApp(agent, attempt)
    assert.equal((await exchange(setup.app_side, attempt, url)).scope, given)
  }
})
