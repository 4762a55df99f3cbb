import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Db } from '#platform/db'

interface Life {
  steps: number
  /** The step at which the process is killed. */
  last: number
}

const lives = new AsyncLocalStorage<Life>()

/** What is thrown wherever a dead process would go on. */
export class Killed extends Error {}

/** One thing that a process does to the world outside: here it survives, or is killed for good. */
function step(): void {
  const life = lives.getStore()
  if (life && ++life.steps >= life.last) throw new Killed(`killed at step ${life.last}`)
}

/** What became of work in a process that could be killed. */
export interface Fate {
  killed: boolean
  /** How many steps it took, or would have been the next. */
  steps: number
}

/**
 * Does something as a process that is killed at its `last` step: a step is a statement, a commit,
 * or coming back from one. From then on nothing that it asks for is done, even if the error is caught.
 */
export async function untilKilled(last: number, work: () => Promise<unknown>): Promise<Fate> {
  const life = { steps: 0, last }
  await lives.run(life, work).catch((error) => {
    if (life.steps < last) throw error
  })
  return { killed: life.steps >= last, steps: life.steps }
}

/** A database that a process asks no more once it was killed; what it had not committed is undone. */
export function mortalDatabase(db: Database): Database {
  return {
    ...db,
    ...mortal(db),
    hot: async (statement) => {
      step()
      return await db.hot(statement)
    },
    async tx(work) {
      step()
      const result = await db.tx(async (inner) => {
        const done = await work(mortal(inner))
        step()
        return done
      })
      step()
      return result
    },
  }
}

function mortal(db: Db): Db {
  const guarded =
    <Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      step()
      return await ask(...args)
    }
  return {
    rows: guarded(db.rows) as Db['rows'],
    one: guarded(db.one) as Db['one'],
    maybe: guarded(db.maybe) as Db['maybe'],
    run: guarded(db.run),
    raw: guarded(db.raw),
  }
}
