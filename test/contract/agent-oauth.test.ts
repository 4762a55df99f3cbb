import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import * as client from 'openid-client'
import * as grants from '#domain/grants'
import type { UserId } from '#platform/ids'
import { textOf } from '../support/agent.ts'
import { ask, CALLBACK, connect, discoverAsAgent, WRITE } from '../support/agent-client.ts'
import { purchase } from '../support/purchase.ts'
import {
  addPerson,
  begin,
  browser,
  enter,
  entitlementOf,
  exchange,
  goToApp,
  openSignInTest,
  type SignInTest,
  signInHere,
  signInToApp,
} from '../support/sign-in.ts'

let setup: SignInTest
let side: client.Configuration
let seller: { user_id: UserId; email: string }

before(async () => {
  setup = await openSignInTest()
  side = await discoverAsAgent(setup)
  seller = await addPerson(setup, setup.demo.seller.email)
})

after(async () => {
  await setup.close()
})

const audience = () => `${setup.world.config.base_url}/mcp`
const bearer = (token: string) =>
  grants.findBearer(setup.world.db, setup.clock.now(), { token, audience: audience() })
const refresh = (token: string | undefined) => client.refreshTokenGrant(side, token!)
const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams)
const ALL = grants.AGENT_SCOPES.join(' ')
const READ = 'integrations.read listing.read'
const INVALID_GRANT = { error: 'invalid_grant' }

