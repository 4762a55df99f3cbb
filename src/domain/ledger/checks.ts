import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** The result of the last check of the books. */
export interface LedgerCheck {
  at: Date
  differences: number
  /** When the whole books were last checked; null: never. */
  whole_at: Date | null
}

/** Records a check of the books, for the monitoring and for when the next one is due. */
export async function recordCheck(
  db: Db,
  { at, differences, is_whole }: Pick<LedgerCheck, 'at' | 'differences'> & { is_whole: boolean },
): Promise<void> {
  await db.run(sql`insert into ledger_checks (at, differences, whole_at)
    values (${at}, ${differences}, ${is_whole ? at : null})
    on conflict (id) do update set at = excluded.at, differences = excluded.differences,
      whole_at = coalesce(excluded.whole_at, ledger_checks.whole_at)`)
}

/** The last check of the books. Undefined if there was none. */
export async function lastCheck(db: Db): Promise<LedgerCheck | undefined> {
  return await db.maybe<LedgerCheck>(sql`select at, differences, whole_at from ledger_checks`)
}
