import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import { joinStaff } from '#flows/sign-in'
import { sql } from '#platform/sql'
import { answerCommand } from '#surfaces/commands/commands'
import { addAuthenticator, codeOf, newEmail, PASSWORD, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { buyer } from '../support/purchase.ts'
import { buy } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const HOUR = 3600

let service: TestService
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => service.close())

/** Runs the command and returns the path of its link. */
async function addStaff(email: string, role: identity.StaffRole = 'admin'): Promise<string> {
  const answer = await answerCommand(service.world, { command: 'staff:add', email, role })
  assert.ok('text' in answer, JSON.stringify(answer))
  const url = new URL(answer.text)
  assert.equal(url.origin, service.world.config.base_url)
  return url.pathname
}

async function roleOf(email: string): Promise<identity.StaffRole | null | undefined> {
  return (await identity.findByEmail(service.world.db, email))?.staff_role
}

async function isExpired(agent: Agent, link: string): Promise<boolean> {
  const { status, body } = await agent.open(link)
  return status === 404 && /This invitation is no longer valid/.test(body)
}

/** Confirms the second factor where the page asks for it. */
async function proveFactor(agent: Agent, secret: string): Promise<void> {
  service.clock.pass(30)
  await agent.submit('Sign in', { code: codeOf(service, secret) })
}

// Guards F50
test('a link sets a password and a second factor, and ends in the admin area', async () => {
  const email = newEmail()
  const link = await addStaff(email)
  const agent = buyer(service)
  await agent.open(link)
  const text = agent.text
  assert.match(text, new RegExp(`Account ${email} Role Admin Invited by The operator, by command`))
  await agent.submit('Join the staff', { password: 'short' })
  assert.equal(agent.page.status, 422)
  assert.equal(await roleOf(email), undefined)
  await agent.submit('Join the staff', { password: PASSWORD })
  assert.deepEqual([agent.page.status, agent.page.url], [403, '/admin/'])
  await agent.press('Go to Security')
  await addAuthenticator(service, agent)
  await agent.press('I have saved them')
  assert.deepEqual([agent.page.status, agent.page.url], [200, '/admin/'])
  assert.equal(await roleOf(email), 'admin')
  assert.ok(await isExpired(agent, link))
})

test('opening a link changes nothing, and only a digest of it is stored', async () => {
  const { db } = service.world
  const email = newEmail()
  const link = await addStaff(email)
  await buyer(service).open(link)
  assert.equal(await roleOf(email), undefined)
  const token = link.split('/').at(-1)!
  const { rows } = await db.one<{ rows: string }>(sql`select
    (select json_agg(l)::text from account_links l) ||
    (select json_agg(i)::text from staff_invitations i) ||
    (select json_agg(a)::text from audit_log a) as rows`)
  assert.ok(rows.includes(email) && !rows.includes(token))
})

test('a link is valid for 24 hours and until the next one for the same email', async () => {
  const email = newEmail()
  const first = await addStaff(email)
  const second = await addStaff(email.toUpperCase(), 'finance')
  const agent = buyer(service)
  assert.ok(await isExpired(agent, first))
  service.clock.pass(24 * HOUR - 60)
  assert.match((await agent.open(second)).body, /Role/)
  service.clock.pass(60)
  assert.ok(await isExpired(agent, second))
  const { db, stopping } = service.world
  await identity.deleteExpired(db, service.clock.now(), stopping)
  assert.equal((await rowsOf(email)).length, 0)
})

async function rowsOf(email: string) {
  return await service.world.db.rows(
    sql`select id from staff_invitations where email_normalized = ${email}`,
  )
}

test('a link is used once, by one of two browsers', async () => {
  const email = newEmail()
  const link = await addStaff(email)
  const agents = [buyer(service), buyer(service)]
  for (const agent of agents) await agent.open(link)
  const password = PASSWORD
  await Promise.all(agents.map((agent) => agent.submit('Join the staff', { password })))
  assert.deepEqual(agents.map(({ page }) => page.status).sort(), [403, 404])
})

// Threat 59
test('the owner of an existing account must be signed in with the second factor', async () => {
  const { email, agent } = await signUp(service)
  const { secret } = await addAuthenticator(service, agent)
  const link = await addStaff(email, 'support')
  const other = await signUp(service)
  await other.agent.open(link)
  assert.match(other.agent.text, /You are signed in as .*Sign in as/)
  assert.throws(() => other.agent.form('Join the staff'))
  const { id } = (await identity.findByEmail(service.world.db, other.email))!
  const origin = { address: '127.0.0.1', agent: '', request_id: 'req_test' }
  for (const signed_in of [id, undefined]) {
    const facts = { token: link.split('/').at(-1)!, signed_in, password: PASSWORD, origin }
    assert.equal((await joinStaff(service.world, facts)).outcome, 'sign_in')
  }
  const fresh = buyer(service)
  await fresh.open(link)
  await fresh.press(`Sign in as ${email}`)
  await fresh.submit('Sign in', { email, password: PASSWORD })
  assert.equal(await roleOf(email), null)
  await proveFactor(fresh, secret)
  assert.equal(fresh.page.url, link)
  await fresh.submit('Join the staff')
  assert.deepEqual([fresh.page.status, fresh.page.url], [200, '/admin/'])
  assert.equal(await roleOf(email), 'support')
})

