/**
 * Imports a file of 200,000 rows: how long each step takes, how much the resident set grows, and
 * how long the event loop is blocked while other requests are answered. One engine for each run.
 *
 *   npm run bench:imports -- --rows 200000 --engine postgresql
 */
import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import * as apps from '#domain/apps'
import * as imports from '#domain/imports'
import {
  checkImport,
  choosePlans,
  matchImport,
  readImport,
  runImport,
  startImport,
  uploadImport,
} from '#flows/imports'
import type { World } from '#flows/world'
import type { ImportId, ProductId, UserId } from '#platform/ids'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, startPostgres } from '../scripts/throwaway-postgres.ts'
import type { DemoFacts } from '../src/demo/seed.ts'
import { importer, paidProducts } from '../test/support/imports.ts'
import { openSubject, subjectSettings } from './subject.ts'

const USAGE = `Usage: npm run bench:imports -- --rows 200000

Measures an import: how long each step takes, and what it costs other requests.

  --rows     the rows of the file (200000)
  --engine   postgresql or embedded (postgresql)`

const { values: chosen } = readArguments(USAGE, {
  options: {
    rows: { type: 'string', default: '200000' },
    engine: { type: 'string', default: 'postgresql' },
  },
})
const rows = countFlag('rows', chosen.rows)
const isEmbedded = chosen.engine === 'embedded'
const folder = mkdtempSync(join(tmpdir(), 'purser-imports-'))
const programs = findPostgres()
if (!programs && !isEmbedded)
  throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
const postgres =
  programs && !isEmbedded ? await startPostgres(programs, ['shared_buffers=256MB']) : undefined
try {
  await main()
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** The cost of a step. */
interface Measured {
  step: string
  seconds: number
  /** The largest resident set during it, above that before the upload. */
  grown_mb: number
  blocked_ms: number
  slowest_answer_ms: number
  reports: number
}

async function main(): Promise<void> {
  const { DATABASE_URL, ...rest } = await subjectSettings(postgres?.url ?? '', folder)
  const settings = { ...rest, LOG_LEVEL: 'error', ...(postgres && { DATABASE_URL }) }
  const { service, demo } = await openSubject(settings)
  await service.listen()
  const { world } = service
  const measured: Measured[] = []
  const prices = `${settings.BASE_URL}/api/v1/public/apps/${demo.app.client_id}/prices/`
  const file = join(folder, 'file.csv')
  writeRows(file)
  global.gc?.()
  const before = process.memoryUsage.rss()
  const step = async <Result>(name: string, work: (report: Report) => Promise<Result>) => {
    const watch = watchProcess(before, prices)
    const begun = performance.now()
    const result = await work(watch.report)
    const seconds = Math.round((performance.now() - begun) / 100) / 10
    measured.push({ step: name, seconds, ...(await watch.end()) })
    console.log(JSON.stringify(measured.at(-1)))
    return result
  }
  await importOnce(world, demo, { file, step })
  await service.close()
  console.table(measured)
  const build = fileURLToPath(new URL('../.build', import.meta.url))
  mkdirSync(build, { recursive: true })
  const name = `bench-imports-${isEmbedded ? 'embedded' : 'postgresql'}.json`
  writeFileSync(join(build, name), `${JSON.stringify({ rows, measured }, null, 2)}\n`)
}

type Report = () => Promise<void>
type Step = <Result>(name: string, work: (report: Report) => Promise<Result>) => Promise<Result>

async function importOnce(
  world: World,
  demo: DemoFacts,
  { file, step }: { file: string; step: Step },
): Promise<void> {
  const { db } = world
  const actor = await importer({ world, demo })
  const id = await step('upload', () => upload(world, demo, { file, user_id: actor.user_id }))
  const { matched } = await imports.getImport(db, id)
  assert.deepEqual(await matchImport(world, await imports.getImport(db, id), matched), {
    missing: [],
  })
  const read = await step('read', (report) => readImport(world, id, report))
  assert.deepEqual(read, { rows, faults: 0 })
  const [product_id] = (await paidProducts({ world, demo })) as [ProductId]
  const found = await step('plans', () => imports.plansOf(db, id))
  const plans = Object.fromEntries(found.map(({ plan }) => [plan, product_id]))
  await choosePlans(world, id, { plans, notifies: false })
  await step('dry run', (report) => checkImport(world, id, report))
  await step('report page', () => imports.reportedRows(db, { import_id: id, after: 0, limit: 50 }))
  await startImport(world, actor, { id, notifies: false })
  await step('killed half-way', async (report) => {
    let batches = 0
    const half = async () => {
      await report()
      if (++batches === Math.ceil(rows / 400)) throw new Error('killed')
    }
    await assert.rejects(runImport(world, actor, id, half), /killed/)
  })
  const { counts } = await step('continued', (report) => runImport(world, actor, id, report))
  assert.equal(counts.create, rows)
}

async function upload(
  world: World,
  demo: DemoFacts,
  { file, user_id }: { file: string; user_id: UserId },
): Promise<ImportId> {
  const { id: app_id, seller_id } = await apps.get(world.db, demo.app.client_id)
  const facts = { app_id, seller_id, user_id, source: 'lemon_squeezy' } as const
  const content = readFileSync(file)
  const uploaded = await uploadImport(world, { ...facts, file_name: 'file.csv', content })
  if ('faults' in uploaded) throw new Error(uploaded.faults[0]!.message)
  return uploaded.id
}

/** About 200 bytes per row, in the columns of Lemon Squeezy. */
function writeRows(file: string): void {
  writeFileSync(file, 'id,product_name,user_email,user_name,status,renews_at,created_at,key,urls\n')
  let part = ''
  for (let n = 0; n < rows; n++) {
    const email = `person-${n}@import.example`
    const url = `https://store.lemonsqueezy.example/billing/${n}?expires=1790000000&signature=${n}`
    const day = String(1 + (n % 28)).padStart(2, '0')
    const key = `38B1460A-5104-4067-A91D-${String(n).padStart(12, '0')}`
    part += `${n},Tides,${email},Person ${n},active,2036-06-${day},2026-01-${day},${key},${url}\n`
    if (n % 1000 !== 999 && n !== rows - 1) continue
    appendFileSync(file, part)
    part = ''
  }
}

/** Watches the process while a step runs; other requests are sent all the time. */
function watchProcess(before: number, url: string) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let most = before
  let slowest = 0
  let reports = 0
  let isOver = false
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const asking = (async () => {
    while (!isOver) {
      const begun = performance.now()
      const answer = await fetch(url, { headers: { 'x-forwarded-for': '10.1.1.1' } })
      assert.ok(answer.ok || answer.status === 429, String(answer.status))
      await answer.arrayBuffer()
      slowest = Math.max(slowest, performance.now() - begun)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  return {
    async report() {
      reports++
    },
    async end() {
      isOver = true
      clearInterval(sampling)
      await asking
      delay.disable()
      const grown_mb = Math.round((most - before) / 2 ** 20)
      const blocked_ms = Math.round(delay.max / 1e6)
      return { grown_mb, blocked_ms, slowest_answer_ms: Math.round(slowest), reports }
    },
  }
}
