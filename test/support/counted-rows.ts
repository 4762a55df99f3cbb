import type { Database } from '#platform/db'
import type { Sql } from '#platform/sql'

/** A database that notes in `counts` how many rows each writing statement changes. */
export function countingRows(db: Database): { db: Database; counts: number[] } {
  const counts: number[] = []
  const counting: Database = {
    ...db,
    async run(statement: Sql) {
      const count = await db.run(statement)
      counts.push(count)
      return count
    },
  }
  return { db: counting, counts }
}
