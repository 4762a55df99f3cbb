import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** A transaction that another connection to the database has open. */
export interface OpenTransaction {
  /** The process of the server. */
  pid: number
  /** The name that the program gave its connection. */
  program: string
  /** By the clock of the database. */
  begun_at: Date
  open_seconds: number
}

/**
 * The oldest open transaction of other connections; undefined if there is none, and always with the
 * embedded database, which runs one after the other. What a transaction wrote that is not open any
 * longer is visible to every statement that follows.
 */
export async function oldestTransaction(db: Db): Promise<OpenTransaction | undefined> {
  return await db.maybe<OpenTransaction>(sql`select pid,
      coalesce(nullif(application_name, ''), 'without a name') as program,
      xact_start as begun_at,
      extract(epoch from clock_timestamp() - xact_start)::float8 as open_seconds
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`)
}
