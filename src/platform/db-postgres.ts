import pg from 'pg'
import {
  assertNoTransaction,
  type Connection,
  type Database,
  type Db,
  type PoolUse,
  statements,
} from '#platform/db'
import { Listeners } from '#platform/db-listeners'
import { retryDeadlocks, transact } from '#platform/db-transaction'
import { Heartbeat } from '#platform/heartbeat'
import type { Log } from '#platform/log'
import { Problem } from '#platform/problem'
import { Reconnecting } from '#platform/reconnecting'

/**
 * How long to wait for the database, in milliseconds. The server cancels what takes too long; the
 * client gives up a little later, in case the connection was lost silently.
 */
export const LIMITS = {
  // Also how long a request waits for a free connection of the pool.
  connect: 5_000,
  statement: 15_000,
  patient_statement: 30 * 60_000,
  idle_in_transaction: 60_000,
  answer_after: 2_000,
  hot: 3_000,
  probe: 1_500,
  // How often the server is pinged, and when it counts as silent.
  heartbeat: 300,
  silent: 1_300,
  keepalive: 10_000,
  // How long an unused connection is kept: a new one plans every statement again.
  idle: 10 * 60_000,
}

/**
 * The number of connections of a process, and of requests that may wait for one of the reports.
 * Apart from the pools: hot reads, the readiness check, monitoring, and the heartbeat, which
 * listens.
 */
export const CONNECTIONS = { pool: 10, reports: 4, single: 4, waiting_reports: 40 }
const RETRY_SECONDS = 5
/** Compiling a statement takes longer than any of ours runs. */
const OPTIONS = '-c jit=off'
/** The lookups have one good plan; planning one takes longer than it runs. */
const HOT = { pipeline: true, options: `${OPTIONS} -c plan_cache_mode=force_generic_plan` }

/** Opens a pool on a PostgreSQL server, and separate clients for hot reads and notifications. */
export async function openPostgres(
  connectionString: string,
  log: Log,
  limits = LIMITS,
): Promise<Database> {
  // Every connection for requests, of which none is of use while the server is silent.
  const open = new Set<pg.Client>()
  const { pool, reports } = openPools(connectionString, log, { limits, open })
  await pool.query('select 1')

  const alone = (limit: number, more: pg.ClientConfig = {}) =>
    new pg.Client({
      ...connection(connectionString, limits),
      query_timeout: limit,
      statement_timeout: limit,
      ...more,
    })
  const hot = new Reconnecting(() => alone(limits.hot, HOT), log)
  // Gives up before the client's own timers, which a busy process finds expired.
  const watching = () =>
    new Reconnecting(() => alone(limits.probe, { query_timeout: limits.connect }), log, {
      within_ms: limits.probe,
    })
  const [probing, monitoring] = [watching(), watching()]
  const listeners = new Listeners()
  // It gives up later than the heartbeat, which replaces it as soon as the server answers.
  const silence = 2 * limits.silent
  const beating = new Reconnecting(
    () => alone(silence, { connectionTimeoutMillis: silence }),
    log,
    { onConnect: (client) => listeners.resume(client) },
  )
  await beating.client().catch(() => {})
  const heartbeat = new Heartbeat({
    ask: () => beating.query('select 1'),
    every_ms: limits.heartbeat,
    within_ms: limits.silent,
    onSilent: () => cutOff(open, hot),
    log,
  })
  const patient_options = { pool: reports, heartbeat, statement_timeout: limits.patient_statement }
  const patiently: Connection = {
    query: (config, values) => transact(patient_options, (client) => client.query(config, values)),
  }

  return {
    engine: 'postgresql',
    ...over(pool, heartbeat, limits),
    reports: over(reports, heartbeat, limits, () => assertCapacity(reports)),
    patient: statements(patiently),
    alone: (work) => onOwnConnection(connection(connectionString, limits), log, work),
    hot: statements({
      query: (config, values) => heartbeat.whileAnswering(() => hot.query(config, values)),
    }).rows,
    probe: async (statement) => {
      await probing.query(statement)
    },
    monitor: statements({ query: (config, values) => monitoring.query(config, values) }),
    connections: () => [useOf('requests', pool), useOf('reports', reports)],
    listen: (channel, onMessage, onLost) => listeners.add(beating, { channel, onMessage, onLost }),
    async close() {
      heartbeat.close()
      const others = [hot, probing, monitoring, beating]
      await Promise.all(others.map((each) => each.close()))
      await Promise.all([pool.end(), reports.end()])
    },
  }
}

