import DataLoader from 'dataloader'

/** The most lookups in one statement. */
const MOST = 100

/**
 * Batches the lookups that arrive in one turn of the event loop into one call of `ask`, which
 * returns results in the same order. Nothing is cached: each lookup runs after it arrived. An error
 * rejects the whole batch, so `ask` must not fail because of the content of one lookup. No batch
 * waits for another one; transactions, which lock rows, do (`groupCalls`).
 */
export function batchLookups<Lookup, Answer>(
  ask: (lookups: readonly Lookup[]) => Promise<Answer[]>,
): (lookup: Lookup) => Promise<Answer> {
  const loader = new DataLoader<Lookup, Answer>(ask, {
    cache: false,
    maxBatchSize: MOST,
    // After every request of this turn was read.
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  })
  return (lookup) => loader.load(lookup)
}
