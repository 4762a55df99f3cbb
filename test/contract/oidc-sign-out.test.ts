/** The applicable modules of the RP-initiated logout plan, and what a sign-out revokes. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import type { UserId } from '#platform/ids'
import { type Agent, textOf } from '../support/agent.ts'
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
let count = 0

before(async () => {
  setup = await openSignInTest()
})

after(async () => {
  await setup.close()
})

type Tokens = Awaited<ReturnType<typeof signInToApp>>

/** A new person, signed in to the service and to the app. */
async function signedIn(): Promise<{ agent: Agent; tokens: Tokens; user_id: UserId }> {
  const { user_id } = await addPerson(setup, `leaves-${++count}@example.org`)
  const agent = await signInAs(setup, { user_id })
  return { agent, tokens: await signInToApp(setup, agent), user_id }
}

const endSession = (parameters: Record<string, string>) =>
  `/o/session/end?${new URLSearchParams(parameters)}`

/** The sign-out URL of openid-client: ID token hint, client ID, return URL and state. */
function signOutUrl(tokens: Tokens, changes: Record<string, string> = {}): string {
  const url = client.buildEndSessionUrl(setup.app_side, {
    id_token_hint: tokens.id_token!,
    post_logout_redirect_uri: setup.home,
    state: 'where-i-was',
    ...changes,
  })
  return url.pathname + url.search
}

const status = async (tokens: Tokens) =>
  (await entitlementOf(setup, tokens.access_token)).statusCode

const isRefused = (tokens: Tokens) =>
  assert.rejects(client.refreshTokenGrant(setup.app_side, tokens.refresh_token!), {
    error: 'invalid_grant',
  })

test('oidcc-rp-initiated-logout: who confirms is signed out of the app and of the service', async () => {
  const { agent, tokens } = await signedIn()
  const page = await agent.open(signOutUrl(tokens))
  assert.match(textOf(page.body), /Sign out of Tidepool\?/)
  assert.equal(await status(tokens), 200)
  const { url } = await agent.submit('Sign out')
  assert.equal(url, `${setup.home}?state=where-i-was`)
  const answer = await entitlementOf(setup, tokens.access_token)
  assert.equal(answer.statusCode, 401)
  assert.equal(answer.json().error, 'invalid_token')
  await assert.rejects(client.fetchUserInfo(setup.app_side, tokens.access_token, 'x'))
  await isRefused(tokens)
  assert.match((await agent.open('/account/')).url, /^\/signin\//)
  const again = await startSignIn(setup.app_side, setup.callback)
  assert.match((await agent.open(again.url.href)).url, /^\/signin\//)
})

test('a person who stays signed in keeps every session, and returns to the same address', async () => {
  const { agent, tokens } = await signedIn()
  const page = await agent.open(signOutUrl(tokens))
  const link = /<a [^>]*href="([^"]+)"[^>]*>Stay signed in</.exec(page.body)?.[1]
  assert.equal(link, `${setup.home}?state=where-i-was`)
  assert.equal(await status(tokens), 200)
  assert.ok(await client.refreshTokenGrant(setup.app_side, tokens.refresh_token!))
  assert.equal((await agent.open('/account/')).status, 200)
})

const ELSEWHERE: Record<string, (tokens: Tokens) => Record<string, string>> = {
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': (tokens) => ({
    id_token_hint: tokens.id_token!,
    post_logout_redirect_uri: 'https://evil.example/',
    state: 's',
  }),
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': (tokens) => ({
    id_token_hint: tokens.id_token!,
    post_logout_redirect_uri: `${setup.home}?foo=bar`,
  }),
  'a slash taken away': (tokens) => ({
    id_token_hint: tokens.id_token!,
    post_logout_redirect_uri: setup.home.slice(0, -1),
  }),
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': (tokens) => ({
    id_token_hint: tokens.id_token!,
    state: 's',
  }),
  'oidcc-rp-initiated-logout-no-params': () => ({}),
  'oidcc-rp-initiated-logout-only-state': () => ({ state: 's' }),
  'an address that is not registered': () => ({
    post_logout_redirect_uri: setup.home,
  }),
}

