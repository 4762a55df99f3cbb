import DataLoader from 'dataloader'

/** The most lookups in one statement. */
const MOST = 100

/**
 * Batches the lookups that arrive in one turn of the event loop into one call of `ask`, which
 * returns results in the same order. Nothing is cached: each lookup runs after it arrived. An error
 * rejects the whole batch, so `ask` must not fail because of the content of one lookup.
 */
export function batched<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer[]>,
): (question: Question) => Promise<Answer> {
  const loader = new DataLoader<Question, Answer>(ask, {
    cache: false,
    maxBatchSize: MOST,
    // After every request of this turn was read.
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  })
  return (question) => loader.load(question)
}
