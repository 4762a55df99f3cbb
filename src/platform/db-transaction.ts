import type pg from 'pg'
import { type Connection, insideTransaction, isDeadlock } from '#platform/db'
import type { Heartbeat } from '#platform/heartbeat'

/** How often a transaction, or a statement alone, that a deadlock ended is run, in all. */
const DEADLOCK_TRIES = 3
/** How long a rollback may take, in milliseconds. */
const ROLLBACK_TIMEOUT = 2_000

/** Where a transaction runs, and its limits. */
interface TransactOptions {
  pool: pg.Pool
  heartbeat: Heartbeat
  /** How long each statement may take, in milliseconds, if not as long as others of the pool. */
  statement_timeout?: number | undefined
  /** Whether each statement is planned once, for any values. */
  generic_plans?: boolean | undefined
}

/** Runs `work` in a transaction on a connection of a PostgreSQL pool; see `retryDeadlocks`. */
export async function transact<Result>(
  options: TransactOptions,
  work: (client: Connection) => Promise<Result>,
): Promise<Result> {
  return await retryDeadlocks(() => insideTransaction(() => transactOnce(options, work)))
}

/**
 * Runs a whole transaction, or a statement outside of any, and runs it again if a deadlock ended
 * it: it saved nothing and had no effect elsewhere.
 */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === DEADLOCK_TRIES || !isDeadlock(error)) throw error
    }
  }
}

/** Runs `work` between begin and commit; a connection that is lost is discarded. */
async function transactOnce<Result>(
  { pool, heartbeat, statement_timeout, generic_plans }: TransactOptions,
  work: (client: Connection) => Promise<Result>,
): Promise<Result> {
  const client = await connected(pool, heartbeat)
  let lost: Error | string | undefined
  // A connection may be lost between two statements, when no query is there to report it.
  const onLost = (error: Error) => {
    lost = error
  }
  client.on('error', onLost)
  try {
    const settings = [
      statement_timeout && `set local statement_timeout = ${statement_timeout}`,
      generic_plans && 'set local plan_cache_mode = force_generic_plan',
    ]
    await client.query(['begin', ...settings.filter(Boolean)].join('; '))
    const result = await work(statement_timeout ? waiting(client, statement_timeout) : client)
    await client.query('commit')
    return result
  } catch (error) {
    const brief = waiting(client, ROLLBACK_TIMEOUT)
    lost ??= await brief.query('rollback').then(() => undefined, String)
    throw error
  } finally {
    client.off('error', onLost)
    client.release(lost !== undefined)
  }
}

/** A connection from the pool; one that arrives too late is released. */
async function connected(pool: pg.Pool, heartbeat: Heartbeat): Promise<pg.PoolClient> {
  let connecting: Promise<pg.PoolClient> | undefined
  try {
    return await heartbeat.whileAnswering(() => {
      connecting = pool.connect()
      return connecting
    })
  } catch (error) {
    connecting?.then(
      (late) => late.release(true),
      () => {},
    )
    throw error
  }
}

/** The same connection with another timeout. */
function waiting(client: pg.PoolClient, query_timeout: number): Connection {
  return {
    query(config, values) {
      const { text, ...more } = typeof config === 'string' ? { text: config } : config
      return client.query({ text, ...more, query_timeout } as pg.QueryConfig, values)
    },
  }
}
