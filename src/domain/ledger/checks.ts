import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Notes when the books were checked and how many differences there were, for the monitoring. */
export async function noteCheck(
  db: Db,
  { at, differences }: { at: Date; differences: number },
): Promise<void> {
  await db.run(sql`insert into ledger_checks (at, differences) values (${at}, ${differences})
    on conflict (id) do update set at = excluded.at, differences = excluded.differences`)
}

/** When the books were last checked, and how many differences there were; undefined for never. */
export async function lastCheck(db: Db): Promise<{ at: Date; differences: number } | undefined> {
  return await db.maybe(sql`select at, differences from ledger_checks`)
}
