import type { Database, Db } from '#platform/db'

/** Carries a result out of the transaction that it rolls back. */
class Rehearsed<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('a rehearsal is rolled back')
    this.result = result
  }
}

/**
 * Runs `work` in one transaction; a dry run does everything and rolls it back, so that its result
 * cannot differ from a real run's.
 */
export async function perform<Result>(
  db: Database,
  { dry_run }: { dry_run: boolean },
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return await performIf(db, () => !dry_run, work)
}

/** Runs `work` in one transaction, and rolls it back unless its result is worth keeping. */
export async function performIf<Result>(
  db: Database,
  isKept: (result: Result) => boolean,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.tx(async (tx) => {
      const result = await work(tx)
      if (isKept(result)) return result
      throw new Rehearsed(result)
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as Result
    throw error
  }
}
