import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { appTime } from '#flows/world'
import { addDays } from '#platform/calendar'
import { type Sql, sql } from '#platform/sql'
import { eventually } from '../support/eventually.ts'
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
  const started = await start(payload)
  if (started.status === 202) assert.equal(started.headers['retry-after'], '1')
  else assert.equal(started.status, 200, JSON.stringify(started.json))
  return await endOf(started.json.id)
}

/** Waits for the end of a run and retrieves it, once: the endpoint limits how often. */
async function endOf(id: string) {
  await eventually('the end of the run', async () => {
    const task = await service.world.db.one<{ status: string }>(
      sql`select status from tasks where id = ${id}`,
    )
    return task.status === 'done' || task.status === 'failed'
  })
  const { status, json } = await ask(`/scenario-runs/${id}`)
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
      [ended.status, ended.license_status, ended.entitled, ended.scenario, ended.note],
      ['completed', 'canceled', false, 'refund', ''],
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

  test('starts one of several runs that are requested at once', async (t) => {
    // The run that starts lasts until the others are refused.
    const refused = Promise.withResolvers<void>()
    const { processor } = service.world
    const charge = processor.charge.bind(processor)
    t.mock.method(processor, 'charge', async (...facts: Parameters<typeof charge>) => {
      await refused.promise
      return await charge(...facts)
    })
    const busy: string[] = []
    const asked = Array.from({ length: 4 }, async () => {
      const { status, json } = await start({ scenario: 'refund' })
      if (status !== 409) return [json.id]
      if (busy.push(json.error) === 3) refused.resolve()
      return []
    })
    const [id] = (await Promise.all(asked)).flat()
    refused.resolve()
    assert.deepEqual(busy, ['test_clock_busy', 'test_clock_busy', 'test_clock_busy'])
    await endOf(id)
  })

  test('names what is wrong, and starts nothing', async () => {
    const lifetime = service.demo.app.prices[2]!.public_id
    const foreign = service.demo.sign_in_app.prices[0]!.public_id
    const wrong: [object, string][] = [
      [{}, 'scenario'],
      [{ scenario: 'holiday', retry: 2 }, 'scenario'],
      [{ scenario: 'recovered', retry: '4' }, 'retry'],
      [{ scenario: 'refund', retry: '1' }, 'retry'],
      [{ scenario: 'refund', price_id: 'prc_none' }, 'price_id'],
      [{ scenario: 'refund', price_id: foreign }, 'price_id'],
      [{ scenario: 'declined', price_id: lifetime }, 'price_id'],
    ]
    const tasks = () => service.world.db.one<{ count: number }>(sql`select count(*) from tasks`)
    const { count } = await tasks()
    const messages: string[] = []
    for (const [payload, path] of wrong) {
      const { status, json } = await start(payload)
      assert.deepEqual([status, json.error, json.fields[0].path], [400, 'invalid_request', path])
      assert.match(json.fields[0].message, /^[A-Z`].*\.$/)
      messages.push(...json.fields.map(({ message }: { message: string }) => message))
    }
    assert.equal(messages[0], '`scenario` is required.')
    assert.equal(messages[2], '`retry` must be a string, not a number.')
    const suspend = (at: Date | null) =>
      service.world.db.run(sql`update apps set suspended_at = ${at} where slug = 'tidepool'`)
    await suspend(service.clock.now())
    const suspended = await start({ scenario: 'refund' })
    await suspend(null)
    assert.match(suspended.json.fields[0].message, /The app is suspended/)
    assert.equal((await tasks()).count, count)
  })

  test('one runs at a time for an app', async () => {
    const answers = await Promise.all([
      start({ scenario: 'exhausted' }),
      start({ scenario: 'exhausted' }),
    ])
    const refused = answers.filter(({ status }) => status === 409)
    assert.deepEqual(
      refused.map(({ json }) => json.error),
      ['test_clock_busy'],
    )
    const first = answers.find((answer) => !refused.includes(answer))!
    assert.ok([200, 202].includes(first.status))
    await endOf(first.json.id)
  })

  test('stays the run of its app when the seller has another owner, or none', async () => {
    const { db } = service.world
    const ended = await run({ scenario: 'refund' })
    await db.run(sql`update seller_members set role = 'admin' where role = 'owner'`)
    assert.deepEqual((await ask(`/scenario-runs/${ended.id}`)).json, ended)
    const refused = await start({ scenario: 'refund' })
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_request'])
    await db.run(sql`update seller_members set role = 'owner' where role = 'admin'`)
  })

  test('says so if a run failed, was stopped, or ended with its process', async () => {
    const { db, clock } = service.world
    const ends: [set: Sql, note: RegExp][] = [
      [sql`status = 'failed', result = '{"was_stopped": true}'`, /^The run was stopped\./],
      [sql`status = 'failed', result = '{"was_stopped": false}'`, /^The run failed\./],
      [sql`status = 'failed', result = '{"message": "It is unknown."}'`, /^It is unknown\.$/],
      [sql`status = 'running', updated_at = ${addDays(clock.now(), -1)}`, /^The run failed\./],
    ]
    const { id } = await run({ scenario: 'refund' })
    for (const [set, note] of ends) {
      await db.run(sql`update tasks set result = null, updated_at = ${clock.now()},
        status = 'running' where id = ${id}`)
      assert.equal((await ask(`/scenario-runs/${id}`)).status, 202)
      await db.run(sql`update tasks set ${set} where id = ${id}`)
      const { status, json } = await ask(`/scenario-runs/${id}`)
      assert.deepEqual([status, json.status, json.license_id], [200, 'failed', null])
      assert.match(json.note, note)
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
      ['limit=many', 'limit'],
      ['since=1', 'since'],
    ]
    for (const [query, path] of cases) {
      const { status, json } = await ask(`/events?${query}`)
      assert.deepEqual([status, json.error, json.fields.length], [400, 'invalid_request', 1])
      assert.equal(json.fields[0].path, path)
      assert.match(json.fields[0].message, /^[A-Z`](?!nvalid).*\.$/)
    }
  })
})

