import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import { textOf } from '../support/agent.ts'
import {
  type AgentSignInTest,
  CALLBACK,
  connect,
  openAgentSignInTest,
  startAuthorization,
} from '../support/agent-client.ts'
import { requestToken } from '../support/agent-token.ts'
import { purchase } from '../support/purchase.ts'
import {
  addPerson,
  authorizeApp,
  browser,
  exchange,
  parametersOf,
  type SignInTest,
  signInAs,
  signInHere,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest
let side: client.Configuration
let seller: AgentSignInTest['seller']
let audience: string
let bearer: AgentSignInTest['bearer']
let refresh: AgentSignInTest['refresh']
before(async () => {
  ;({ setup, side, seller, audience, bearer, refresh } = await openAgentSignInTest())
})
after(async () => {
  await setup.close()
})

const ALL = grants.AGENT_SCOPES.join(' ')
const READ = 'integrations.read listing.read'
const INVALID_GRANT = { error: 'invalid_grant' }

test('both discovery documents say that a client without a secret may come, and offer no registration', async () => {
  for (const path of ['/o/.well-known/openid-configuration', RFC_8414]) {
    const found = (await setup.app.inject(path)).json()
    assert.ok(found.token_endpoint_auth_methods_supported.includes('none'))
    assert.deepEqual(found.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(found.grant_types_supported, ['authorization_code', 'refresh_token'])
    assert.equal(found.registration_endpoint, undefined)
  }
})

const RFC_8414 = '/.well-known/oauth-authorization-server/o'

test('an agent gets an opaque token of an hour for the agent endpoint, and no private id', async () => {
  const tokens = await connect(side, await signInAs(setup, seller))
  assert.equal(tokens.token_type, 'bearer')
  assert.equal(tokens.expires_in, 3600)
  assert.equal(tokens.scope, ALL)
  assert.equal(tokens.id_token, undefined)
  for (const opaque of [tokens.access_token, tokens.refresh_token!]) {
    assert.match(opaque, /^[\w-]{43}$/)
  }
  const found = (await bearer(tokens.access_token))!
  assert.equal(found.user_id, seller.user_id)
  assert.equal(found.client_id, 'purser-agent')
  assert.deepEqual(found.scopes, [...grants.AGENT_SCOPES])
  assert.equal(found.expires_at.getTime(), setup.clock.now().getTime() + 3600_000)
  setup.clock.pass(3600)
  assert.equal(await bearer(tokens.access_token), undefined)
})

test('without a proof key nothing is given, nor with a plain one, nor with another verifier', async () => {
  const agent = await signInAs(setup, seller)
  const challenge = { code_challenge: undefined, code_challenge_method: undefined }
  for (const changes of [challenge, { code_challenge_method: 'plain' }]) {
    const { url } = await startAuthorization(side, changes)
    const back = await agent.open(url.href)
    assert.equal(parametersOf(back.url).error, 'invalid_request')
  }
  const attempt = await startAuthorization(side)
  await agent.open(attempt.url.href)
  const { url } = await agent.submit('Allow')
  const verifier = client.randomPKCECodeVerifier()
  await assert.rejects(exchange(side, { ...attempt, verifier }, url), INVALID_GRANT)
})

test('refuses an agent that sends a secret, and an app that sends none', async () => {
  const fields = { grant_type: 'refresh_token', refresh_token: 'x' }
  const client_id = grants.AGENT_CLIENT
  const none = await requestToken(setup, { ...fields, client_id })
  assert.deepEqual([none.status, none.error], [400, 'invalid_grant'])
  const post = await requestToken(setup, { ...fields, client_id, client_secret: 'secret' })
  assert.deepEqual([post.status, post.error], [401, 'invalid_client'])
  const authorization = `Basic ${Buffer.from(`${client_id}:secret`).toString('base64')}`
  const basic = await requestToken(setup, fields, { authorization })
  assert.deepEqual([basic.status, basic.error], [401, 'invalid_client'])

  // A code of an app is useless without the app's secret, and is not used up by trying it.
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(await signInAs(setup, seller), attempt)
  const app = {
    grant_type: 'authorization_code',
    code: parametersOf(url).code!,
    code_verifier: attempt.verifier,
    redirect_uri: setup.callback,
  }
  const bare = await requestToken(setup, { ...app, client_id: setup.demo.app.client_id })
  assert.deepEqual([bare.status, bare.error], [401, 'invalid_client'])
  const stolen = await requestToken(setup, { ...app, client_id })
  assert.deepEqual([stolen.status, stolen.error], [400, 'invalid_grant'])
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
})

test('the agent endpoint may be named as the resource or left out; anything else is invalid_target', async () => {
  const agent = await signInAs(setup, seller)
  const named = await connect(side, agent, { changes: { resource: audience } })
  assert.ok(await bearer(named.access_token))
  const { base_url } = setup.world.config
  for (const resource of [base_url, `${base_url}/`, `${audience}/`, 'https://evil.example/mcp']) {
    const attempt = await startAuthorization(side, { resource })
    const { url } = await agent.open(attempt.url.href)
    assert.equal(parametersOf(url).error, 'invalid_target', resource)
  }
  const fields = { client_id: grants.AGENT_CLIENT, grant_type: 'refresh_token' }
  const { refresh_token = '' } = named
  const other = { ...fields, refresh_token, resource: base_url }
  assert.equal((await requestToken(setup, other)).error, 'invalid_target')
})

test('grants read by default, read with write, and ignores unknown scopes', async () => {
  const agent = await signInAs(setup, seller)
  const cases: [requested: string | undefined, got: string][] = [
    [undefined, READ],
    ['', READ],
    ['openid entitlements offline_access', READ],
    ['listing.read', 'listing.read'],
    ['listing.write', 'listing.read listing.write'],
    [
      'integrations.write listing.read openid admin',
      'integrations.read integrations.write listing.read',
    ],
    [ALL, ALL],
  ]
  for (const [scope, got] of cases) {
    const writing = got.split(' ').filter((each) => each.endsWith('.write'))
    const checked = Object.fromEntries(writing.map((each) => [each, 'yes']))
    const tokens = await connect(side, agent, { changes: { scope }, checked })
    assert.equal(tokens.scope, got, scope)
    assert.deepEqual((await bearer(tokens.access_token))?.scopes, got.split(' '))
  }
})

test('an unchecked scope is not granted, at first or on refresh', async () => {
  const agent = await signInAs(setup, seller)
  const checked = { 'listing.write': 'yes' }
  const tokens = await connect(side, agent, { checked })
  const got = 'integrations.read listing.read listing.write'
  assert.equal(tokens.scope, got)
  assert.equal((await refresh(tokens.refresh_token)).scope, got)
  const none = await connect(side, agent, { checked: {} })
  assert.equal(none.scope, READ)
  const more = client.refreshTokenGrant(side, none.refresh_token!, { scope: ALL })
  await assert.rejects(more, { error: 'invalid_scope' })
  // Reading has no box.
  const forged = { 'integrations.read': 'yes', openid: 'yes' }
  const changes = { scope: 'listing.read' }
  assert.equal((await connect(side, agent, { changes, checked: forged })).scope, 'listing.read')
})

test('grants changes that the agent did not request where the person checks them, on refresh too', async () => {
  const agent = await signInAs(setup, seller)
  const attempt = await startAuthorization(side, { scope: READ })
  const page = await agent.open(attempt.url.href)
  assert.match(textOf(page.body), /Let an agent read your apps\? .* You can also allow it to/)
  assert.doesNotMatch(page.body, /<input[^>]* checked/)
  const { url } = await agent.submit('Allow', { 'listing.write': 'yes' })
  const tokens = await exchange(side, attempt, url)
  const got = 'integrations.read listing.read listing.write'
  assert.equal(tokens.scope, got)
  assert.deepEqual((await bearer(tokens.access_token))?.scopes, got.split(' '))
  const next = await refresh(tokens.refresh_token)
  assert.equal(next.scope, got)
  assert.deepEqual((await bearer(next.access_token))?.scopes, got.split(' '))
  // Write access includes read access of its family, requested or not.
  const changes = { scope: 'listing.read' }
  assert.equal((await connect(side, agent, { changes })).scope, ALL)
})

test('the consent page names the agent as far as it is known, the scopes and the redirect address', async () => {
  const agent = browser(setup)
  const attempt = await startAuthorization(side)
  await agent.open(attempt.url.href)
  const page = await signInHere(agent, setup.demo.seller)
  const pageText = textOf(page.body)
  assert.match(pageText, /Purser cannot verify which one/)
  assert.match(pageText, /all of your apps: Driftlog and Tidepool\./)
  assert.match(pageText, /Change listings, plans and prices/)
  assert.match(pageText, /rotate the client secret/)
  assert.match(pageText, new RegExp(setup.demo.seller.email.replaceAll('.', '\\.')))
  assert.match(pageText, /continue to 127\.0\.0\.1:33418/)
  assert.match(pageText, /Use another account/)
  const policy = String(page.headers['content-security-policy'])
  // F30: the answer leaves from a page of its own, which no policy for forms applies to.
  assert.match(policy, /form-action 'self';/)
})

test('a request that expired says to start again in the agent, which no page can lead back to', async () => {
  const agent = await signInAs(setup, seller)
  const { url } = await startAuthorization(side)
  const consent = await agent.open(url.href)
  setup.clock.pass(3600)
  const page = await agent.open(consent.url)
  assert.equal(page.status, 400)
  assert.match(textOf(page.body), /Start again in the app or agent that sent you here/)
  assert.doesNotMatch(textOf(page.body), /Go back to/)
})

test('the page is shown every time: in the same browser, for the same scopes, right after', async () => {
  const agent = await signInAs(setup, seller)
  for (let round = 0; round < 3; round++) {
    const attempt = await startAuthorization(side)
    const page = await agent.open(attempt.url.href)
    assert.match(page.url, /^\/o\/interaction\//)
    await agent.submit('Allow')
  }
  const silent = await startAuthorization(side, { prompt: 'none' })
  const { url } = await agent.open(silent.url.href)
  assert.equal(parametersOf(url).error, 'interaction_required')
})

test('returns access_denied and the state when the person cancels, and grants nothing', async () => {
  const person = await addPerson(setup, 'no-thanks@example.org')
  const agent = await signInAs(setup, person)
  const attempt = await startAuthorization(side)
  const page = await agent.open(attempt.url.href)
  assert.match(textOf(page.body), /no apps yet/)
  const { url } = await agent.submit('Cancel')
  assert.ok(url.startsWith(`${CALLBACK}?`))
  const { error, state, iss, code } = parametersOf(url)
  assert.deepEqual([error, state, code], ['access_denied', attempt.state, undefined])
  assert.equal(iss, side.serverMetadata().issuer)
  const { rows } = await setup.world.db.raw('select 1 from agent_grants where user_id = $1', [
    person.user_id,
  ])
  assert.deepEqual(rows, [])
})

test('an account from a checkout cannot allow an agent before its email is verified', async () => {
  const agent = browser(setup)
  await purchase(setup, agent, { email: 'checkout-only@example.org' })
  const attempt = await startAuthorization(side)
  assert.match((await agent.open(attempt.url.href)).url, /^\/signin\//)
})

// Decision 41
test('permission to change integrations needs an authentication within ten minutes', async () => {
  const person = await addPerson(setup, 'long-signed-in@example.com')
  const password = 'a walk along the shore'
  const password_hash = await identity.hashPassword(password)
  const { db } = setup.world
  await identity.setPassword(db, setup.clock.now(), { user_id: person.user_id, password_hash })
  const agent = await signInAs(setup, person)
  setup.clock.pass(601)
  const attempt = await startAuthorization(side)
  await agent.open(attempt.url.href)
  const asked = await agent.submit('Allow', { 'integrations.write': 'yes' })
  assert.match(asked.url, /^\/account\/confirm\?return_to=%2Fo%2Finteraction%2F/)
  assert.deepEqual(await grants.listAgents(db, setup.clock.now(), person.user_id), [])
  const consent = await agent.submit('Confirm', { password })
  assert.match(textOf(consent.body), /Let an agent manage your apps\?/)
  assert.match(consent.body, /name="integrations.write"[^>]* checked/)
  assert.doesNotMatch(consent.body, /name="listing.write"[^>]* checked/)
  const back = await agent.twin().submit('Allow', { 'integrations.write': 'yes' })
  const tokens = await exchange(side, attempt, back.url)
  assert.equal(tokens.scope, 'integrations.read integrations.write listing.read')
})

test('permission to read, or to change listings, needs no authentication besides the session', async () => {
  const agent = await signInAs(setup, seller)
  setup.clock.pass(601)
  const attempt = await startAuthorization(side)
  await agent.open(attempt.url.href)
  const back = await agent.submit('Allow', { 'listing.write': 'yes' })
  const tokens = await exchange(side, attempt, back.url)
  assert.equal(tokens.scope, 'integrations.read listing.read listing.write')
})
