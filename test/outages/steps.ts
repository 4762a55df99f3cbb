import { AsyncLocalStorage } from 'node:async_hooks'
import { writeSync } from 'node:fs'
import type { Database, Db } from '#platform/db'
import type { Sql } from '#platform/sql'

/** A run whose steps are counted, and the step before which the process is killed. */
interface Run {
  steps: string[]
  kill_at: number | undefined
}

const runs = new AsyncLocalStorage<Run>()

/**
 * Counts a step of the current run: a statement, a commit, a call to the outside, or its answer.
 * Kills the process with SIGKILL, and never returns, where it is the one to die at.
 */
export async function step(name: string): Promise<void> {
  const run = runs.getStore()
  if (!run) return
  run.steps.push(name)
  if (run.steps.length !== run.kill_at) return
  writeSync(process.stdout.fd, `killed before step ${run.kill_at}: ${name}\n`)
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

/** Does work as a run; returns the names of its steps. */
export async function inRun(
  kill_at: number | undefined,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const run: Run = { steps: [], kill_at }
  await runs.run(run, work)
  return run.steps
}

/** Makes what follows in this asynchronous context a run that dies at a step. */
export function enterRun(kill_at: number | undefined): string[] {
  const run: Run = { steps: [], kill_at }
  runs.enterWith(run)
  return run.steps
}

/** A call to the outside as two steps; what the other side does is none of ours. */
export async function outside<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
  await step(`${name} is asked`)
  const answer = await runs.exit(ask)
  await step(`${name} has answered`)
  return answer
}

/** A database whose statements and commits are steps. */
export function steppingDatabase(db: Database): Database {
  return {
    ...db,
    ...stepping(db),
    reports: { ...stepping(db.reports), tx: transactions(db.reports) },
    hot: async (statement) => {
      await step(firstWords(statement))
      return await db.hot(statement)
    },
    tx: transactions(db),
  }
}

function transactions(db: Pick<Database, 'tx'>): Database['tx'] {
  return async (work, options) => {
    const result = await db.tx(async (inner) => {
      const done = await work(stepping(inner))
      await step('commit')
      return done
    }, options)
    await step('committed')
    return result
  }
}

function stepping(db: Db): Db {
  const counted =
    <Result>(ask: (statement: Sql) => Promise<Result>) =>
    async (statement: Sql) => {
      await step(firstWords(statement))
      return await ask(statement)
    }
  return {
    rows: counted(db.rows) as Db['rows'],
    one: counted(db.one) as Db['one'],
    maybe: counted(db.maybe) as Db['maybe'],
    run: counted(db.run),
    async raw(text, values) {
      await step(text.trim().split(/\s+/, 3).join(' '))
      return await db.raw(text, values)
    },
  }
}

const firstWords = ({ text }: Sql) => text.trim().split(/\s+/, 3).join(' ')