for (const [module, parameters] of Object.entries(ELSEWHERE)) {
  test(`${module}: the person is asked, and lands on the home page`, async () => {
    const { agent, tokens } = await signedIn()
    const address = endSession(parameters(tokens))
    const page = await agent.open(address)
    assert.match(textOf(page.body), /Sign out of (Tidepool|Purser)\?/)
    assert.match(page.body, /<a [^>]*href="\/"[^>]*>Stay signed in</)
    const { url } = await agent.submit('Sign out')
    assert.equal(url, '/')
    assert.equal(await status(tokens), 401)
  })
}

test('oidcc-rp-initiated-logout-no-state: the address comes without a state', async () => {
  const { agent, tokens } = await signedIn()
  const parameters = { id_token_hint: tokens.id_token!, post_logout_redirect_uri: setup.home }
  await agent.open(endSession(parameters))
  assert.equal((await agent.submit('Sign out')).url, setup.home)
})

test('oidcc-rp-initiated-logout-no-id-token-hint: the client id is enough, as the person is asked', async () => {
  const { agent, tokens } = await signedIn()
  const { client_id } = setup.demo.app
  await agent.open(endSession({ client_id, post_logout_redirect_uri: setup.home }))
  assert.equal((await agent.submit('Sign out')).url, setup.home)
  assert.equal(await status(tokens), 401)
})

const BAD: Record<string, (tokens: Tokens) => Record<string, string>> = {
  'oidcc-rp-initiated-logout-bad-id-token-hint': () => ({ id_token_hint: 'nonsense' }),
  'oidcc-rp-initiated-logout-modified-id-token-hint': (tokens) => {
    const [head, body, signature] = tokens.id_token!.split('.')
    const claims = JSON.parse(Buffer.from(body!, 'base64url').toString())
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'other' })).toString('base64url')
    return { id_token_hint: `${head}.${changed}.${signature}` }
  },
  'a hint without a signature': (tokens) => {
    const head = Buffer.from('{"alg":"none"}').toString('base64url')
    return { id_token_hint: `${head}.${tokens.id_token!.split('.')[1]}.` }
  },
  'a hint of another client': (tokens) => ({
    id_token_hint: tokens.id_token!,
    client_id: 'app_other',
  }),
  'a client that there is not': () => ({ client_id: 'app_unknown' }),
}

for (const [module, parameters] of Object.entries(BAD)) {
  test(`${module}: nothing is done, and the person is sent nowhere`, async () => {
    const { agent, tokens } = await signedIn()
    const page = await agent.open(
      endSession({ post_logout_redirect_uri: setup.home, ...parameters(tokens) }),
    )
    assert.equal(page.status, 400)
    assert.match(textOf(page.body), /Sign-out failed .*Nothing was changed\./)
    assert.equal(await status(tokens), 200)
  })
}

test('an ID token that has expired still says of which app to sign out', async () => {
  const { agent, tokens } = await signedIn()
  setup.clock.pass(2 * 3600)
  assert.match(textOf((await agent.open(signOutUrl(tokens))).body), /Sign out of Tidepool\?/)
})

test('ends the login of the ID token in a browser without a session, if it is confirmed', async () => {
  const { tokens, user_id } = await signedIn()
  const elsewhere = await signInToApp(setup, await signInAs(setup, { user_id }))
  const agent = browser(setup)
  const page = await agent.open(signOutUrl(tokens))
  assert.match(textOf(page.body), /Sign out of Tidepool\? This ends this sign-in to Tidepool\./)
  assert.equal(await status(tokens), 200)
  const { url } = await agent.submit('Sign out')
  assert.equal(url, `${setup.home}?state=where-i-was`)
  assert.equal(await status(tokens), 401)
  await isRefused(tokens)
  assert.equal(await status(elsewhere), 200)
})

test('redirects back at once without a session, if there is nothing to sign out of', async () => {
  const { agent, tokens } = await signedIn()
  const { client_id } = setup.demo.app
  const unnamed = endSession({ client_id, post_logout_redirect_uri: setup.home })
  assert.equal((await browser(setup).open(unnamed)).url, setup.home)
  await agent.open(signOutUrl(tokens))
  await agent.submit('Sign out')
  const { url } = await browser(setup).open(signOutUrl(tokens))
  assert.equal(url, `${setup.home}?state=where-i-was`)
})

