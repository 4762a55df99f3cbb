import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { UserId } from '#platform/ids'
import { openLog } from '#platform/log'
import { sql } from '#platform/sql'
import { addAuthenticator, codeOf, enterPassword, PASSWORD, signUp } from '../support/account.ts'
import { agentToken } from '../support/agent-token.ts'
import { testId } from '../support/ids.ts'
import { toolCall } from '../support/mcp.ts'
import { basic, buyer } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

interface Line {
  actor: string
  action: string
  subject: string
  address: string | null
  agent: string | null
  request_id: string | null
  detail: Record<string, unknown>
}

const VALIDATE = '/api/v1/licenses/validate'

const logged: string[] = []
let service: TestService
before(async () => {
  const log = openLog('info', { write: (line) => logged.push(line) })
  service = await openTestService({ log })
  await service.world.jobs.start()
})
after(() => service.close())

/** The lines that were written after a line. */
async function linesAfter(id: number): Promise<Line[]> {
  return await service.world.db.rows<Line>(sql`select actor, action, subject, address, agent,
    request_id, detail from audit_log where id > ${id} order by id`)
}

async function lastLine(): Promise<number> {
  const { id } = await service.world.db.one<{ id: number }>(
    sql`select coalesce(max(id), 0) as id from audit_log`,
  )
  return id
}

// S6
describe('the audit log', () => {
  test('records successful and failed sign-ins and sign-outs, each with address and request', async () => {
    const { email } = await signUp(service)
    const start = await lastLine()
    await enterPassword(service, email, 'not the password')
    await enterPassword(service, 'unknown@example.com', 'not the password')
    const agent = await enterPassword(service, email)
    await agent.submit('Sign out')
    const lines = await linesAfter(start)
    const { id } = await service.world.db.one<{ id: UserId }>(
      sql`select id from users where email = ${email}`,
    )
    assert.deepEqual(
      lines.map(({ actor, action, subject }) => [actor, action, subject]),
      [
        ['anonymous', 'account.sign_in_refused', id],
        ['anonymous', 'account.sign_in_refused', 'unknown'],
        [id, 'account.signed_in', id],
        [id, 'account.signed_out', id],
      ],
    )
    for (const { address, agent, request_id } of lines) {
      assert.match(String(address), /^10\.\d+\.\d+\.\d+$/)
      assert.equal(agent, 'lightMyRequest')
      assert.match(String(request_id), /^req_\w{22}$/)
    }
    assert.equal(lines[2]?.detail.by, 'password')
  })

  test('records wrong second factors and repeated confirmations', async () => {
    const { email, agent } = await signUp(service)
    const { secret } = await addAuthenticator(service, agent)
    const start = await lastLine()
    const other = await enterPassword(service, email)
    await other.submit('Sign in', { code: '000000' })
    await other.submit('Sign in', { code: codeOf(service, secret) })
    service.clock.pass(600)
    await other.open('/account/security/password')
    await other.submit('Confirm', { password: PASSWORD, code: '000000' })
    await other.submit('Confirm', { password: PASSWORD, code: codeOf(service, secret) })
    const lines = await linesAfter(start)
    assert.deepEqual(
      lines.map(({ action, detail }) => [action, detail.by]),
      [
        ['account.second_factor_refused', 'code'],
        ['account.signed_in', 'code'],
        ['account.proof_refused', 'code'],
        ['account.proven_again', undefined],
      ],
    )
  })

  test('records requests for what belongs to others, at most thirty an hour', async () => {
    const agent = await signedIn(service, service.demo.buyer)
    const start = await lastLine()
    await agent.open('/admin/')
    await agent.open(`/dashboard/apps/${service.demo.app.slug}/integration/`)
    await agent.open('/admin/tax/2026-03/TX/')
    for (let time = 0; time < 40; time++) await agent.open('/admin/tax/')
    const lines = await linesAfter(start)
    assert.equal(lines.length, 30)
    assert.deepEqual(
      lines.slice(0, 4).map(({ action, subject }) => [action, subject]),
      [
        ['access.refused', '/admin/'],
        ['access.refused', '/dashboard/apps/:slug/integration/'],
        ['access.refused', '/admin/tax/:month/:state/'],
        ['access.refused', '/admin/tax/'],
      ],
    )
  })

  test('records refused API clients, at most five times a minute for a network', async () => {
    const { seller, app } = service.demo
    const { client_id } = app
    const { id: user_id } = await service.world.db.one<{ id: UserId }>(
      sql`select id from users where email = ${seller.email}`,
    )
    const token = await agentToken(service, { email: seller.email, scopes: ['listing.read'] })
    const start = await lastLine()
    const ask = async (
      remoteAddress: string,
      authorization: string,
      url: string,
      payload?: object,
    ) =>
      await service.app.inject({
        method: payload === undefined ? 'GET' : 'POST',
        url,
        remoteAddress,
        headers: { authorization, accept: 'application/json', host: 'localhost' },
        ...(payload === undefined ? {} : { payload }),
      })
    const validate = (address: string, client_secret: string, id = client_id) =>
      ask(address, basic(service, { client_id: id, client_secret }).authorization, VALIDATE, {
        key: 'key_none',
      })
    assert.equal((await validate('203.0.113.1', 'wrong')).statusCode, 401)
    // A token of an agent is for another audience.
    const entitlement = '/licensing/entitlement/'
    const elsewhere = await ask('203.0.113.2', `Bearer ${token}`, entitlement)
    assert.equal(elsewhere.statusCode, 401)
    const call = toolCall('regenerate_client_secret', {})
    const beyond = await ask('203.0.113.3', `Bearer ${token}`, '/mcp', call)
    assert.equal(beyond.statusCode, 403)
    const lines = await linesAfter(start)
    const agent = 'purser-agent'
    assert.deepEqual(
      lines.map(({ actor, subject, address, detail }) => [actor, subject, address, detail]),
      [
        ['anonymous', VALIDATE, '203.0.113.1', { error: 'invalid_client', client_id }],
        [user_id, entitlement, '203.0.113.2', { error: 'invalid_token', client_id: agent }],
        [user_id, '/mcp', '203.0.113.3', { error: 'insufficient_scope', client_id: agent }],
      ],
    )
    // Guesses are in the log alone, and one network is noted five times a minute.
    const before = await lastLine()
    await validate('203.0.113.4', 'wrong', testId('app_guessed'))
    await ask('203.0.113.5', 'Bearer guessed', entitlement)
    assert.equal(await lastLine(), before)
    for (let time = 0; time < 40; time++) await validate('203.0.113.6', `guess ${time}`)
    assert.equal((await linesAfter(before)).length, 5)
    const refusals = logged.filter((line) => line.includes('"203.0.113.6"'))
    assert.equal(refusals.length, 40)
  })
})

// S6
test("a log line names the caller's address and account, and no email or secret", async () => {
  const agent = buyer(service)
  const { buyer: person } = service.demo
  await agent.open('/signin/')
  await agent.submit('Sign in', { email: person.email, password: person.password })
  const { id } = await service.world.db.one<{ id: UserId }>(
    sql`select id from users where email = ${person.email}`,
  )
  const token = agent.cookies.get('__Host-session') ?? ''
  const line = JSON.parse(logged.findLast((each) => each.includes('"/account/"'))!)
  assert.equal(line.account_id, id)
  assert.match(line.address, /^10\./)
  const all = logged.join('')
  for (const secret of [person.email, person.password, token]) assert.ok(!all.includes(secret))
})
