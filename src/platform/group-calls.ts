import DataLoader from 'dataloader'
import { isDatabaseAway } from '#platform/db'

/** The most calls in one group. */
const MOST = 100

/**
 * Groups calls: those that arrive in one turn of the event loop, or while an earlier group is at
 * work, become one call of `work`, which returns the results in the same order. If a group fails,
 * each of its calls is repeated alone, so that one cannot fail the others: `work` must undo what it
 * did, as a transaction does. For lookups, which need neither, see `batchLookups`.
 */
export function groupCalls<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve()
  const loader = new DataLoader<Item, Result>(
    (items) => {
      const results = allOrEach(items, work)
      running = results
      return results
    },
    {
      cache: false,
      maxBatchSize: MOST,
      batchScheduleFn: (dispatch) => void running.then(() => setImmediate(dispatch)),
    },
  )
  return (item) => loader.load(item)
}

/** The result or the error of each item. If the database is unavailable, no item is repeated. */
async function allOrEach<Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<Result[]>,
): Promise<(Result | Error)[]> {
  try {
    return await work(items)
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    if (items.length === 1 || isDatabaseAway(error)) return items.map(() => error)
  }
  const results: (Result | Error)[] = []
  for (const item of items) results.push(...(await allOrEach([item], work)))
  return results
}