test('a request to sign out may come as a form', async () => {
  const { tokens } = await signedIn()
  const answer = await setup.app.inject({
    method: 'POST',
    url: '/o/session/end',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://tidepool.example',
    },
    payload: signOutUrl(tokens).split('?')[1]!,
  })
  assert.equal(answer.statusCode, 303)
  assert.equal(answer.headers.location, signOutUrl(tokens))
})

test('no other site can sign a person out', async () => {
  const { agent, tokens } = await signedIn()
  const answer = await setup.app.inject({
    method: 'POST',
    url: '/o/session/end/sign-out',
    headers: {
      origin: 'https://evil.example',
      'content-type': 'application/x-www-form-urlencoded',
      cookie: [...agent.cookies].map((pair) => pair.join('=')).join('; '),
    },
    payload: '',
  })
  assert.equal(answer.statusCode, 403)
  assert.equal(await status(tokens), 200)
})

test('a sign-out ends the app’s sessions of that person everywhere, and of no one else', async () => {
  const { agent, tokens, user_id } = await signedIn()
  const elsewhere = await signInToApp(setup, await signInAs(setup, { user_id }))
  const other = await signedIn()
  await agent.open(signOutUrl(tokens))
  await agent.submit('Sign out')
  for (const each of [tokens, elsewhere]) {
    assert.equal(await status(each), 401)
    await isRefused(each)
  }
  assert.equal(await status(other.tokens), 200)
})

test('F35: a sign-out of one app leaves the other apps of the browser signed in', async () => {
  const { agent, tokens } = await signedIn()
  const app = await addApp(setup, { redirect_uris: [setup.callback] })
  const side = await discover(setup, app)
  const attempt = await startSignIn(side, setup.callback)
  const other = await exchange(side, attempt, (await authorizeApp(agent, attempt)).url)
  await agent.open(signOutUrl(tokens))
  await agent.submit('Sign out')
  assert.equal(await status(tokens), 401)
  assert.ok(await client.fetchUserInfo(side, other.access_token, client.skipSubjectCheck))
  assert.ok(await client.refreshTokenGrant(side, other.refresh_token!))
})

test('F35: a sign-out that names no app ends every app of this browser, and none elsewhere', async () => {
  const { agent, tokens, user_id } = await signedIn()
  const elsewhere = await signInToApp(setup, await signInAs(setup, { user_id }))
  await agent.open('/o/session/end')
  await agent.submit('Sign out')
  assert.equal(await status(tokens), 401)
  assert.equal(await status(elsewhere), 200)
})

test('F35: a hint of another person ends the login that it names, not the current session', async () => {
  const other = await signedIn()
  const their_second = await signInToApp(setup, await signInAs(setup, other))
  const here = await signedIn()
  const page = await here.agent.open(signOutUrl(other.tokens))
  assert.match(
    textOf(page.body),
    /requested to sign out another account. You stay signed in as leaves-/,
  )
  assert.equal(await status(other.tokens), 200)
  await here.agent.submit('Sign out')
  assert.equal(await status(other.tokens), 401)
  assert.equal(await status(their_second), 200)
  assert.equal(await status(here.tokens), 200)
  assert.equal((await here.agent.open('/account/')).status, 200)
})

test('a code that was issued before the person signed out no longer works', async () => {
  const { agent, tokens } = await signedIn()
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(agent, attempt)
  await agent.open(signOutUrl(tokens))
  await agent.submit('Sign out')
  await assert.rejects(exchange(setup.app_side, attempt, url), { error: 'invalid_grant' })
})

test('who signs in again after a sign-out is not asked to agree again', async () => {
  const { agent, tokens, user_id } = await signedIn()
  await agent.open(signOutUrl(tokens))
  await agent.submit('Sign out')
  await signInAs(setup, { user_id }, { agent })
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await agent.open(attempt.url.href)
  assert.equal((await exchange(setup.app_side, attempt, url)).claims()!.sub, tokens.claims()!.sub)
})
