import assert from 'node:assert/strict'
import type { Database, Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Waits until other transactions wait for locks, if the database has several connections. */
export async function untilBlocked(
  tx: Db,
  { engine }: Pick<Database, 'engine'>,
  count = 1,
): Promise<void> {
  for (let round = 0; engine === 'postgresql'; round++) {
    // What a transaction read of other sessions stays the same until it ends, or this.
    await tx.rows(sql`select pg_stat_clear_snapshot()`)
    const waiting = await tx.rows(sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    if (waiting.length >= count) return
    assert.ok(round < 1000, 'nothing waits for the lock')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
