import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { type Database, isDatabaseAway } from '#platform/db'
import { LIMITS, openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { sql } from '#platform/sql'
import { withTimeout } from '#platform/with-timeout'
import { administrate, createServerDatabase, SERVER_URL } from '../support/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const SKIP = SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)'
const log = openLog('silent')

describe('connections to PostgreSQL', { skip: SKIP }, () => {
  let url: URL
  let through: URL
  let drop: () => Promise<void>
  let proxy: TcpProxy
  let db: Database

  before(async () => {
    const made = await createServerDatabase(SERVER_URL!)
    url = made.url
    drop = made.drop
    proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) })
    through = new URL(url)
    through.port = String(proxy.port)
    db = await openPostgres(through.href, log)
    await db.raw('create table jars (id text primary key)')
  })
  after(async () => {
    await db?.close()
    await proxy?.close()
    await drop?.()
  })

  const terminateOthers = () =>
    administrate(
      url.href,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
  /** Resolves once requests are answered again, which each connection notices on its own. */
  const recovered = async (service: Database) => {
    const answers = () => service.rows(sql`select 1`).catch(() => undefined)
    while (!(await answers())) await pause(20)
  }
  /** Whether each of these requests fails because the database is away; an error of another kind. */
  const areAway = (requested: Promise<unknown>[]) =>
    Promise.all(
      requested.map((each) =>
        each.then(
          () => false,
          (error: unknown) => isDatabaseAway(error) || error,
        ),
      ),
    )
  const works = () => db.tx((tx) => tx.rows(sql`select 1 as one`))
  /**
   * A database with some of the limits shortened, for tests that reach these. The others keep the
   * limits of production, which a busy machine does not reach.
   */
  const openLimited = async (t: TestContext, limits: Partial<typeof LIMITS>) => {
    const limited = await openPostgres(through.href, log, { ...LIMITS, ...limits })
    t.after(() => limited.close())
    return limited
  }

  // R1
  test('terminated inside a transaction fail that transaction and nothing else', async () => {
    for (let round = 0; round < 3; round++) {
      await assert.rejects(
        db.tx(async (tx) => {
          await tx.run(sql`insert into jars values ('lost')`)
          await terminateOthers()
          // The loss is noticed while no statement is running.
          await pause(20)
          await tx.run(sql`insert into jars values ('after')`)
        }),
        (error) => isDatabaseAway(error),
      )
      assert.deepEqual(await works(), [{ one: 1 }])
    }
    assert.deepEqual(await db.rows(sql`select id from jars`), [])
  })

  test('that are terminated listen to every channel again', async () => {
    const channels = ['lids', 'labels']
    const messages: string[] = []
    const lost = new Set<string>()
    for (const channel of channels) {
      await db.listen(
        channel,
        (payload) => messages.push(payload),
        () => lost.add(channel),
      )
    }
    lost.clear()
    await terminateOthers()
    while (lost.size < channels.length) await pause(20)
    for (const channel of channels) await db.run(sql`select pg_notify(${channel}, ${channel})`)
    while (messages.length < channels.length) await pause(20)
    assert.deepEqual(messages, channels)
  })

  // R1
  test('that the server refuses count as unavailable, for whatever reason it refuses them', async () => {
    const name = url.pathname.slice(1)
    const allow = (allowed: boolean) =>
      administrate(SERVER_URL!, `alter database ${name} allow_connections ${allowed}`)
    await terminateOthers()
    await allow(false)
    try {
      const requests = [works(), db.rows(sql`select 1`), db.hot(sql`select 1`)]
      await Promise.all(
        requests.map((request) => assert.rejects(request, (error) => isDatabaseAway(error))),
      )
    } finally {
      await allow(true)
    }
    assert.deepEqual(await works(), [{ one: 1 }])
  })

  // R1
  test('are all replaced without a restart after termination, and listeners receive messages again', async () => {
    const received: string[] = []
    let lost = 0
    await db.listen(
      'lids',
      (payload) => received.push(payload),
      () => lost++,
    )
    await db.hot(sql`select 1 as one`)
    await Promise.all([works(), works(), works()])
    lost = 0
    await terminateOthers()
    while (lost === 0) await setImmediate()
    assert.deepEqual(await works(), [{ one: 1 }])
    assert.deepEqual(await db.hot(sql`select 1 as one`), [{ one: 1 }])
    await db.rows(sql`select pg_notify('lids', 'open')`)
    while (received.length === 0) await setImmediate()
    assert.deepEqual(received, ['open'])
  })

  // R2
  test('survive a statement that runs too long, which the server cancels', async (t) => {
    const limited = await openLimited(t, { statement: 400 })
    await assert.rejects(limited.rows(sql`select pg_sleep(60)`), { code: '57014' })
    await assert.rejects(
      limited.tx((tx) => tx.rows(sql`select pg_sleep(60)`)),
      { code: '57014' },
    )
    assert.deepEqual(await limited.rows(sql`select 1 as one`), [{ one: 1 }])
  })

  // R2
  test('allow a patient statement more time', async (t) => {
    const limited = await openLimited(t, { statement: 400 })
    assert.equal((await limited.patient.rows(sql`select pg_sleep(1)`)).length, 1)
    assert.equal(
      (await limited.tx((tx) => tx.rows(sql`select pg_sleep(1)`), { patient: true })).length,
      1,
    )
  })

  // R2
  test('in an idle transaction are terminated by the server', async (t) => {
    const limited = await openLimited(t, { idle_in_transaction: 400 })
    await assert.rejects(
      limited.tx(async (tx) => {
        const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
        const own = sql`select 1 from pg_stat_activity where pid = ${pid}`
        while (await db.monitor.maybe(own)) await pause(20)
        await tx.rows(sql`select 1`)
      }),
      (error) => isDatabaseAway(error),
    )
    assert.deepEqual(await limited.rows(sql`select 1 as one`), [{ one: 1 }])
  })

  // R2, R9
  test('that are lost silently fail in time, and recover once the network does', async () => {
    let lost = 0
    await db.listen(
      'jars',
      () => {},
      () => lost++,
    )
    await db.hot(sql`select 1 as one`)
    await works()
    proxy.silence(true)
    const requested = [
      db.rows(sql`select 1`),
      db.tx((tx) => tx.rows(sql`select 1`)),
      db.hot(sql`select 1`),
      db.probe(sql`select 1`),
    ]
    assert.deepEqual(await withTimeout(areAway(requested), 5_000), [true, true, true, true])
    // By now the heartbeat has given up the silent connection, which misses notifications.
    const seen = lost
    proxy.silence(false)
    while (lost === seen) await setImmediate()
    await recovered(db)
    assert.deepEqual(await works(), [{ one: 1 }])
    assert.deepEqual(await db.hot(sql`select 1 as one`), [{ one: 1 }])
    await db.probe(sql`select 1`)
  })

  // R2
  test('fail within two seconds when the server falls silent, with the limits of production', async () => {
    const other = await openPostgres(through.href, log)
    await other.hot(sql`select 1`)
    await other.rows(sql`select 1`)
    proxy.silence(true)
    const requested = [
      other.rows(sql`select 1`),
      other.tx((tx) => tx.rows(sql`select 1`)),
      other.reports.rows(sql`select 1`),
      other.hot(sql`select 1`),
    ]
    assert.deepEqual(await withTimeout(areAway(requested), 2_500), [true, true, true, true])
    // While it is silent, nothing waits at all.
    assert.deepEqual(await withTimeout(areAway([other.rows(sql`select 1`)]), 100), [true])
    proxy.silence(false)
    await recovered(other)
    await other.close()
  })

  // R2
  test('close without waiting for a silent server', async () => {
    const other = await openPostgres(through.href, log, { ...LIMITS, statement: 400 })
    await other.hot(sql`select 1`)
    proxy.silence(true)
    const requested = other.rows(sql`select 1`).catch(() => {})
    const closed = Promise.all([other.close(), requested]).then(() => 'closed')
    assert.equal(await withTimeout(closed, 5_000), 'closed')
    proxy.silence(false)
  })
})
