import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import { basic, buyer, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const API = '/api/v1/test'
const ask = async (path: string, headers: Record<string, string> = basic(service)) => {
  const answer = await service.app.inject({ url: `${API}${path}`, headers })
  return { status: answer.statusCode, headers: answer.headers, json: answer.json() }
}
const start = async (payload: object, headers: Record<string, string> = basic(service)) => {
  const url = `${API}/scenario-runs`
  const answer = await service.app.inject({ method: 'POST', url, headers, payload })
  return { status: answer.statusCode, headers: answer.headers, json: answer.json() }
}

/** Starts a scenario and waits for its end. */
async function run(payload: object) {
  let { status, headers, json } = await start(payload)
  while (status === 202) {
    assert.equal(headers['retry-after'], '1')
    await new Promise((resolve) => setTimeout(resolve, 50))
    ;({ status, headers, json } = await ask(`/scenario-runs/${json.id}`))
  }
  assert.equal(status, 200, JSON.stringify(json))
  return json
}

/** Lets the moment pass in which an event is not shown yet. */
const settle = () => service.clock.pass(2)

describe('scenarios by program', () => {
  test('lists every scenario, with what it needs', async () => {
    const { status, json } = await ask('/scenarios')
    assert.equal(status, 200)
    const names = json.scenarios.map(({ name }: { name: string }) => name)
    assert.deepEqual(names.slice(0, 3), ['declined', 'recovered', 'exhausted'])
    assert.deepEqual(json.scenarios[1].retries, ['1', '2', '3'])
    assert.deepEqual(
      [json.scenarios[0].needs_renewal, json.scenarios[4].needs_renewal],
      [true, false],
    )
  })

  test('runs one, and its key validates with the status that it ended with', async () => {
    const ended = await run({ scenario: 'refund' })
    assert.deepEqual(
      [ended.status, ended.license_status, ended.entitled, ended.scenario],
      ['completed', 'canceled', false, 'refund'],
    )
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service),
      payload: { key: ended.license_key },
    })
    assert.equal(answer.json().status, 'canceled')
    assert.deepEqual((await ask(`/scenario-runs/${ended.id}`)).json, ended)
  })

  test('advances the test clock to the retry that succeeds', async () => {
    const ended = await run({ scenario: 'recovered', retry: '2' })
    assert.deepEqual([ended.status, ended.license_status], ['completed', 'active'])
    settle()
    const { events } = (await ask('/events?limit=200')).json
    const own = events.filter(
      (each: { license_id: string }) => each.license_id === ended.license_id,
    )
    const kinds = own.map(({ kind }: { kind: string }) => kind)
    assert.equal(kinds.filter((kind: string) => kind === 'declined').length, 2)
    assert.equal(kinds.filter((kind: string) => kind === 'paid').length, 2)
  })

  test('names what is wrong, and starts nothing', async () => {
    const lifetime = service.demo.app.prices[2]!.public_id
    const foreign = service.demo.sign_in_app.prices[0]!.public_id
    const wrong: [object, string][] = [
      [{}, 'scenario'],
      [{ scenario: 'holiday' }, 'scenario'],
      [{ scenario: 'recovered', retry: '4' }, 'retry'],
      [{ scenario: 'refund', price_id: 'prc_none' }, 'price_id'],
      [{ scenario: 'refund', price_id: foreign }, 'price_id'],
      [{ scenario: 'declined', price_id: lifetime }, 'price_id'],
    ]
    const tasks = () => service.world.db.one<{ count: number }>(sql`select count(*) from tasks`)
    const { count } = await tasks()
    for (const [payload, path] of wrong) {
      const { status, json } = await start(payload)
      assert.deepEqual([status, json.error, json.fields[0].path], [400, 'invalid_request', path])
    }
    assert.equal((await tasks()).count, count)
  })

  test('one runs at a time for an app', async () => {
    const [first, second] = await Promise.all([
      start({ scenario: 'exhausted' }),
      new Promise((resolve) => setTimeout(resolve, 30)).then(() => start({ scenario: 'refund' })),
    ])
    assert.deepEqual([second.status, second.json.error], [409, 'test_clock_busy'])
    assert.ok([200, 202].includes(first.status))
    while ((await ask(`/scenario-runs/${first.json.id}`)).status === 202) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })

  test('needs the credentials of the app, and shows no run of another', async () => {
    const { client_id, client_secret } = service.demo.sign_in_app
    const other = basic(service, { client_id, client_secret })
    const { id } = await run({ scenario: 'refund' })
    assert.equal((await ask(`/scenario-runs/${id}`, other)).json.error, 'not_found')
    for (const path of ['/scenarios', `/scenario-runs/${id}`, '/events']) {
      for (const headers of [{}, basic(service, { client_secret: 'wrong' })]) {
        const { status, json } = await ask(path, headers)
        assert.deepEqual([status, json.error], [401, 'invalid_client'], path)
      }
    }
    assert.equal((await start({ scenario: 'refund' }, {})).status, 401)
  })
})

interface TestEvent {
  at: string
  kind: string
  email: string | null
}

describe('events by program', () => {
  test('a cursor returns what happened after it: each event once, in order', async () => {
    settle()
    const first = (await ask('/events?limit=5')).json
    assert.equal(first.events.length, 5)
    const quiet = (await ask(`/events?cursor=${first.cursor}`)).json
    assert.deepEqual([quiet.events, quiet.has_more], [[], false])
    await purchase(service, buyer(service), { email: 'events@example.com' })
    settle()
    let { cursor } = quiet
    const seen: TestEvent[] = []
    for (let has_more = true; has_more; ) {
      const page = (await ask(`/events?cursor=${cursor}&limit=1`)).json
      assert.ok(page.events.length <= 1)
      seen.push(...page.events)
      ;({ cursor, has_more } = page)
    }
    const all = (await ask(`/events?cursor=${quiet.cursor}&limit=200`)).json
    assert.deepEqual(seen, all.events)
    const kinds = seen.filter(({ email }) => email === 'events@example.com')
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['paid', 'status', 'email', 'email'],
    )
    const times = seen.map(({ at }) => at)
    assert.deepEqual(times, times.toSorted())
  })

  test('an event of this moment waits, because others may still be written', async () => {
    settle()
    const { cursor } = (await ask('/events')).json
    await purchase(service, buyer(service), { email: 'moment@example.com' })
    assert.deepEqual((await ask(`/events?cursor=${cursor}`)).json.events, [])
    settle()
    assert.ok((await ask(`/events?cursor=${cursor}`)).json.events.length >= 3)
  })

  test('has the events of its own app only', async () => {
    const { client_id, client_secret } = service.demo.sign_in_app
    const other = basic(service, { client_id, client_secret })
    const { events } = (await ask('/events?limit=200', other)).json
    const kinds = new Set(events.map(({ kind }: TestEvent) => kind))
    assert.deepEqual(
      [...kinds].filter((kind) => !String(kind).startsWith('payout')),
      [],
    )
  })

  test('refuses a wrong cursor, limit or parameter', async () => {
    const cases: [string, string][] = [
      ['cursor=x', 'cursor'],
      ['cursor=-1-1', 'cursor'],
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['since=1', 'since'],
    ]
    for (const [query, path] of cases) {
      const { status, json } = await ask(`/events?${query}`)
      assert.deepEqual([status, json.error, json.fields[0].path], [400, 'invalid_request', path])
    }
  })
})
