/**
 * The applicable modules of the OpenID certification plans, each as a row: the app's request, the
 * signed-in person, and the result. Basic OP first, then RP-initiated logout.
 */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type * as client from 'openid-client'
import type { UserId } from '#platform/ids'
import type { Agent, Seen } from '../support/agent.ts'
import {
  type Attempt,
  addPerson,
  browser,
  exchange,
  openSignInTest,
  returnPathOf,
  type SignInTest,
  signInAs,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest
let ada: { user_id: UserId; email: string }
/** A browser in which Ada is signed in to the service and to the app. */
let agent: Agent
let first: Awaited<ReturnType<typeof signInToApp>>
let signed_in_at: number

before(async () => {
  setup = await openSignInTest()
  ada = await addPerson(setup, 'ada@example.org')
  agent = await signInAs(setup, ada)
  signed_in_at = Math.floor(setup.clock.now().getTime() / 1000)
  first = await signInToApp(setup, agent)
})

after(async () => {
  await setup.close()
})

/** Sends the app's request with changes: an absent value removes the parameter. */
async function ask(
  who: Agent,
  changes: Record<string, string | undefined> = {},
): Promise<{ attempt: Attempt; page: Seen }> {
  const attempt = await startSignIn(setup.app_side, setup.callback)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) attempt.url.searchParams.delete(name)
    else attempt.url.searchParams.set(name, value)
  }
  return { attempt, page: await who.open(attempt.url.href) }
}

async function gives(
  { attempt, page }: { attempt: Attempt; page: Seen },
  checks: client.AuthorizationCodeGrantChecks = {},
) {
  return await exchange(setup.app_side, attempt, page.url, checks)
}

/** The error that the app receives at its callback. */
function errorAt(page: Seen): string | null {
  assert.ok(page.url.startsWith(`${setup.callback}?`), page.url)
  const { searchParams } = new URL(page.url)
  assert.equal(searchParams.get('code'), null)
  return searchParams.get('error')
}

