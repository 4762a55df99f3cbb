import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { type Db, statements } from '#platform/db'
import { peopleOf, type Size } from './growth-people.ts'
import { CLONED, seedPeople, stepsOf, tableOf } from './growth-seed.ts'

/** The number of tables that are filled at the same time. */
const LANES = 3

/**
 * Fills an empty database with so much that it takes minutes: a few tables at a time, without their
 * indexes, which are built afterwards. The connection must be a superuser's. If this does not
 * finish, the database is unusable.
 */
export async function seedInBulk(
  connectionString: string,
  demo_app: string,
  size: Size,
): Promise<void> {
  const lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(connectionString)))
  try {
    await fillAll(lanes as [Lane, ...Lane[]], demo_app, size)
  } finally {
    // A connection that is open when its server stops would end the process, with that error.
    await Promise.all(lanes.map(({ client }) => client.end()))
  }
}

async function fillAll(lanes: [Lane, ...Lane[]], demo_app: string, size: Size): Promise<void> {
  const [{ db }] = lanes
  await noted('apps and people', () => seedPeople(db, demo_app, size))
  const filled = new Set<string>()
  for (const { work, inserts } of stepsOf(size)) {
    for (const [table, content] of work) {
      await noted(table, async () => {
        await db.raw(`create unlogged table ${table} as ${content}`)
        await db.raw(`analyze ${table}`)
      })
    }
    await inLanes(lanes, byTable(inserts), async (lane, [table, own]) => {
      await noted(table, () => fill(lane.db, table, own, filled))
    })
  }
  for (const { work } of stepsOf(size)) {
    for (const [table] of work) await db.raw(`drop table ${table}`)
  }
  for (const statement of peopleOf(size)) filled.add(tableOf(statement))
  await noted('vacuum', () =>
    inLanes(lanes, [...filled, ...CLONED], (lane, table) =>
      lane.db.raw(`vacuum (analyze) ${table}`),
    ),
  )
}

interface Lane {
  client: pg.Client
  db: Db
}

async function openLane(connectionString: string): Promise<Lane> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(`set session_replication_role = replica; set work_mem = '256MB';
    set synchronous_commit = off; set max_parallel_maintenance_workers = 1; set jit = off`)
  return { client, db: statements(client) }
}

/** Statements by the table that they fill. */
function byTable(inserts: string[]): [table: string, own: string[]][] {
  return [...Map.groupBy(inserts, tableOf)]
}

/** Runs the first statements of a table without its indexes, which are built afterwards. */
async function fill(db: Db, table: string, own: string[], filled: Set<string>): Promise<void> {
  const isFirst = !filled.has(table) && !own.some((statement) => /on conflict/.test(statement))
  filled.add(table)
  if (isFirst) {
    await db.raw(`update pg_index set indisready = false, indisvalid = false
      where indrelid = '${table}'::regclass`)
  }
  for (const statement of own) await db.raw(statement)
  if (isFirst) await db.raw(`reindex table ${table}`)
  await db.raw(`analyze ${table}`)
}

/** Does `work` for each of `all`; each lane does one at a time. */
async function inLanes<Each>(
  lanes: Lane[],
  all: Each[],
  work: (lane: Lane, each: Each) => Promise<unknown>,
): Promise<void> {
  const left = [...all]
  await Promise.all(
    lanes.map(async (lane) => {
      for (let each = left.shift(); each !== undefined; each = left.shift()) await work(lane, each)
    }),
  )
}

async function noted(what: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  if (seconds >= 1) console.log(`  ${what.padEnd(24)} ${seconds.toFixed(0).padStart(5)} s`)
}
