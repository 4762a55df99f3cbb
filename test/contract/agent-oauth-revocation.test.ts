import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import * as grants from '#domain/grants'
import { sql } from '#platform/sql'
import {
  type AgentSignInTest,
  connect,
  openAgentSignInTest,
  startAuthorization,
} from '../support/agent-client.ts'
import { untilBlocked } from '../support/blocked.ts'
import { SERVER_URL } from '../support/database.ts'
import {
  addPerson,
  authorizeApp,
  entitlementOf,
  exchange,
  parametersOf,
  type SignInTest,
  signInAs,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

// The embedded database has one connection, on which transactions queue: nothing races there.
const skip =
  SERVER_URL === undefined && 'only PostgreSQL runs transactions side by side (TEST_DATABASE_URL)'

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
const INVALID_GRANT = { error: 'invalid_grant' }

test('an app never gets a token for the agent endpoint, whatever it asks for', async () => {
  const agent = await signInAs(setup, await addPerson(setup, 'wishes@example.org'))
  const attempt = await startSignIn(setup.app_side, setup.callback, { resource: audience })
  const { url } = await agent.open(attempt.url.href)
  assert.equal(parametersOf(url).error, 'invalid_target')
  const greedy = await startSignIn(setup.app_side, setup.callback, { scope: `openid ${ALL}` })
  const back = await authorizeApp(agent, greedy)
  const tokens = await exchange(setup.app_side, greedy, back.url)
  assert.equal(tokens.scope, 'openid')
  assert.equal(await bearer(tokens.access_token), undefined)
  await assert.rejects(
    client.refreshTokenGrant(setup.app_side, tokens.refresh_token!, { resource: audience }),
    { error: 'invalid_target' },
  )
})

test('a token of one kind is refused where the other is asked for', async () => {
  const agent = await signInAs(setup, seller)
  const mine = await connect(side, agent)
  const theirs = await signInToApp(setup, agent)
  assert.equal((await entitlementOf(setup, theirs.access_token)).statusCode, 200)
  assert.equal(await bearer(theirs.access_token), undefined)
  assert.equal((await entitlementOf(setup, mine.access_token)).statusCode, 401)
  await assert.rejects(client.fetchUserInfo(side, mine.access_token, client.skipSubjectCheck))
})

// F31
test('a refresh token that comes back after 30 seconds ends this agent alone', async () => {
  const agent = await signInAs(setup, seller)
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
  const first = await connect(side, await signInAs(setup, seller))
  const windows = await Promise.all([1, 2].map(() => refresh(first.refresh_token)))
  setup.clock.pass(3600)
  for (const window of windows) {
    assert.ok(await bearer((await refresh(window.refresh_token)).access_token))
  }
})

test('a code that is used twice revokes its tokens', async () => {
  const agent = await signInAs(setup, seller)
  const attempt = await startAuthorization(side)
  await agent.open(attempt.url.href)
  const { url } = await agent.submit('Allow')
  const tokens = await exchange(side, attempt, url)
  await assert.rejects(exchange(side, attempt, url), INVALID_GRANT)
  assert.equal(await bearer(tokens.access_token), undefined)
  await assert.rejects(refresh(tokens.refresh_token), INVALID_GRANT)
})

test('an agent that is allowed while all agents are revoked is asked about again', {
  skip,
}, async () => {
  const { db } = setup.world
  const browser = await signInAs(setup, seller)
  const attempt = await startAuthorization(side)
  await browser.open(attempt.url.href)
  const begun = Promise.withResolvers<void>()
  const allowing = begun.promise.then(() => browser.submit('Allow'))
  await db.tx(async (tx) => {
    await tx.run(sql`lock table agent_grants in exclusive mode`)
    begun.resolve()
    await untilBlocked(tx, db)
    await grants.revokeAgents(tx, seller.user_id)
  })
  assert.equal((await allowing).status, 200)
  assert.deepEqual(await grants.listAgents(db, setup.clock.now(), seller.user_id), [])
  const { url } = await browser.submit('Allow')
  assert.ok(await bearer((await exchange(side, attempt, url)).access_token))
})

test('locking an account revokes its agents', async () => {
  const lost = await addPerson(setup, 'lost-seller@example.org')
  const tokens = await connect(side, await signInAs(setup, lost))
  await setup.world.db.raw('update users set locked_at = $1 where id = $2', [
    setup.clock.now(),
    lost.user_id,
  ])
  assert.equal(await bearer(tokens.access_token), undefined)
  await assert.rejects(refresh(tokens.refresh_token), INVALID_GRANT)
})