const unsigned = (claims: object) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.`
}

const WITHOUT_EFFECT: Record<string, Record<string, string | undefined>> = {
  'oidcc-server': {},
  'oidcc-ensure-request-with-valid-pkce-succeeds': {},
  'oidcc-ensure-other-scope-order-succeeds': { scope: 'email entitlements openid' },
  'oidcc-scope-all': { scope: 'openid profile email address phone entitlements' },
  'oidcc-display-page': { display: 'page' },
  'oidcc-display-popup': { display: 'popup' },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': { extra: 'foobar' },
  'oidcc-ui-locales': { ui_locales: 'se' },
  'oidcc-claims-locales': { claims_locales: 'se' },
  'oidcc-login-hint': { login_hint: 'buffy@example.com' },
  'oidcc-ensure-request-with-acr-values-succeeds': { acr_values: '1 2' },
  'oidcc-claims-essential': { claims: '{"userinfo":{"email":{"essential":true}}}' },
  'oidcc-prompt-none-logged-in': { prompt: 'none' },
  'oidcc-max-age-10000 (without a question)': { max_age: '10000' },
}

for (const [module, changes] of Object.entries(WITHOUT_EFFECT)) {
  test(`${module}: a person who agreed before is signed in without a question`, async () => {
    const tokens = await gives(await ask(agent, changes))
    assert.equal(tokens.claims()!.sub, first.claims()!.sub)
    assert.deepEqual(tokens.scope?.split(' ').sort(), ['entitlements', 'openid'])
    assert.equal(tokens.claims()!.email, undefined)
  })
}

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: it is not asked for', async () => {
  const { attempt, page } = await ask(agent, { nonce: undefined })
  const { nonce: _, ...without } = attempt
  const tokens = await exchange(setup.app_side, without, page.url)
  assert.equal(tokens.claims()!.nonce, undefined)
})

const REFUSED: Record<string, [Record<string, string | undefined>, string]> = {
  'oidcc-response-type-missing': [{ response_type: undefined }, 'invalid_request'],
  'no implicit flow': [{ response_type: 'id_token' }, 'unsupported_response_type'],
  'no token in the front channel': [{ response_type: 'token' }, 'unsupported_response_type'],
  'no hybrid flow': [{ response_type: 'code id_token' }, 'unsupported_response_type'],
  'no code in the fragment': [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
  'no code in a posted form': [{ response_mode: 'form_post' }, 'unsupported_response_mode'],
  'no request without PKCE': [
    { code_challenge: undefined, code_challenge_method: undefined },
    'invalid_request',
  ],
  'no plain PKCE': [{ code_challenge_method: 'plain' }, 'invalid_request'],
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': [
    { request: unsigned({ scope: 'openid' }) },
    'request_not_supported',
  ],
  'oidcc-ensure-request-object-with-redirect-uri': [
    { request: unsigned({ redirect_uri: 'https://evil.example/' }) },
    'request_not_supported',
  ],
  'no request_uri': [{ request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
  'no registration': [{ registration: '{}' }, 'registration_not_supported'],
  'no other prompt': [{ prompt: 'create' }, 'invalid_request'],
  'no prompt beside none': [{ prompt: 'none login' }, 'invalid_request'],
  'no negative max_age': [{ max_age: '-1' }, 'invalid_request'],
  'no forged id_token_hint': [{ id_token_hint: unsigned({ sub: 'x' }) }, 'invalid_request'],
}

for (const [module, [changes, error]] of Object.entries(REFUSED)) {
  test(`${module}: the app receives ${error}`, async () => {
    const { page, attempt } = await ask(agent, changes)
    const redirect_url = page.url.replace('#', '?')
    assert.equal(errorAt({ ...page, url: redirect_url }), error)
    const { searchParams } = new URL(redirect_url)
    assert.equal(searchParams.get('state'), attempt.state)
    assert.equal(searchParams.get('iss'), setup.app_side.serverMetadata().issuer)
  })
}

const NOWHERE: Record<string, Record<string, string | undefined>> = {
  'oidcc-ensure-registered-redirect-uri': { redirect_uri: 'https://evil.example/callback' },
  'no request without redirect_uri': { redirect_uri: undefined },
  'no unknown client': { client_id: 'app_unknown' },
  'no request without client': { client_id: undefined },
}

for (const [module, changes] of Object.entries(NOWHERE)) {
  test(`${module}: the person sees a page of ours and is sent nowhere`, async () => {
    const { page } = await ask(agent, changes)
    assert.equal(page.status, 400)
    assert.match(page.url, /^\/o\/auth\?/)
    assert.match(page.body, /Sign-in failed/)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    assert.doesNotMatch(page.body, /evil\.example/)
  })
}

test('oidcc-prompt-none-not-logged-in: the app receives login_required', async () => {
  const { page } = await ask(browser(setup), { prompt: 'none' })
  assert.equal(errorAt(page), 'login_required')
})

test('prompt none without consent: the app receives consent_required', async () => {
  const bob = await addPerson(setup, 'bob@example.org')
  const other = await signInAs(setup, bob)
  await ask(other)
  const { page } = await ask(other, { prompt: 'none' })
  assert.equal(errorAt(page), 'consent_required')
})

/** Signs in again: the page requires it, and so does opening the sign-in again without it. */
async function signInAgain(page: Seen): Promise<Seen> {
  assert.match(page.url, /^\/signin\/\?return_to=/)
  const back = returnPathOf(page.url)
  assert.match((await agent.open(back)).url, /^\/signin\//)
  setup.clock.pass(1)
  await signInAs(setup, ada, { agent })
  return await agent.open(back)
}

test('oidcc-prompt-login: a person who is there signs in again, and the ID token says when', async () => {
  setup.clock.pass(1)
  const { attempt, page } = await ask(agent, { prompt: 'login' })
  const back = await signInAgain(page)
  const tokens = await gives({ attempt, page: back })
  const { auth_time, sub } = tokens.claims()!
  assert.equal(auth_time, Math.floor(setup.clock.now().getTime() / 1000))
  assert.equal(sub, first.claims()!.sub)
  signed_in_at = auth_time
})

test('prompt consent: a person who agreed before is asked again', async () => {
  const { attempt, page } = await ask(agent, { prompt: 'consent' })
  assert.match(page.url, /^\/o\/interaction\//)
  assert.ok(await gives({ attempt, page: await agent.submit('Allow') }))
})

test('oidcc-max-age-10000: the ID token says when the person signed in, which was recent enough', async () => {
  setup.clock.pass(60)
  const tokens = await gives(await ask(agent, { max_age: '10000' }), { maxAge: 10_000 })
  assert.equal(tokens.claims()!.auth_time, signed_in_at)
})

test('oidcc-max-age-1: a sign-in of more than a second ago is not enough', async () => {
  setup.clock.pass(2)
  const { attempt, page } = await ask(agent, { max_age: '1' })
  const tokens = await gives({ attempt, page: await signInAgain(page) }, { maxAge: 1 })
  assert.equal(tokens.claims()!.auth_time, Math.floor(setup.clock.now().getTime() / 1000))
})

test('max_age of zero is the same as asking for a sign-in', async () => {
  setup.clock.pass(1)
  const { attempt, page } = await ask(agent, { max_age: '0' })
  assert.ok(await gives({ attempt, page: await signInAgain(page) }))
})

test('oidcc-id-token-hint: the person that the hint names is signed in', async () => {
  const id_token_hint = first.id_token!
  const tokens = await gives(await ask(agent, { prompt: 'none', id_token_hint }))
  assert.equal(tokens.claims()!.sub, first.claims()!.sub)
})

test('a person other than the hint’s is asked to sign in, and is never signed in instead', async () => {
  const eve = await signInAs(setup, await addPerson(setup, 'eve@example.org'))
  const id_token_hint = first.id_token!
  const none = await ask(eve, { prompt: 'none', id_token_hint })
  assert.equal(errorAt(none.page), 'login_required')
  const { page } = await ask(eve, { id_token_hint })
  assert.match(page.url, /^\/signin\//)
})

test('oidcc-ensure-post-request-succeeds: a request may come as a form', async () => {
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const answer = await setup.app.inject({
    method: 'POST',
    url: '/o/auth',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://tidepool.example',
    },
    payload: attempt.url.searchParams.toString(),
  })
  assert.equal(answer.statusCode, 303)
  assert.ok(await gives({ attempt, page: await agent.open(String(answer.headers.location)) }))
})

/** The ways to send an access token to userinfo, with their results. */
const USERINFO: Record<string, [(token: string) => object, number]> = {
  'oidcc-userinfo-get': [(token) => ({ method: 'GET', headers: bearer(token) }), 200],
  'oidcc-userinfo-post-header': [(token) => ({ method: 'POST', headers: bearer(token) }), 200],
  'oidcc-userinfo-post-body': [
    (token) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `access_token=${token}`,
    }),
    200,
  ],
  'no token in the query': [
    (token) => ({ method: 'GET', url: `/o/me?access_token=${token}` }),
    400,
  ],
  'no token at all': [() => ({ method: 'GET' }), 401],
  'no unknown token': [() => ({ method: 'GET', headers: bearer('unknown') }), 401],
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

for (const [module, [how, status]] of Object.entries(USERINFO)) {
  test(`${module}: userinfo answers ${status}`, async () => {
    const { access_token } = await signInToApp(setup, agent)
    const answer = await setup.app.inject({ url: '/o/me', ...how(access_token) })
    assert.equal(answer.statusCode, status)
    if (status === 200) assert.deepEqual(answer.json(), { sub: first.claims()!.sub })
    if (status === 401) assert.match(String(answer.headers['www-authenticate']), /^Bearer /)
  })
}
