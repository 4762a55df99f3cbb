/**
 * What pages, their statements and periodic work cost after many sales. Prints one line for
 * each; nothing that a person or a checkout waits for should take 300 ms.
 *
 *   npm run bench:growth                          a million sales, 300,000 of one app
 *   npm run bench:growth -- --licenses 10000000 --sales 5000000 --apps 9999 --big-app 1000000
 *   npm run bench:growth -- --sales 100000 --only statements     or pages, or polls
 *
 * With `--database` and `--data` an empty database is seeded and kept, and is measured again by the
 * next run.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import * as affiliates from '#domain/affiliates'
import * as metrics from '#domain/metrics'
import * as payouts from '#domain/payouts'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { readConfig } from '#platform/config'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { systemRandom } from '#platform/random'
import { sql } from '#platform/sql'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, freePort, startPostgres } from '../scripts/throwaway-postgres.ts'
import { type DemoFacts, seedCast } from '../src/demo/seed.ts'
import { openService } from '../src/service.ts'
import { seedInBulk } from './growth-bulk.ts'
import { measurePages } from './growth-pages.ts'
import { measurePolls } from './growth-polls.ts'
import { bigPayee, COLLECTOR, sizeOf } from './growth-seed.ts'
import { grownStatements } from './growth-statements.ts'

const USAGE = `Usage: npm run bench:growth -- --sales 100000

Measures pages, their statements and periodic work after many sales.

  --sales      how many sales (1000000)
  --licenses   how many licenses, from as many as sales to twice as many
  --apps       how many apps
  --big-app    how many of the sales are of one app
  --only       statements, pages or polls; all by default
  --database, --data   an empty database that is seeded, kept, and measured again by the next run`

const { values: chosen } = readArguments(USAGE, {
  options: {
    licenses: { type: 'string' },
    sales: { type: 'string', default: '1000000' },
    apps: { type: 'string' },
    'big-app': { type: 'string' },
    only: { type: 'string' },
    database: { type: 'string' },
    data: { type: 'string' },
  },
})
const usual = sizeOf(countFlag('sales', chosen.sales))
const size = {
  sales: usual.sales,
  licenses: countFlag('licenses', chosen.licenses ?? String(usual.licenses)),
  big_app: Number(chosen['big-app'] ?? usual.big_app),
  apps: countFlag('apps', chosen.apps ?? String(usual.apps)),
}
const areWhole = Object.values(size).every((count) => Number.isSafeInteger(count) && count >= 0)
if (!areWhole || size.sales < 1 || size.apps < COLLECTOR)
  throw new Error(`Use whole numbers: at least 1 sale, and at least ${COLLECTOR} apps.`)
if (size.licenses < size.sales || size.licenses > 2 * size.sales)
  throw new Error('There must be at least as many licenses as sales, and at most twice as many.')
const WANTED_MS = 300

if (chosen.database && chosen.data) await measure(chosen.database, chosen.data)
else await onThrowaway()

async function onThrowaway(): Promise<void> {
  const programs = findPostgres()
  if (!programs)
    throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
  const folder = mkdtempSync(join(tmpdir(), 'purser-growth-'))
  const postgres = await startPostgres(programs, [
    'shared_buffers=512MB',
    'work_mem=32MB',
    'maintenance_work_mem=256MB',
    'max_wal_size=8GB',
    'fsync=off',
  ])
  try {
    await measure(postgres.url, folder)
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(url: string, folder: string): Promise<void> {
  const port = await freePort()
  const env = {
    DEMO: '0',
    DATABASE_URL: url,
    DATA_DIR: folder,
    PORT: String(port),
    LOG_LEVEL: 'error',
  }
  const service = await openService(readConfig(env, systemRandom))
  const { world } = service
  const demo = await seeded(world, url, join(folder, 'growth.json'))
  // The job pages read the queue's tables. No job runs, because it would be measured too.
  await world.jobs.open()
  await addJob(world.db)
  const measures = (what: string) => chosen.only === undefined || chosen.only === what
  if (measures('pages')) await measurePages(service, demo)
  const payee = await bigPayee(world.db)
  if (measures('statements')) await measureStatements(world, payee)
  if (measures('polls')) await measurePolls(world)
  if (!chosen.database) await payAll(world, payee)
  await service.close()
}

/** Fills the database, unless the file says that an earlier run did; returns who is in it. */
async function seeded(world: World, url: string, file: string): Promise<DemoFacts> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const demo = await seedCast(world, {
    sample_site_url: 'http://localhost:4999',
    sign_in_site_url: 'http://localhost:4998',
    kept: undefined,
  })
  const start = performance.now()
  await seedInBulk(url, demo.app.client_id, size)
  while ((await tax.sumTaxes(world.db.patient, 500_000)) > 0);
  while ((await payouts.sumBalances(world.db.patient, 200_000)) > 0);
  while ((await metrics.sumMetrics(world.db.patient, 200_000)) > 0);
  while ((await affiliates.sumReferred(world.db.patient, 200_000)) > 0);
  await world.db.alone((db) => db.raw('vacuum analyze tax_lines, tax_sums, tax_unsummed'))
  const seconds = (performance.now() - start) / 1000
  const { bytes } = await world.db.one<{ bytes: number }>(
    sql`select pg_database_size(current_database()) as bytes`,
  )
  const what = Object.entries(size).map(([name, count]) => `${name} ${count}`)
  console.log(`${what.join(', ')}: ${seconds.toFixed(0)} s, ${(bytes / 1e9).toFixed(1)} GB\n`)
  writeFileSync(file, JSON.stringify(demo))
  return demo
}

async function measureStatements(world: World, payee: payouts.Payee): Promise<void> {
  let slow = 0
  for (const [what, ask] of grownStatements(world.db, world.clock.now(), payee)) {
    // The first call plans the statement and reads cold pages; the best of three counts.
    const times = [await timed(ask), await timed(ask), await timed(ask)]
    const best = Math.min(...times)
    if (best > WANTED_MS) slow++
    const mark = best > WANTED_MS ? '  slow' : ''
    console.log(`${what.padEnd(48)} ${best.toFixed(1).padStart(9)} ms${mark}`)
  }
  console.log(`\n${slow} above ${WANTED_MS} ms`)
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await ask()
  return performance.now() - start
}

/** A payout for the one seller here takes one line per sale. */
async function payAll({ db, clock, random }: World, payee: payouts.Payee): Promise<void> {
  const start = performance.now()
  const payout = {
    id: mintId(random, 'po'),
    ...payee,
    cause: 'request',
    minimum: payouts.MINIMUM,
    bank: null,
    bank_fingerprint: null,
  } as const
  const now = clock.now()
  await db.tx((tx) => payouts.addPayout(tx, now, now, payout), { patient: true })
  const lines = await payouts.countStatementLines(db, payout.id)
  const seconds = (performance.now() - start) / 1000
  console.log(`a first payout, of ${lines} lines: ${seconds.toFixed(1)} s`)
}

/** A finished job, for the page that shows one. */
async function addJob(db: Db): Promise<void> {
  await db.run(sql`insert into pgboss.job (id, name, data, state, completed_on)
    values (gen_random_uuid(), 'emails', '{}', 'completed', now())`)
}
