import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import {
  addAuthenticator,
  enterPassword,
  isSignedIn,
  newEmail,
  signUp,
} from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { agentToken } from '../support/agent-token.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import {
  addPerson,
  entitlementOf,
  openSignInTest,
  type SignInTest,
  signInAs,
  signInToApp,
} from '../support/sign-in.ts'

let service: SignInTest
before(async () => {
  service = await openSignInTest()
})
after(() => service.close())

const SIGN_OUT = 'Sign out everywhere'

async function addStaff(role: identity.StaffRole): Promise<{ agent: Agent; email: string }> {
  const { email, agent } = await signUp(service, newEmail())
  const user = (await identity.findByEmail(service.world.db, email))!
  await identity.setStaffRole(service.world.db, user.id, role)
  await addAuthenticator(service, agent)
  return { agent, email }
}

/** Searches the cases for an email, as staff. */
async function find(agent: Agent, q: string): Promise<void> {
  await agent.open('/admin/cases/')
  await agent.submit('Search', { q })
}

describe('signing an account out as staff', () => {
  test('ends its sessions in every browser, its sign-ins to apps and its agents', async () => {
    const person = await addPerson(service, newEmail())
    const browsers = [await signInAs(service, person), await signInAs(service, person)]
    const { access_token } = await signInToApp(service, browsers[0]!)
    const agent_token = await agentToken(service, person)
    const listApps = async () => await askAgentEndpoint(agent_token)
    assert.equal((await entitlementOf(service, access_token)).statusCode, 200)
    assert.equal(await listApps(), 200)

    const { agent } = await addStaff('support')
    await find(agent, person.email)
    assert.match(agent.text, /Signed in on 2 browsers/)
    await agent.submit(SIGN_OUT, { reason: '' })
    assert.match(agent.text, /Give a reason for the audit log/)
    assert.deepEqual(await Promise.all(browsers.map(isSignedIn)), [true, true])
    await agent.submit(SIGN_OUT, { reason: 'They lost their phone and wrote to us.' })
    assert.match(agent.text, /Signed out of the service and every app/)
    assert.match(agent.text, /Not signed in/)

    assert.deepEqual(await Promise.all(browsers.map(isSignedIn)), [false, false])
    assert.equal((await entitlementOf(service, access_token)).statusCode, 401)
    assert.equal(await listApps(), 401)
  })

  test('ends the sign-in of a new account by the success page of its purchase', async () => {
    const [agent, email] = [buyer(service), newEmail()]
    const bought = await purchase(service, agent, { email })
    const { agent: staff } = await addStaff('support')
    await find(staff, email)
    await staff.submit(SIGN_OUT, { reason: 'They bought at an internet cafe.' })
    assert.match((await agent.open(bought.url)).url, /^\/signin\//)
  })

  test('is recorded with its reason, and the owner can sign in again', async () => {
    const { email } = await signUp(service, newEmail())
    const { agent } = await addStaff('admin')
    await find(agent, email)
    await agent.submit(SIGN_OUT, { reason: 'A stolen laptop.' })
    const user = (await identity.findByEmail(service.world.db, email))!
    await agent.open(`/admin/audit/?q=${user.id}`)
    assert.match(agent.text, /account\.signed_out_by_staff/)
    assert.match(agent.text, /A stolen laptop\./)
    assert.ok(await isSignedIn(await enterPassword(service, email)))
  })

  test('takes an admin if the account is of staff', async () => {
    const [{ agent: support }, { agent: colleague, email }] = [
      await addStaff('support'),
      await addStaff('finance'),
    ]
    await find(support, email)
    assert.match(support.text, /Signed in on 1 browser/)
    assert.ok(!support.page.body.includes(SIGN_OUT))

    const { email: other } = await signUp(service, newEmail())
    await find(support, other)
    const user = (await identity.findByEmail(service.world.db, email))!
    await support.submit(SIGN_OUT, { user_id: user.id, reason: 'Trying.' })
    assert.match(support.text, /Not signed out: only an admin can sign out staff/)
    assert.ok(await isSignedIn(colleague))

    const admin = await signedIn(service, service.demo.operator)
    await find(admin, email)
    await admin.submit(SIGN_OUT, { reason: 'Left the company.' })
    assert.ok(!(await isSignedIn(colleague)))
  })

  test('finds nothing to do for an account that was deleted since', async () => {
    const { agent } = await addStaff('support')
    const { email } = await signUp(service, newEmail())
    await find(agent, email)
    await agent.submit(SIGN_OUT, { user_id: `usr_${'0'.repeat(22)}`, reason: 'Too late.' })
    assert.match(agent.text, /No change: this item was already handled/)
  })
})

/** The status of an agent's request that lists its tools. */
async function askAgentEndpoint(token: string): Promise<number> {
  const { statusCode } = await service.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  return statusCode
}