async function tokenRequest(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await setup.app.inject({
    method: 'POST',
    url: '/o/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })
  return { status: answer.statusCode, ...answer.json() }
}

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
  const tokens = await connect(side, await enter(setup, seller))
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

const ALLOWED = [
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1:33418/',
  'http://127.0.0.1:33418',
  'http://127.0.0.1/oauth/callback',
  'http://127.0.0.1:19876/mcp/oauth/callback',
  'http://127.0.0.1:65535/callback/a1-b_2~c',
  'http://[::1]:8080/callback',
  'http://[::1]/',
  'http://localhost:45454/callback',
  'http://localhost:45454/oauth/callback',
  'http://localhost:45454',
]

const REFUSED = [
  'http://localhost:5555/callback',
  'http://localhost/callback',
  'http://localhost:454540/callback',
  'http://localhost:45454@evil.example/callback',
  'http://localhost.evil.example:45454/callback',
  'http://LOCALHOST:45454/callback',
  'https://localhost:45454/callback',
  'https://127.0.0.1:33418/callback',
  'http://127.0.0.1:0/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:33418@evil.example/',
  'http://user@127.0.0.1:33418/callback',
  'http://127.0.0.1.evil.example:33418/callback',
  'http://127.0.0.1:33418/callback?next=https://evil.example',
  'http://127.0.0.1:33418/callback#fragment',
  'http://127.0.0.1:33418\\@evil.example/callback',
  'http://127.0.0.1:33418/call\nback',
  ' http://127.0.0.1:33418/callback',
  'http://127.0.0.2:33418/callback',
  'http://127.1:33418/callback',
  'http://0x7f000001:33418/callback',
  'http://0.0.0.0:33418/callback',
  'http://[::ffff:127.0.0.1]:33418/callback',
  'http://[0:0:0:0:0:0:0:1]:33418/callback',
  'https://agent.example/callback',
  'cursor://agent/oauth/callback',
  'javascript:alert(1)',
  'urn:ietf:wg:oauth:2.0:oob',
  '//127.0.0.1:33418/callback',
]

test('an agent may wait at 127.0.0.1 and [::1] on any port and path, and gets its answer there', async () => {
  const agent = await enter(setup, seller)
  for (const redirect_uri of ALLOWED) {
    const attempt = await ask(side, { redirect_uri })
    const page = await agent.open(attempt.url.href)
    assert.match(
      textOf(page.body),
      new RegExp(`continue to ${hostIn(redirect_uri)} ,`),
      redirect_uri,
    )
    const { url } = await agent.submit('Allow')
    assert.ok(url.startsWith(new URL(redirect_uri).href), url)
    const { code, state } = parametersOf(url)
    assert.equal(state, attempt.state)
    const tokens = await tokenRequest({
      grant_type: 'authorization_code',
      client_id: grants.AGENT_CLIENT,
      code: code!,
      code_verifier: attempt.verifier,
      redirect_uri,
    })
    assert.equal(tokens.status, 200, redirect_uri)
  }
})

function hostIn(uri: string): string {
  return new URL(uri).host.replaceAll(/[[\].]/g, '\\$&')
}

test('refuses any other address before sign-in, and the page says what to do', async () => {
  for (const redirect_uri of REFUSED) {
    const { url } = await ask(side, { redirect_uri })
    const page = await browser(setup).open(url.href)
    assert.equal(page.status, 400, redirect_uri)
    assert.match(textOf(page.body), /localhost must use port 45454/)
  }
})

const MUTATIONS = 20_000
const PIECES = [
  ...[
    '@',
    ':',
    '/',
    '\\',
    '#',
    '?',
    '%',
    '.',
    '//',
    '/..',
    '%2f',
    '%00',
    '\t',
    '\n',
    ' ',
    '\u3002',
  ],
  ...['evil.example', '@evil.example', '.evil.example', 'localhost', '127.0.0.1', '0', '::', ']'],
]

test(`no address that is taken, of ${MUTATIONS} altered ones, leads off the person’s own computer`, () => {
  const pieces = fc.constantFrom(...PIECES)
  const altered = fc
    .tuple(fc.constantFrom(...ALLOWED), fc.nat(60), fc.nat(6), fc.oneof(pieces, fc.string()))
    .map(([uri, at, gone, piece]) => uri.slice(0, at) + piece + uri.slice(at + gone))
  let taken = 0
  const staysHome = (uri: string) => {
    if (!grants.isAgentCallback(uri)) return true
    taken++
    const { protocol, hostname, port, username, password, search, hash } = new URL(uri)
    const isHome = ['127.0.0.1', '[::1]'].includes(hostname)
    assert.ok(isHome || (hostname === 'localhost' && port === '45454'), uri)
    assert.deepEqual([protocol, username, password, search, hash], ['http:', '', '', '', ''], uri)
    return true
  }
  fc.assert(fc.property(altered, staysHome), { numRuns: MUTATIONS })
  assert.ok(taken > 0)
})

test('without a proof key nothing is given, nor with a plain one, nor with another verifier', async () => {
  const agent = await enter(setup, seller)
  const challenge = { code_challenge: undefined, code_challenge_method: undefined }
  for (const changes of [challenge, { code_challenge_method: 'plain' }]) {
    const { url } = await ask(side, changes)
    const back = await agent.open(url.href)
    assert.equal(parametersOf(back.url).error, 'invalid_request')
  }
  const attempt = await ask(side)
  await agent.open(attempt.url.href)
  const { url } = await agent.submit('Allow')
  const verifier = client.randomPKCECodeVerifier()
  await assert.rejects(exchange(side, { ...attempt, verifier }, url), INVALID_GRANT)
})

test('refuses an agent that sends a secret, and an app that sends none', async () => {
  const fields = { grant_type: 'refresh_token', refresh_token: 'x' }
  const client_id = grants.AGENT_CLIENT
  const none = await tokenRequest({ ...fields, client_id })
  assert.deepEqual([none.status, none.error], [400, 'invalid_grant'])
  const post = await tokenRequest({ ...fields, client_id, client_secret: 'secret' })
  assert.deepEqual([post.status, post.error], [401, 'invalid_client'])
  const authorization = `Basic ${Buffer.from(`${client_id}:secret`).toString('base64')}`
  const basic = await tokenRequest(fields, { authorization })
  assert.deepEqual([basic.status, basic.error], [401, 'invalid_client'])

  // A code of an app is useless without the app's secret, and is not used up by trying it.
  const attempt = await begin(setup.app_side, setup.callback)
  const { url } = await goToApp(await enter(setup, seller), attempt)
  const app = {
    grant_type: 'authorization_code',
    code: parametersOf(url).code!,
    code_verifier: attempt.verifier,
    redirect_uri: setup.callback,
  }
  const bare = await tokenRequest({ ...app, client_id: setup.demo.app.client_id })
  assert.deepEqual([bare.status, bare.error], [401, 'invalid_client'])
  const stolen = await tokenRequest({ ...app, client_id })
  assert.deepEqual([stolen.status, stolen.error], [400, 'invalid_grant'])
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
})

test('the agent endpoint may be named as the resource or left out; anything else is invalid_target', async () => {
  const agent = await enter(setup, seller)
  const named = await connect(side, agent, { changes: { resource: audience() } })
  assert.ok(await bearer(named.access_token))
  const { base_url } = setup.world.config
  for (const resource of [base_url, `${base_url}/`, `${audience()}/`, 'https://evil.example/mcp']) {
    const attempt = await ask(side, { resource })
    const { url } = await agent.open(attempt.url.href)
    assert.equal(parametersOf(url).error, 'invalid_target', resource)
  }
  const fields = { client_id: grants.AGENT_CLIENT, grant_type: 'refresh_token' }
  const { refresh_token = '' } = named
  const other = { ...fields, refresh_token, resource: base_url }
  assert.equal((await tokenRequest(other)).error, 'invalid_target')
})

test('an app never gets a token for the agent endpoint, whatever it asks for', async () => {
  const agent = await enter(setup, await addPerson(setup, 'wishes@example.org'))
  const attempt = await begin(setup.app_side, setup.callback, { resource: audience() })
  const { url } = await agent.open(attempt.url.href)
  assert.equal(parametersOf(url).error, 'invalid_target')
  const greedy = await begin(setup.app_side, setup.callback, { scope: `openid ${ALL}` })
  const back = await goToApp(agent, greedy)
  const tokens = await exchange(setup.app_side, greedy, back.url)
  assert.equal(tokens.scope, 'openid')
  assert.equal(await bearer(tokens.access_token), undefined)
  await assert.rejects(
    client.refreshTokenGrant(setup.app_side, tokens.refresh_token!, { resource: audience() }),
    { error: 'invalid_target' },
  )
})

test('a token of one kind is refused where the other is asked for', async () => {
  const agent = await enter(setup, seller)
  const mine = await connect(side, agent)
  const theirs = await signInToApp(setup, agent)
  assert.equal((await entitlementOf(setup, theirs.access_token)).statusCode, 200)
  assert.equal(await bearer(theirs.access_token), undefined)
  assert.equal((await entitlementOf(setup, mine.access_token)).statusCode, 401)
  await assert.rejects(client.fetchUserInfo(side, mine.access_token, client.skipSubjectCheck))
})

test('grants read by default, read with write, and ignores unknown scopes', async () => {
  const agent = await enter(setup, seller)
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
    const tokens = await connect(side, agent, { changes: { scope } })
    assert.equal(tokens.scope, got, scope)
    assert.deepEqual((await bearer(tokens.access_token))?.scopes, got.split(' '))
  }
})

test('an unchecked scope is not granted, at first or on refresh', async () => {
  const agent = await enter(setup, seller)
  const checked = { 'listing.write': 'yes' }
  const tokens = await connect(side, agent, { checked })
  const got = 'integrations.read listing.read listing.write'
  assert.equal(tokens.scope, got)
  assert.equal((await refresh(tokens.refresh_token)).scope, got)
  const none = await connect(side, agent, { checked: {} })
  assert.equal(none.scope, READ)
  const more = client.refreshTokenGrant(side, none.refresh_token!, { scope: ALL })
  await assert.rejects(more, { error: 'invalid_scope' })
  // A box that was not on the page cannot be checked.
  const changes = { scope: 'listing.read' }
  const forged = await connect(side, agent, { changes, checked: WRITE })
  assert.equal(forged.scope, 'listing.read')
})

test('the consent page names the agent as far as it is known, the scopes and the redirect address', async () => {
  const agent = browser(setup)
  const attempt = await ask(side)
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

test('the page is shown every time: in the same browser, for the same scopes, right after', async () => {
  const agent = await enter(setup, seller)
  for (let round = 0; round < 3; round++) {
    const attempt = await ask(side)
    const page = await agent.open(attempt.url.href)
    assert.match(page.url, /^\/o\/interaction\//)
    await agent.submit('Allow')
  }
  const silent = await ask(side, { prompt: 'none' })
  const { url } = await agent.open(silent.url.href)
  assert.equal(parametersOf(url).error, 'interaction_required')
})

test('returns access_denied and the state when the person cancels, and grants nothing', async () => {
  const person = await addPerson(setup, 'no-thanks@example.org')
  const agent = await enter(setup, person)
  const attempt = await ask(side)
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
  const attempt = await ask(side)
  assert.match((await agent.open(attempt.url.href)).url, /^\/signin\//)
})

// F31
test('a refresh token that comes back after 30 seconds ends this agent alone', async () => {
  const agent = await enter(setup, seller)
  const first = await connect(side, agent)
  const other = await connect(side, agent)
  const second = await refresh(first.refresh_token)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.ok(await bearer(second.access_token))
  setup.clock.pass(30)
  await assert.rejects(refresh(first.refresh_token), INVALID_GRANT)
  await assert.rejects(refresh(second.refresh_token), INVALID_GRANT)
  for (const { access_token } of [first, second]) {
    assert.equal(await bearer(access_token), undefined)
  }
  assert.ok(await bearer(other.access_token))
  assert.ok((await refresh(other.refresh_token)).access_token)
})

// F31
test('two windows of one agent that refresh at once both stay connected', async () => {
  const first = await connect(side, await enter(setup, seller))
  const windows = await Promise.all([1, 2].map(() => refresh(first.refresh_token)))
  setup.clock.pass(3600)
  for (const window of windows) {
    assert.ok(await bearer((await refresh(window.refresh_token)).access_token))
  }
})

test('a code that is used twice revokes its tokens', async () => {
  const agent = await enter(setup, seller)
  const attempt = await ask(side)
  await agent.open(attempt.url.href)
  const { url } = await agent.submit('Allow')
  const tokens = await exchange(side, attempt, url)
  await assert.rejects(exchange(side, attempt, url), INVALID_GRANT)
  assert.equal(await bearer(tokens.access_token), undefined)
  await assert.rejects(refresh(tokens.refresh_token), INVALID_GRANT)
})

test('locking an account revokes its agents', async () => {
  const lost = await addPerson(setup, 'lost-seller@example.org')
  const tokens = await connect(side, await enter(setup, lost))
  await setup.world.db.raw('update users set locked_at = $1 where id = $2', [
    setup.clock.now(),
    lost.user_id,
  ])
  assert.equal(await bearer(tokens.access_token), undefined)
  await assert.rejects(refresh(tokens.refresh_token), INVALID_GRANT)
})