describe('events of slow transactions', () => {
  /** Writes an event in a transaction that stays open until `commit`. */
  async function slowEvent(why: string) {
    const opened = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const app = await apps.find(service.world.db, service.demo.app.client_id)
    const at = appTime(service.world, app!)
    const ended = service.world.db.tx(async (tx) => {
      await tx.run(sql`insert into license_history (license_id, at, from_status, to_status, trigger)
        select id, ${at}, 'active', 'active', ${why} from licenses
        where app_id = ${service.demo.app.client_id} limit 1`)
      opened.resolve()
      await commit.promise
    })
    await opened.promise
    return {
      async commit() {
        commit.resolve()
        await ended
      },
    }
  }
  const kindsAfter = async (cursor: string) => {
    const { json } = await ask(`/events?cursor=${cursor}&limit=200`)
    return { cursor: json.cursor, whys: json.events.map((each: { why: string }) => each.why) }
  }
  /** The embedded engine runs one transaction after the other. */
  const isAlone = () => service.world.db.engine === 'embedded'

  test('an event is listed once, before later ones, however late it is written', async (t) => {
    if (isAlone()) return t.skip('one transaction at a time')
    settle()
    const first = (await ask('/events')).json
    const slow = await slowEvent('upgraded')
    await new Promise((resolve) => setTimeout(resolve, 2000))
    service.clock.pass(2)
    await purchase(service, buyer(service), { email: 'slow@example.com' })
    service.clock.pass(2)
    const waiting = await kindsAfter(first.cursor)
    assert.deepEqual(waiting.whys, [])
    await slow.commit()
    const page = await kindsAfter(waiting.cursor)
    assert.equal(page.whys[0], 'upgraded')
    assert.ok(page.whys.includes('purchase'))
    assert.deepEqual((await kindsAfter(page.cursor)).whys, [])
  })

  test('an event from before the test clock moved is listed too', async (t) => {
    if (isAlone()) return t.skip('one transaction at a time')
    settle()
    const first = (await ask('/events')).json
    const slow = await slowEvent('plan_changed')
    const { db } = service.world
    const { client_id } = service.demo.app
    const { clock_ahead } = await apps.get(db, client_id)
    await apps.setClockAhead(db, client_id, clock_ahead + 3600)
    await purchase(service, buyer(service), { email: 'moved@example.com' })
    settle()
    const waiting = await kindsAfter(first.cursor)
    assert.deepEqual(waiting.whys, [])
    await slow.commit()
    const page = await kindsAfter(waiting.cursor)
    assert.equal(page.whys[0], 'plan_changed')
    assert.ok(page.whys.includes('purchase'))
  })
})
