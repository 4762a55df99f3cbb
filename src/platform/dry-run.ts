import type { Database, Db } from '#platform/db'

/** Carries a result out of the transaction that it rolls back. */
class RolledBack<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('a dry run is rolled back')
    this.result = result
  }
}

/**
 * Runs `work` in one transaction; a dry run does everything and rolls it back, so that its result
 * cannot differ from a real run's.
 */
export async function runOrDryRun<Result>(
  db: Database,
  { dry_run }: { dry_run: boolean },
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return await commitIf(db, () => !dry_run, work)
}

/** Runs `work` in one transaction, and rolls it back unless `isCommitted` accepts its result. */
export async function commitIf<Result>(
  db: Database,
  isCommitted: (result: Result) => boolean,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.tx(async (tx) => {
      const result = await work(tx)
      if (isCommitted(result)) return result
      throw new RolledBack(result)
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.result as Result
    throw error
  }
}
