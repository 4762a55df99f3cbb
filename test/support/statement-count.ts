import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/** What a task sent to the database. */
export interface StatementCount {
  /** With begin and commit. */
  statements: number
  /** Transactions that wrote something, single statements included. */
  commits: number
}

/** Counts the statements of tasks, until it is stopped. */
export interface StatementCounter {
  /**
   * Counts what `work` sends. With `background`, also what polls and jobs send at that time.
   */
  within(work: () => Promise<unknown>, options?: { background?: boolean }): Promise<StatementCount>
  stop(): void
}

const WRITES = /\b(insert into|update|delete from)\b/i

/** Counts the statements of this process by the driver's own calls. */
export function countStatements(): StatementCounter {
  const running = new AsyncLocalStorage<StatementCount>()
  const uncounted = { statements: 0, commits: 0 }
  let background = uncounted
  const inTransaction = new WeakSet<pg.Client>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: never[]) {
    const counter = running.getStore() ?? background
    const [config] = args as unknown as [string | pg.QueryConfig]
    const text = typeof config === 'string' ? config : config.text
    counter.statements++
    if (/^begin\b/.test(text)) inTransaction.add(this)
    if (text === 'rollback') inTransaction.delete(this)
    const ends = text === 'commit' && inTransaction.delete(this)
    if (ends || (!inTransaction.has(this) && WRITES.test(text))) counter.commits++
    return Reflect.apply(query, this, args)
  } as typeof query
  return {
    async within(work, options = {}) {
      const own = { statements: 0, commits: 0 }
      if (options.background) background = own
      await running.run(own, work)
      background = uncounted
      return own
    },
    stop() {
      pg.Client.prototype.query = query
    },
  }
}
