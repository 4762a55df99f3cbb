import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import type { Sql } from '#platform/sql'

/** Runs statements. Inside a transaction the same interface runs them in that transaction. */
export interface Db {
  /** Every row of the result. */
  rows<Row>(statement: Sql): Promise<Row[]>
  /** The one row of the result; throws unless there is exactly one. */
  one<Row>(statement: Sql): Promise<Row>
  /** The first row, or undefined. */
  maybe<Row>(statement: Sql): Promise<Row | undefined>
  /** The number of rows that the statement changed. */
  run(statement: Sql): Promise<number>
  /**
   * Runs unprepared text, with several statements if it has no values: migrations, the job queue.
   */
  raw(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** How a transaction runs. */
export interface TransactionOptions {
  /** A statement may take minutes; without it, seconds. */
  patient?: boolean
  /**
   * Each statement has one good plan, whatever its values are, such as one that finds rows by their
   * ids: it is planned once for each connection.
   */
  generic_plans?: boolean
}

/**
 * The whole database: statements, transactions, hot reads, and notifications. A statement outside
 * of any transaction is one of its own, which a deadlock runs again too.
 */
export interface Database extends Db {
  readonly engine: 'postgresql' | 'embedded'
  /** A consistent copy of the embedded database, as a tar file; absent on PostgreSQL. */
  copy?: () => Promise<Blob>
  /**
   * Runs `work` in one transaction; an error rolls everything back, and a deadlock runs it again.
   */
  tx<Result>(work: (db: Db) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /**
   * The same over a few separate connections, for what may be slow: lists, statements, exports,
   * retention. However many of these wait, the other connections stay free (decision 72).
   */
  readonly reports: Db & Pick<Database, 'tx'>
  /** Statements that may take minutes: reports over everything, outside of any page request. */
  readonly patient: Db
  /** Runs statements on a separate connection, without a transaction, however long they take. */
  alone<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
  /** One read-only statement that avoids waiting for a pooled connection. */
  hot<Row>(statement: Sql): Promise<Row[]>
  /** Runs one statement on a separate connection, and fails within two seconds. */
  probe(statement: Sql): Promise<void>
  /** Statements of the monitoring, on a separate connection; each fails within two seconds. */
  readonly monitor: Db
  /** How many pooled connections are in use, and how many requests wait for one. */
  connections(): PoolUse[]
  /** Calls back for each message of a channel; `onLost` when messages may have been missed. */
  listen(channel: string, onMessage: (payload: string) => void, onLost: () => void): Promise<void>
  close(): Promise<void>
}

/** The use of a pool of connections. */
export interface PoolUse {
  pool: 'requests' | 'reports'
  in_use: number
  waiting: number
}

/** What a connection offers: prepared statements and plain text. */
export interface Connection {
  query(config: pg.QueryConfig | string, values?: unknown[]): Promise<pg.QueryResult>
}

// Cents and counts fit a double exactly; `cents()` refuses what would not.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** The statements interface over a connection, or over anything that finds one for each query. */
export function statements(connection: Connection): Db {
  const send = ({ name, text, values }: Sql) => connection.query({ name, text, values })
  return {
    rows: async (statement) => (await send(statement)).rows,
    async one(statement) {
      const { rows } = await send(statement)
      if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`)
      return rows[0]
    },
    maybe: async (statement) => (await send(statement)).rows[0],
    run: async (statement) => (await send(statement)).rowCount ?? 0,
    async raw(text, values) {
      const result = await connection.query(text, values)
      return { rows: (Array.isArray(result) ? result.at(-1) : result).rows }
    },
  }
}

/** The hooks to run once the open transaction is committed. */
const openTransaction = new AsyncLocalStorage<(() => void)[]>()

/**
 * Runs `work`, which begins and commits a transaction, as its inside: for the guard and the hooks
 * below. Where it throws, the transaction was rolled back, and no hook runs.
 */
export async function insideTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  assertNoTransaction('a transaction was opened')
  const hooks: (() => void)[] = []
  const result = await openTransaction.run(hooks, work)
  for (const hook of hooks) hook()
  return result
}

/** Calls `hook` when the open transaction is committed; at once where none is open. */
export function afterCommit(hook: () => void): void {
  const hooks = openTransaction.getStore()
  if (hooks) hooks.push(hook)
  else hook()
}

/**
 * Throws when a transaction is open. A call to the outside (a processor, a mail server) must never
 * wait with rows locked, and on the embedded engine's one connection it would deadlock.
 */
export function assertNoTransaction(what: string): void {
  if (openTransaction.getStore()) throw new Error(`${what} while a transaction is open`)
}

/** Whether an error is a violated unique constraint: with a name, of that one only. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return false
  return constraint === undefined || ('constraint' in error && error.constraint === constraint)
}

/** Whether PostgreSQL ended a transaction because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01'
}

// PostgreSQL's own codes: it starts, stops, has no connection left, or cannot write now.
const AWAY_CODES = /^(08...|53...|57P0[1-5]|57014|25006|58030|ECONN\w+|ENOTFOUND|ETIMEDOUT|EPIPE)$/
// The driver's messages about a connection, which have no code.
const AWAY_MESSAGES =
  /^(Query read timeout|timeout ex|(The|the) connection ended|Connection terminated|Client (has|was) )/

/** Whether an error means that the database is unavailable or overloaded, so a retry may help. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // What ends a session or refuses one is fatal: a database that accepts none, a changed password.
  if ('severity' in error && error.severity === 'FATAL') return true
  const code = 'code' in error ? String(error.code) : ''
  return AWAY_CODES.test(code) || AWAY_MESSAGES.test(error.message)
}

/** The kind of a statement's error, one of four. */
export function databaseFault(
  error: unknown,
): 'unavailable' | 'conflict' | 'serialization' | 'other' {
  if (isDatabaseAway(error)) return 'unavailable'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^23\w{3}$/.test(code)) return 'conflict'
  return /^40\w{3}$/.test(code) ? 'serialization' : 'other'
}
