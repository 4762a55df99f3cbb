import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Db } from '#platform/db'

interface Life {
  steps: number
  /** The step at which the process is killed. */
  last: number
}

const lives = new AsyncLocalStorage<Life>()

/** Thrown whenever a killed process would continue. */
export class Killed extends Error {}

/** A step with an outside effect: the process survives it, or is killed. */
function step(): void {
  const life = lives.getStore()
  if (life && ++life.steps >= life.last) throw new Killed(`killed at step ${life.last}`)
}

/** The result of work in a process that may be killed. */
export interface Fate {
  killed: boolean
  /** The number of steps it took. */
  steps: number
}

/**
 * Runs work as a process that is killed at its `last` step: a step is a statement, a commit, or
 * returning from one. Nothing has an effect afterwards, even if the error is caught.
 */
export async function untilKilled(last: number, work: () => Promise<unknown>): Promise<Fate> {
  const life = { steps: 0, last }
  await lives.run(life, work).catch((error) => {
    if (life.steps < last) throw error
  })
  return { killed: life.steps >= last, steps: life.steps }
}

/** A database that a killed process can no longer use; uncommitted work is rolled back. */
export function killableDatabase(db: Database): Database {
  return {
    ...db,
    ...killable(db),
    hot: async (statement) => {
      step()
      return await db.hot(statement)
    },
    async tx(work) {
      step()
      const result = await db.tx(async (inner) => {
        const done = await work(killable(inner))
        step()
        return done
      })
      step()
      return result
    },
  }
}

function killable(db: Db): Db {
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
