import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'

/** Sets an app's test clock; it never moves back. */
export async function setClockAhead(db: Db, id: AppId, seconds: number): Promise<void> {
  await db.run(sql`update apps set clock_ahead = greatest(clock_ahead, ${seconds}),
      clock_moved_at = clock_timestamp() where id = ${id}`)
}

/** When an app's test clock last moved, by the clock of the database; null if it never did. */
export async function clockMovedAt(db: Db, id: AppId): Promise<Date | null> {
  const { clock_moved_at } = await db.one<{ clock_moved_at: Date | null }>(
    sql`select clock_moved_at from apps where id = ${id}`,
  )
  return clock_moved_at
}

/** How far the test clock furthest ahead is, in seconds; zero in live mode. */
export async function furthestClock(db: Db): Promise<number> {
  const { ahead } = await db.one<{ ahead: number }>(
    sql`select coalesce(max(clock_ahead), 0)::bigint as ahead from apps where clock_ahead > 0`,
  )
  return ahead
}
