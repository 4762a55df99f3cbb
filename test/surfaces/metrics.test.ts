import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordCheck } from '#domain/ledger'
import * as payments from '#domain/payments'
import { addDays, addSeconds } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { installedAt } from '#platform/installation'
import { sql } from '#platform/sql'
import { openMetrics } from '#platform/telemetry/metrics'
import { withTimeout } from '#platform/with-timeout'
import { worldMetrics } from '#surfaces/monitoring/metrics'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { openTestDatabase, SERVER_URL } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { metricsOf, type Sample, scrape } from '../support/metrics.ts'
import { buy } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { openBothModes } from '../support/test-mode.ts'

// Guards R15: what an operator's monitoring reads.

let service: TestService
let url = ''
let samples: Sample[]
let reads = 0

before(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}/metrics`
  const db = await openTestDatabase()
  service = await openTestService({
    db: { ...db, monitor: counting(db.monitor) },
    settings: { METRICS_PORT: String(port) },
  })
  await service.listen()
  await buy(service)
  await service.app.inject('/api/v1/orders/ord_a-reference-of-a-buyer')
  await service.app.inject('/no/such/page/robin')
  await service.app.inject({ method: 'DELETE', url: '/pricing/secret' })
  await recordCheck(service.world.db, { at: service.clock.now(), differences: 2, is_whole: false })
  await assert.rejects(service.world.db.raw('select no_such_column'))
  // A busy machine may need longer than a scrape waits.
  samples = await eventually('a scrape with every figure', async () => {
    samples = await scrape(url)
    return figure('purser_figures_current') === 1 && figure('purser_ready') === 1 && samples
  })
})
after(() => service?.close())

/** Counts the reads of the figures, each of which asks for the open payment attempts. */
function counting(db: Db): Db {
  return {
    ...db,
    one: (statement) => {
      if (/from attempts/.test(statement.text)) reads++
      return db.one(statement)
    },
  }
}

const figure = (name: string, labels: Record<string, string> = {}) =>
  samples.find(
    (each) =>
      each.name === name &&
      Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )?.value

test('counts requests by the pattern of their route, and never by their path', () => {
  const name = 'purser_http_request_duration_seconds_count'
  const route = { route: '/api/v1/orders/:ref', method: 'GET', status: '4xx', mode: 'live' }
  assert.equal(figure(name, route), 1)
  const unknown = figure(name, { route: 'unknown', method: 'GET', status: '4xx' })
  assert.equal(unknown, 1)
  const routes = new Set(samples.map(({ labels }) => labels.route))
  for (const each of routes) assert.doesNotMatch(`${each}`, /robin|reference|secret/)
})

test('each label has one of a closed set of values', () => {
  const CLOSED: Record<string, RegExp> = {
    method: /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|other)$/,
    status: /^[1-5]xx$/,
    mode: /^(live|test)$/,
    outcome: /^(ok|sent|failed|refused|unreachable)$/,
    operation: /^[a-zA-Z]+$/,
    pool: /^(requests|reports)$/,
    state: /^(queued|retried|running|failed)$/,
    percentile: /^(50|99|100)$/,
    kind: /^(unavailable|conflict|serialization|other|any|[a-z_]+)$/,
    job: /^[a-z -]+$/,
    route: /^(unknown|\/[\w/:.*()^${}\\-]*)$/,
    le: /^[\d.]+$|^\+Inf$/,
  }
  for (const { labels } of samples) {
    for (const [label, value] of Object.entries(labels)) {
      assert.match(value, CLOSED[label] ?? /^never$/, label)
    }
  }
})

test('reports the purchase: calls of the processor, jobs, the database and the last check', () => {
  const calls = 'purser_processor_call_duration_seconds_count'
  assert.equal(figure(calls, { operation: 'charge', outcome: 'ok' }), 1)
  assert.equal(figure('purser_ready'), 1)
  assert.equal(figure('purser_figures_current'), 1)
  assert.equal(figure('purser_payment_attempts_open'), 0)
  assert.equal(figure('purser_ledger_check_differences'), 2)
  assert.equal(figure('purser_db_statement_errors_total', { kind: 'other' }), 1)
  assert.ok(samples.some(({ name }) => name === 'purser_job_duration_seconds_count'))
})

test('an email whose retries are used up, and an installation before its first night, are not late', async () => {
  const fresh = await openTestService()
  const { db, clock } = fresh.world
  const later = addDays(await installedAt(db), 1)
  clock.now = () => later
  await db.run(sql`insert into emails (id, cause, kind, subject_id, facts, queued_at, attempts)
    values ('one', 'one', 'x', 'x', '{}', ${addSeconds(later, -3_600 * 20)}, 12),
      ('two', 'two', 'x', 'x', '{}', ${addSeconds(later, -3_600)}, 4)`)
  const stored = await worldMetrics(fresh.world).stored()
  const value = (wanted: string) => stored.find(({ name }) => name === wanted)?.value
  assert.equal(value('purser_emails_unsent'), 2)
  assert.equal(value('purser_email_oldest_unsent_seconds'), 3_600)
  assert.equal(value('purser_ledger_check_age_seconds'), 86_400)
  assert.equal(value('purser_ledger_check_differences'), undefined)
  await fresh.close()
})

test('an event of the processor is late until it is handled', async () => {
  const fresh = await openTestService()
  const { db, clock, random } = fresh.world
  const now = clock.now()
  clock.now = () => now
  const read = async () => {
    const stored = await worldMetrics(fresh.world).stored()
    const events = stored.filter(({ name }) => name.startsWith('purser_processor_event'))
    return events.map(({ value }) => value)
  }
  assert.deepEqual(await read(), [0, 0])
  const id = mintId(random, 'evt')
  const event = { id, processor: 'stripe', kind: 'payout_settled', payload: {} } as const
  await payments.receive(db, addSeconds(now, -7_200), event)
  assert.deepEqual(await read(), [1, 7_200])
  await payments.markHandled(db, now, id)
  assert.deepEqual(await read(), [0, 0])
  await fresh.close()
})

test('the database is read once for the scrapes of fifteen seconds', async (t) => {
  const before = reads
  // A whole number, so that the differences are exact.
  const start = Math.ceil(performance.now())
  let passed = 15_001
  t.mock.method(performance, 'now', () => start + passed)
  for (let scrapes = 0; scrapes < 3; scrapes++) await scrape(url)
  assert.equal(reads, before + 1)
  passed += 15_000
  await scrape(url)
  assert.equal(reads, before + 1)
  passed += 1
  await scrape(url)
  assert.equal(reads, before + 2)
})

test('the documented metrics are the exported ones', () => {
  const page = readFileSync('docs/operate/monitoring.md', 'utf8')
  const documented = [...page.matchAll(/^\| `((?:purser|process)_[a-z_]+)`.*/gm)]
  const figures = documented
    .filter(([row]) => SERVER_URL !== undefined || !row.includes('PostgreSQL only'))
    .map(([, name]) => name!)
  assert.deepEqual(metricsOf(samples), figures.toSorted())
})

test('are not answered on the public port, and on the loopback only by default', async () => {
  const answer = await service.app.inject('/metrics')
  assert.equal(answer.statusCode, 404)
  assert.equal(service.world.config.metrics?.host, '127.0.0.1')
})

test('processes of one node answer on ports of their own', async () => {
  const port = await freePort()
  const settings = { port, host: '127.0.0.1', workers: 2 }
  const processes = [openMetrics(settings), openMetrics(settings), openMetrics(settings)]
  const [first, second, third] = processes
  await first!.listen()
  await second!.listen()
  await assert.rejects(third!.listen(), /EADDRINUSE/)
  for (const each of [port, port + 1]) await scrape(`http://127.0.0.1:${each}/metrics`)
  await Promise.all(processes.map((each) => each.close()))
})