function useOf(name: PoolUse['pool'], { totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { pool: name, in_use: totalCount - idleCount, waiting: waitingCount }
}

async function onOwnConnection<Result>(
  config: pg.ClientConfig,
  log: Log,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config)
  // The query reports the loss as well; without a listener the process would end.
  client.on('error', (error) => log.warn({ error }, 'database connection lost'))
  await client.connect()
  try {
    return await work(statements(client))
  } finally {
    await client.end()
  }
}

/** Statements and transactions over a pool; `assertFree` may refuse before one waits for it. */
function over(
  pool: pg.Pool,
  heartbeat: Heartbeat,
  limits: typeof LIMITS,
  assertFree = () => {},
): Database['reports'] {
  return {
    ...statements({
      async query(config, values) {
        assertNoTransaction('the database was used outside of the open transaction')
        assertFree()
        return await retryDeadlocks(() =>
          heartbeat.whileAnswering(() => pool.query(config, values)),
        )
      },
    }),
    async tx(work, { patient = false, generic_plans } = {}) {
      assertFree()
      const statement_timeout = patient ? limits.patient_statement : undefined
      const on = { pool, heartbeat, statement_timeout, generic_plans }
      return await transact(on, (client) => work(statements(client)))
    },
  }
}

/** Refuses immediately if so many wait for a connection that most would time out. */
function assertCapacity(pool: pg.Pool): void {
  if (pool.waitingCount < CONNECTIONS.waiting_reports) return
  const message = 'Too many reports are open right now. Try again in a few seconds.'
  throw new Problem(503, 'service_unavailable', message, { retry_after: RETRY_SECONDS })
}

function connection(connectionString: string, limits: typeof LIMITS) {
  return {
    connectionString,
    application_name: 'purser',
    connectionTimeoutMillis: limits.connect,
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.keepalive,
  }
}

/** The pool of requests, and a small one of reports. */
function openPools(
  connectionString: string,
  log: Log,
  { limits, open }: { limits: typeof LIMITS; open: Set<pg.Client> },
) {
  const pool = openPool(connectionString, log, { ...limits, open, max: CONNECTIONS.pool })
  const reports = openPool(connectionString, log, {
    ...limits,
    open,
    max: CONNECTIONS.reports,
    // A list's best plan depends on its filters: a plan for any values reads the whole list.
    options: `${OPTIONS} -c plan_cache_mode=force_custom_plan`,
  })
  return { pool, reports }
}

interface PoolOptions {
  max: number
  /** Every connection of the pool, also while it is being opened. */
  open: Set<pg.Client>
  options?: string
}

/** Cuts off every connection that requests use, as `end` would wait for the server. */
function cutOff(open: ReadonlySet<pg.Client>, hot: Reconnecting): void {
  for (const client of open) {
    const { connection } = client as pg.Client & { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
  }
  hot.reset()
}

function openPool(
  connectionString: string,
  log: Log,
  { max, open, options = OPTIONS, ...limits }: typeof LIMITS & PoolOptions,
): pg.Pool {
  class CountedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      open.add(this)
      this.once('end', () => open.delete(this))
    }
  }
  const pool = new pg.Pool({
    ...connection(connectionString, limits),
    Client: CountedClient,
    max,
    options,
    idleTimeoutMillis: limits.idle,
    statement_timeout: limits.statement,
    query_timeout: limits.statement + limits.answer_after,
    idle_in_transaction_session_timeout: limits.idle_in_transaction,
  })
  pool.on('error', (error) => log.warn({ error }, 'idle database connection lost'))
  return pool
}
