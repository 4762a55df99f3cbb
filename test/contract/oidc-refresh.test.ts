/** Families of refresh tokens: what a client may repeat, and what ends a login. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import type { UserId } from '#platform/ids'
import {
  addPerson,
  browser,
  entitlementOf,
  openSignInTest,
  type SignInTest,
  signInAs,
  signInToApp,
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

type Tokens = Pick<client.TokenEndpointResponse, 'access_token' | 'refresh_token'>

const signIn = async () => await signInToApp(setup, await signInAs(setup, ada))
const refresh = ({ refresh_token }: Tokens) =>
  client.refreshTokenGrant(setup.app_side, refresh_token!)
const isRefused = (tokens: Tokens) => assert.rejects(refresh(tokens), { error: 'invalid_grant' })
const status = async ({ access_token }: Tokens) =>
  (await entitlementOf(setup, access_token)).statusCode

test('F31: returns a new refresh token each time, and keeps the login', async () => {
  const first = await signIn()
  const second = await refresh(first)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal(second.claims()!.sub, first.claims()!.sub)
  assert.equal(second.claims()!.sid, first.claims()!.sid)
  for (const each of [first, second]) assert.equal(await status(each), 200)
})

test('F31: 20 parallel refreshes of one token all succeed, and each may go on', async () => {
  const first = await signIn()
  const got = await Promise.all(Array.from({ length: 20 }, () => refresh(first)))
  assert.equal(new Set(got.map(({ refresh_token }) => refresh_token)).size, 20)
  for (const each of got) assert.equal(await status(each), 200)
  setup.clock.pass(3600)
  // Two windows that kept different responses both stay signed in.
  for (const each of got.slice(0, 2)) assert.equal(await status(await refresh(each)), 200)
})

test('F31: a client that lost the answer refreshes again within 30 seconds', async () => {
  const first = await signIn()
  await refresh(first)
  setup.clock.pass(29)
  const second = await refresh(first)
  setup.clock.pass(3600)
  assert.equal(await status(await refresh(second)), 200)
})

test('F31: a used token that comes back after 30 seconds ends the login', async () => {
  const first = await signIn()
  const second = await refresh(first)
  setup.clock.pass(30)
  await isRefused(first)
  await isRefused(second)
  for (const each of [first, second]) assert.equal(await status(each), 401)
})

test('F31: a token whose successor was refreshed ends the login, within 30 seconds too', async () => {
  const first = await signIn()
  const second = await refresh(first)
  const also_second = await refresh(first)
  const third = await refresh(second)
  await isRefused(first)
  for (const each of [also_second, third]) {
    await isRefused(each)
    assert.equal(await status(each), 401)
  }
})

test('F31: each login of an app is a grant of its own, in one browser too', async () => {
  const agent = await signInAs(setup, ada, { agent: browser(setup) })
  const one = await signInToApp(setup, agent)
  const other = await signInToApp(setup, agent)
  const next = await refresh(one)
  setup.clock.pass(31)
  await isRefused(one)
  assert.equal(await status(next), 401)
  assert.equal(await status(other), 200)
  assert.equal(await status(await refresh(other)), 200)
})

test('F31: a login that no app finished leaves nothing after an hour', async () => {
  const count = async () =>
    (await setup.world.db.raw(`select 1 from oidc_records where kind = 'Grant'`)).rows.length
  const agent = await signInAs(setup, ada)
  await signInToApp(setup, agent)
  const before = await count()
  const url = client.buildAuthorizationUrl(setup.app_side, {
    redirect_uri: setup.callback,
    scope: 'openid entitlements',
    prompt: 'none',
    code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
  })
  assert.match((await agent.open(url.href)).url, /[?&]code=/)
  assert.equal(await count(), before + 1)
  setup.clock.pass(3601)
  await setup.world.db.raw('delete from oidc_records where expires_at <= $1', [setup.clock.now()])
  assert.equal(await count(), before)
})
