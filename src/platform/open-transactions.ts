import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** The oldest transaction that other connections to the database have open. */
export interface OpenTransaction {
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
  const { begun_at, open_seconds } = await db.one<{
    begun_at: Date | null
    open_seconds: number | null
  }>(sql`select min(xact_start) as begun_at,
      extract(epoch from clock_timestamp() - min(xact_start))::float8 as open_seconds
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and pid <> pg_backend_pid()`)
  return begun_at && open_seconds !== null ? { begun_at, open_seconds } : undefined
}
