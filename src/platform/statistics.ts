import type { Database } from '#platform/db'

/**
 * Updates what the planner knows of tables that grew by orders of magnitude. PostgreSQL does it by
 * itself within minutes, and the embedded database never.
 */
export async function refreshStatistics(
  db: Pick<Database, 'alone'>,
  tables: readonly string[],
): Promise<void> {
  await db.alone(async (own) => {
    // One table at a time: the embedded database answers nothing else while it runs.
    for (const table of tables) await own.raw(`analyze ${table}`)
  })
}
