import DataLoader from 'dataloader'

/** The most questions of one statement. */
const MOST = 100

/**
 * Answers the questions that arrive in one turn of the event loop together, by one call of `ask`,
 * whose answers are in the order of the questions. Nothing is remembered: each question is asked
 * after it arrived. Questions share their fate, so `ask` must not fail because of what one says.
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