test('a value that is no longer read is no longer exported', async () => {
  const port = await freePort()
  const metrics = openMetrics({ port, host: '127.0.0.1', workers: 1 })
  const name = 'purser_alarms_open'
  let stored = [{ name, value: 1, labels: { kind: 'ledger' } }]
  let gate: Promise<void> | undefined
  metrics.of('live').report({
    specs: [{ name, help: 'Open alarms.' }],
    now: async () => {
      await gate
      return stored
    },
    stored: async () => [],
  })
  await metrics.listen()
  try {
    const kinds = async () => {
      const all = await scrape(`http://127.0.0.1:${port}/metrics`)
      return all.filter((each) => each.name === name).map(({ labels }) => labels.kind)
    }
    assert.deepEqual(await kinds(), ['ledger'])
    stored = [{ name, value: 0, labels: { kind: 'any' } }]
    // Two servers of Prometheus may ask at the same time.
    gate = sleep(200)
    const both = await Promise.all([kinds(), kinds()])
    assert.deepEqual(both, [['any'], ['any']])
    stored = []
    assert.deepEqual(await kinds(), [])
  } finally {
    await metrics.close()
  }
})

test('test mode beside live mode has its own metrics', async () => {
  const port = await freePort()
  const both = await openBothModes({ settings: { METRICS_PORT: String(port) } })
  try {
    await both.test.app.inject('/healthz')
    samples = await scrape(`http://127.0.0.1:${port}/metrics`)
    for (const mode of ['live', 'test']) {
      assert.equal(figure('purser_ready', { mode }), 1, mode)
      assert.equal(figure('purser_payment_attempts_open', { mode }), 0, mode)
    }
    const requests = 'purser_http_request_duration_seconds_count'
    assert.equal(figure(requests, { mode: 'test', route: '/healthz' }), 1)
    assert.equal(figure(requests, { mode: 'live', route: '/healthz' }), undefined)
  } finally {
    await both.close()
  }
})

// A dead database must not hang the scrape.
test('answers within two seconds while the database does not, and says so', async () => {
  const db = await openTestDatabase()
  const port = await freePort()
  const never = () => new Promise<never>(() => {})
  const hung = { rows: never, one: never, maybe: never, run: never, raw: never }
  let isHung = false
  const when = (real: Db): Db =>
    new Proxy(real, { get: (_, name: keyof Db) => (isHung ? hung : real)[name] })
  const other = await openTestService({
    db: {
      ...db,
      monitor: when(db.monitor),
      probe: (s) => (isHung ? never() : db.probe(s)),
    } satisfies Database,
    settings: { METRICS_PORT: String(port) },
  })
  await other.listen()
  try {
    isHung = true
    // In the test's own time, which passes more slowly where the machine is busy.
    const scraped = await withTimeout(scrape(`http://127.0.0.1:${port}/metrics`), 2_500)
    assert.ok(scraped)
    samples = scraped
    assert.equal(figure('purser_figures_current'), 0)
    assert.notEqual(figure('purser_ready'), 1)
    assert.ok(figure('process_resident_memory_bytes')! > 0)
  } finally {
    await other.close()
  }
})
