import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import * as grants from '#domain/grants'
import type { UserId } from '#platform/ids'
import { type Agent, textOf } from '../support/agent.ts'
import {
  CALLBACK,
  connect,
  discoverAsAgent,
  startAuthorization,
  WRITE,
} from '../support/agent-client.ts'
import { emailTo } from '../support/mailbox.ts'
import { purchase } from '../support/purchase.ts'
import {
  addPerson,
  browser,
  entitlementOf,
  openSignInTest,
  type SignInTest,
  signInAs,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest
let side: client.Configuration

before(async () => {
  setup = await openSignInTest()
  side = await discoverAsAgent(setup)
})

after(async () => {
  await setup.close()
})

const CONNECTIONS = '/account/connections/'
let count = 0
const person = () => addPerson(setup, `connected-${++count}@example.org`)

async function isGood(tokens: { access_token: string }): Promise<boolean> {
  const audience = grants.agentAudience(setup.world.config.base_url)
  const { db } = setup.world
  const token = tokens.access_token
  return (await grants.findBearer(db, setup.clock.now(), { token, audience })) !== undefined
}

async function assertEnded(tokens: { access_token: string; refresh_token?: string }) {
  assert.equal(await isGood(tokens), false)
  const again = client.refreshTokenGrant(side, tokens.refresh_token!)
  await assert.rejects(again, { error: 'invalid_grant' })
}

async function auditOf(user_id: UserId): Promise<string[]> {
  const { rows } = await setup.world.db.raw(
    'select action from audit_log where actor = $1 order by id',
    [user_id],
  )
  return (rows as { action: string }[]).map(({ action }) => action)
}

/** Submits the form of one record among several. */
async function disconnect(agent: Agent, what: 'agent' | 'app', id: string) {
  await agent.open(CONNECTIONS)
  return await agent.submit(what === 'agent' ? 'Revoke access' : 'Disconnect', { [what]: id })
}

test('an account without connections says so, and how to make one', async () => {
  const agent = await signInAs(setup, await person())
  const pageText = textOf((await agent.open(CONNECTIONS)).body)
  assert.match(pageText, /No agent has access/)
  assert.match(pageText, /Apps that you sign in to with Purser appear here/)
})

test('the page needs a session and a verified email', async () => {
  const page = await browser(setup).open(CONNECTIONS)
  assert.equal(page.url, '/signin/?return_to=%2Faccount%2Fconnections%2F')
  const buyer = browser(setup)
  await purchase(setup, buyer, { email: 'limited-connections@example.org' })
  const { status, url, body } = await buyer.open(CONNECTIONS)
  assert.deepEqual([status, url], [403, CONNECTIONS])
  assert.match(body, /<title>Confirm your email first/)
})

test('lists every agent with its scopes, and each new one is announced by email', async () => {
  const { user_id, email } = await person()
  const agent = await signInAs(setup, { user_id })
  await connect(side, agent, { checked: { 'listing.write': 'yes' } })
  const redirect_uri = 'http://localhost:45454/callback'
  const changes = { redirect_uri, scope: 'integrations.read' }
  await connect(side, agent, { changes, checked: {} })
  const pageText = textOf((await agent.open(CONNECTIONS)).body)
  assert.match(
    pageText,
    /Agent at 127\.0\.0\.1:33418 Can read integration settings and change listings, plans and prices/,
  )
  assert.match(pageText, /Agent at localhost:45454 Can read integration settings Allowed on/)
  assert.deepEqual(await auditOf(user_id), ['account.agent_allowed', 'account.agent_allowed'])
  const message = await emailTo(setup, email, /^An agent was given access/)
  assert.match(message, /127\.0\.0\.1:33418|localhost:45454/)
})

test('says what an agent can do in one list', async () => {
  const { user_id } = await person()
  const agent = await signInAs(setup, { user_id })
  await connect(side, agent, { checked: WRITE })
  const rights =
    'Can change integration settings, replace client secrets, and change listings, plans and prices'
  assert.ok(textOf((await agent.open(CONNECTIONS)).body).includes(rights))
})

test('does not list an agent that never fetched its token, or whose token ended', async () => {
  const { user_id } = await person()
  const agent = await signInAs(setup, { user_id })
  const attempt = await startAuthorization(side)
  await agent.open(attempt.url.href)
  await agent.submit('Allow')
  const listed = () => grants.listAgents(setup.world.db, setup.clock.now(), user_id)
  assert.deepEqual(await listed(), [])
  await connect(side, agent)
  assert.equal((await listed()).length, 1)
  setup.clock.pass(30 * 86_400)
  assert.deepEqual(await listed(), [])
})

test('one agent is disconnected at once and for good, and the others are not', async () => {
  const { user_id } = await person()
  const agent = await signInAs(setup, { user_id })
  const mine = await connect(side, agent)
  setup.clock.pass(1)
  const other = await connect(side, agent)
  const [latest, first] = await grants.listAgents(setup.world.db, setup.clock.now(), user_id)
  assert.ok(latest && first)
  const page = await disconnect(agent, 'agent', first.id)
  assert.match(textOf(page.body), /Access revoked/)
  await assertEnded(mine)
  assert.ok(await isGood(other))
  assert.deepEqual((await auditOf(user_id)).at(-1), 'account.agent_disconnected')
})

test('does not disconnect an agent of another account', async () => {
  const owner = await person()
  const tokens = await connect(side, await signInAs(setup, owner))
  const [theirs] = await grants.listAgents(setup.world.db, setup.clock.now(), owner.user_id)
  const other = await person()
  const agent = await signInAs(setup, other)
  await connect(side, agent)
  for (const id of [theirs!.id, 'agt_unknown', '']) await disconnect(agent, 'agent', id)
  assert.ok(await isGood(tokens))
  assert.deepEqual(await auditOf(other.user_id), ['account.agent_allowed'])
})

test('an app is listed with what it knows, and disconnecting it ends its tokens and the agreement', async () => {
  const { user_id } = await person()
  const agent = await signInAs(setup, { user_id })
  const tokens = await signInToApp(setup, agent)
  const pageText = textOf((await agent.open(CONNECTIONS)).body)
  assert.match(pageText, /Tidepool Receives a private ID for your account and your plan/)
  const agents = await connect(side, agent)
  const page = await disconnect(agent, 'app', setup.demo.app.client_id)
  assert.match(textOf(page.body), /App disconnected/)
  assert.match(textOf(page.body), /Apps that you sign in to with Purser appear here/)
  assert.equal((await entitlementOf(setup, tokens.access_token)).statusCode, 401)
  await assert.rejects(client.refreshTokenGrant(setup.app_side, tokens.refresh_token!), {
    error: 'invalid_grant',
  })
  assert.ok(await isGood(agents))
  assert.equal((await auditOf(user_id)).at(-1), 'account.app_disconnected')
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const requested = await agent.open(attempt.url.href)
  assert.match(textOf(requested.body), /Sign in to Tidepool/)
})

test('signing out of the service ends every agent at once, in whichever browser it was allowed', async () => {
  const owner = await person()
  const [here, there] = [await signInAs(setup, owner), await signInAs(setup, owner)]
  const tokens = [await connect(side, here), await connect(side, there)]
  const app = await signInToApp(setup, here)
  await here.open('/account/security/')
  await here.submit('Sign out here')
  for (const each of tokens) await assertEnded(each)
  // The app's own sign-in is separate (spec: Sign-in rules, 8).
  assert.equal((await entitlementOf(setup, app.access_token)).statusCode, 200)
  assert.equal((await there.open(CONNECTIONS)).url, CONNECTIONS)
})

test('so does signing out of an app, which signs out of the service as well', async () => {
  const owner = await person()
  const agent = await signInAs(setup, owner)
  const tokens = await connect(side, agent)
  const { id_token } = await signInToApp(setup, agent)
  await agent.open(`/o/session/end?id_token_hint=${id_token}`)
  await agent.submit('Sign out')
  await assertEnded(tokens)
})

test('so does signing out another browser or all others, or setting a new password', async () => {
  const ways: ((agent: Agent, other: Agent) => Promise<unknown>)[] = [
    async (agent) => {
      await agent.open('/account/security/')
      await agent.submit('End session', { session: await otherSession(agent) })
    },
    async (agent) => {
      await agent.open('/account/security/')
      await agent.submit('Sign out everywhere else')
    },
    async (agent) => {
      await agent.open('/account/security/password')
      await agent.submit('Save password', { password: 'a lamp above the harbor' })
    },
  ]
  for (const way of ways) {
    const owner = await person()
    const [agent, other] = [await signInAs(setup, owner), await signInAs(setup, owner)]
    const tokens = await connect(side, agent)
    await way(agent, other)
    await assertEnded(tokens)
  }
})

async function otherSession(agent: Agent): Promise<string> {
  return agent.form('End session').session!
}

test('another account that signs in in the same browser ends the agents allowed from it', async () => {
  const agent = await signInAs(setup, await person())
  const theirs = await connect(side, agent)
  await signInAs(setup, await person(), { agent })
  const mine = await connect(side, agent)
  await assertEnded(theirs)
  assert.ok(await isGood(mine))
})

test('asks for consent again when another account signed in in the browser meanwhile', async () => {
  const agent = await signInAs(setup, await person())
  const attempt = await startAuthorization(side)
  const { url } = await agent.open(attempt.url.href)
  const other = await person()
  await signInAs(setup, other, { agent })
  assert.equal((await agent.submit('Allow')).status, 403)
  const page = await agent.open(url)
  assert.match(textOf(page.body), new RegExp(other.email))
  const back = await agent.submit('Allow')
  assert.ok(back.url.startsWith(`${CALLBACK}?code=`))
})
