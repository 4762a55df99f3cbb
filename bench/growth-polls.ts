import type { World } from '#flows/world'
import type { Database, Db } from '#platform/db'
import type { Sql } from '#platform/sql'
import { readStored } from '#surfaces/monitoring/metrics'
import { declarePolls, declareSchedules } from '../src/background.ts'

/** The most that a statement that runs every few seconds should take, in milliseconds. */
const WANTED_MS = 5
/** The schedules that are measured. */
const EVERY_MINUTE = '* * * * *'

/** What PostgreSQL reports about one execution. */
interface Cost {
  text: string
  ms: number
  /** Pages of 8 kB that were read, from memory or the disk. */
  pages: number
}

/**
 * Runs everything that runs every few seconds or every minute, and prints the durations of its
 * statements by PostgreSQL's own clock. A statement that writes is run, rolled back, and run again.
 */
export async function measurePolls(world: World): Promise<void> {
  const costs: Cost[] = []
  const db = measured(world.db, (cost) => costs.push(cost))
  const works: [name: string, work: () => Promise<unknown>][] = [
    ['readiness', () => db.probe(READY)],
    ['monitoring metrics', () => readStored(db, world.clock.now())],
  ]
  const jobs = {
    ...world.jobs,
    poll: (name: string, _seconds: number, work: () => Promise<void>) => works.push([name, work]),
    schedule: (name: string, cron: string, work: () => Promise<void>) => {
      if (cron === EVERY_MINUTE) works.push([name, work])
    },
  }
  declarePolls({ ...world, db, jobs })
  declareSchedules({ ...world, db, jobs })
  console.log(`\n${'every few seconds, or every minute'.padEnd(34)} statements   most, ms    pages`)
  for (const [name, work] of works) {
    // The first run reads cold pages.
    await work()
    costs.length = 0
    await work()
    const most = costs.toSorted((a, b) => b.ms - a.ms)[0]
    if (!most) continue
    const figures = [String(costs.length).padStart(10), most.ms.toFixed(2).padStart(10)]
    const mark = most.ms > WANTED_MS ? `  slow: ${most.text.replaceAll(/\s+/g, ' ')}` : ''
    console.log(`${name.padEnd(34)} ${figures.join(' ')} ${String(most.pages).padStart(8)}${mark}`)
  }
}

const READY = { text: 'select 1', values: [], name: 'ready' } as Sql

function measured(db: Database, note: (cost: Cost) => void): Database {
  const apart = (work: (tx: Db) => Promise<unknown>) => db.tx(work)
  const outer = (inner: Db): Db => ({
    ...inner,
    ...explaining(inner, async (statement) => {
      await apart(async (tx) => {
        note(await explained(tx, statement))
        throw new RolledBack()
      }).catch(ignoreRollback)
    }),
  })
  const tx: Database['tx'] = (work, options) =>
    db.tx((inner) => {
      const within = explaining(inner, async (statement) => {
        await inner.raw('savepoint measured')
        note(await explained(inner, statement))
        await inner.raw('rollback to savepoint measured')
      })
      return work({ ...inner, ...within })
    }, options)
  return {
    ...db,
    ...outer(db),
    tx,
    reports: { ...outer(db.reports), tx },
    patient: outer(db.patient),
    hot: outer(db).rows,
    monitor: outer(db.monitor),
  }
}

class RolledBack extends Error {}

function ignoreRollback(error: unknown): void {
  if (!(error instanceof RolledBack)) throw error
}

function explaining(db: Db, explain: (statement: Sql) => Promise<void>): Omit<Db, 'raw'> {
  const after =
    <Result>(run: (statement: Sql) => Promise<Result>) =>
    async (statement: Sql) => {
      await explain(statement)
      return await run(statement)
    }
  return {
    rows: after(db.rows) as Db['rows'],
    one: after(db.one) as Db['one'],
    maybe: after(db.maybe) as Db['maybe'],
    run: after(db.run),
  }
}

interface Explained {
  'Execution Time': number
  Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>
}

async function explained(db: Db, { text, values }: Sql): Promise<Cost> {
  const { rows } = await db.raw(`explain (analyze, buffers, format json) ${text}`, values)
  const [{ 'QUERY PLAN': answer }] = rows as [{ 'QUERY PLAN': [Explained] }]
  const [{ Plan, 'Execution Time': ms }] = answer
  return { text, ms, pages: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'] }
}