test('accepting needs authentication within ten minutes', async () => {
  const { email, agent } = await signUp(service)
  const link = await addStaff(email)
  service.clock.pass(11 * 60)
  await agent.open(link)
  await agent.submit('Join the staff')
  assert.match(agent.page.url, /^\/account\/confirm/)
  assert.equal(await roleOf(email), null)
  await agent.submit('Confirm', { password: PASSWORD })
  assert.equal(agent.page.url, link)
})

test('an account of a checkout, never verified, is reset before it becomes staff', async () => {
  const { email } = await buy(service)
  const link = await addStaff(email)
  const agent = buyer(service)
  await agent.open(link)
  await agent.submit('Join the staff', { password: PASSWORD })
  const user = (await identity.findByEmail(service.world.db, email))!
  assert.equal(user.staff_role, 'admin')
  assert.ok(user.email_verified_at)
})

test('a link for staff changes the role when it is used, and the audit log has both', async () => {
  const { db } = service.world
  const { email, agent } = await signUp(service)
  for (const role of ['support', 'finance'] as const) {
    const link = await addStaff(email, role)
    assert.notEqual(await roleOf(email), role)
    await agent.open(link)
    await agent.submit('Join the staff')
    assert.equal(await roleOf(email), role)
  }
  const { id } = (await identity.findByEmail(db, email))!
  const entries = await db.rows<{ actor: string; action: string; detail: object }>(sql`
    select actor, action, detail - 'invitation_id' as detail from audit_log
    where action like 'staff.%' and (subject = ${id} or detail->>'user_id' = ${id}) order by id`)
  const through = { through: 'command' }
  assert.deepEqual(entries, [
    {
      actor: 'command',
      action: 'staff.invited',
      detail: { ...through, role: 'support', user_id: id },
    },
    {
      actor: id,
      action: 'staff.added',
      detail: { ...through, role: 'support', before: null, invited_by: null },
    },
    {
      actor: 'command',
      action: 'staff.invited',
      detail: { ...through, role: 'finance', user_id: id },
    },
    {
      actor: id,
      action: 'staff.role_changed',
      detail: { ...through, role: 'finance', before: 'support', invited_by: null },
    },
  ])
})

test('a link takes no rights from the last admin, and is still valid afterwards', async () => {
  const { db } = service.world
  await db.run(sql`update users set staff_role = null`)
  const { email, agent } = await signUp(service)
  await db.run(sql`update users set staff_role = 'admin' where email_normalized = ${email}`)
  const link = await addStaff(email, 'support')
  await agent.open(link)
  await agent.submit('Join the staff')
  assert.equal(await roleOf(email), 'admin')
  assert.equal(agent.page.status, 422)
  assert.match(agent.text, /You are the last admin\./)
  const other = await signUp(service)
  await db.run(sql`update users set staff_role = 'admin' where email_normalized = ${other.email}`)
  await agent.open(link)
  await agent.submit('Join the staff')
  assert.equal(await roleOf(email), 'support')
})

test('the command refuses an invalid email, a locked account and unknown requests', async () => {
  const { world } = service
  const refusalOf = async (request: object) => {
    const answer = await answerCommand(world, request)
    return 'fault' in answer ? answer.fault : undefined
  }
  const { email } = await signUp(service)
  const user = (await identity.findByEmail(world.db, email))!
  const link = await addStaff(email)
  await identity.lockUser(world.db, service.clock.now(), user.id)
  const request = { command: 'staff:add', role: 'admin', email }
  assert.match((await refusalOf(request)) ?? '', /is locked/)
  assert.ok(await isExpired(buyer(service), link))
  assert.match((await refusalOf({ ...request, email: 'me' })) ?? '', /not an email/)
  assert.match((await refusalOf({ ...request, role: 'owner' })) ?? '', /does not know/)
  assert.match((await refusalOf({ ...request, command: 'stop' })) ?? '', /does not know/)
})

// Guards F50
test('the home page of a service without staff says how the first is added', async () => {
  const { db } = service.world
  const home = async () => textOf((await buyer(service).open('/')).body)
  assert.doesNotMatch(await home(), /No staff yet/)
  await db.run(sql`update users set staff_role = null`)
  assert.match(await home(), /No staff yet Run npm run staff:add you@example.com/)
})
