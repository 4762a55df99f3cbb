import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { openLog } from '#platform/log'
import {
  ensureMigrated,
  type MigrationOptions,
  migrate,
  pendingMigrations,
} from '#platform/migrate'
import { type Migration, migrations } from '#platform/migrations'
import { openReadiness } from '#platform/readiness'
import { isOlder, RELEASE } from '#platform/release'
import { sql } from '#platform/sql'
import { ManualClock } from '../support/clock.ts'
import { openTestDatabase, SERVER_URL } from '../support/database.ts'

// Guards R13.

let db: Database
let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-migrations-'))
})
after(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  db = await openTestDatabase()
  await db.raw('create table jars (id text primary key, shells bigint not null)')
})
afterEach(() => db.close())

const NOW = new Date('2026-03-01T00:00:00Z')
const LIMITS = { lock: 50, pause: 10, total: 5_000 }

/** The project's migrations and these, as a release would ship them. */
function shipped(texts: Record<string, string>): Migration[] {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  const own = migrations(folder).filter(({ name }) => name in texts)
  return [...migrations(), ...own]
}

function as(release: string, texts: Record<string, string> = {}): MigrationOptions {
  return { migrations: shipped(texts), release, limits: LIMITS }
}

const ADDS = { '900_lids.sql': '-- Oldest release: 0.1.0\nalter table jars add lid text;' }
const REMOVES = { '901_no_lids.sql': '-- Oldest release: 0.2.0\nalter table jars drop lid;' }

test('each migration commits alone: what came before an error stays, and the rest follows', async () => {
  const broken = { ...ADDS, '901_wrong.sql': 'alter table jars add color text; select nothing;' }
  await assert.rejects(migrate(db, NOW, as('0.2.0', broken)), /nothing/)
  const { columns } = await db.one<{ columns: string }>(sql`
    select string_agg(column_name, ' ' order by ordinal_position) as columns
    from information_schema.columns where table_name = 'jars'`)
  assert.equal(columns, 'id shells lid')
  const fixed = { ...ADDS, '901_wrong.sql': 'alter table jars add color text;' }
  assert.deepEqual(await migrate(db, NOW, as('0.2.0', fixed)), ['901_wrong.sql'])
})

test('an older release starts on a database whose newer migrations only add', async () => {
  await migrate(db, NOW, as('0.2.0', ADDS))
  assert.deepEqual(await migrate(db, NOW, as('0.1.0')), [])
})

test('a release that a newer migration leaves behind is refused, by name', async () => {
  await migrate(db, NOW, as('0.2.0', { ...ADDS, ...REMOVES }))
  await assert.rejects(
    migrate(db, NOW, as('0.1.0')),
    (error: Error) =>
      error instanceof ConfigError && /901_no_lids\.sql, .*version \(0\.1\.0\)/.test(error.message),
  )
  assert.deepEqual(await migrate(db, NOW, as('0.2.1', ADDS)), [])
})

test('a running process is not ready once its database is migrated past its release', async () => {
  const clock = new ManualClock(NOW)
  const before = openReadiness(db, clock, openLog('silent'))
  assert.equal(await before.check(), true)
  await migrate(db, NOW, as('9.0.0', { '900_past.sql': '-- Oldest release: 9.0.0\nselect 1;' }))
  // A process checks this every ten seconds at most; this one looks for the first time.
  assert.equal(await openReadiness(db, clock, openLog('silent')).check(), false)
})

test('a service that does not migrate at its start names the missing migrations', async () => {
  const check = () => ensureMigrated(db, NOW, { migrates_on_start: false })
  assert.deepEqual(await check(), [])
  await db.run(sql`delete from schema_migrations where name like '018%'`)
  await assert.rejects(check(), /lacks a migration \(018_.*\).*npm run migrate/)
})

test('an index is built without a transaction, and an interrupted build is replaced', async () => {
  const texts = migrations().map(({ text }) => text)
  const schemas = [...texts.join('').matchAll(/^create schema (\w+);/gm)].map(([, name]) => name)
  assert.ok(schemas.length >= 2)
  for (const schema of schemas) await db.raw(`create table ${schema}.jars (shells bigint)`)
  for (const table of ['jars', ...schemas.map((schema) => `${schema}.jars`)]) {
    const index = `${table}_shells`
    const name = `900_${index}.sql`
    const create = `create index concurrently if not exists jars_shells on ${table} (shells);`
    await db.raw(`create index jars_shells on ${table} (shells)`)
    await db.raw(`update pg_index set indisvalid = false where indexrelid = '${index}'::regclass`)
    const migration = { [name]: `-- Oldest release: 0.1.0\n${create}` }
    assert.deepEqual(await migrate(db, NOW, as('0.2.0', migration)), [name])
    const { valid } = await db.one<{ valid: boolean }>(
      sql`select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`,
    )
    assert.equal(valid, true, index)
  }
})

test('processes that migrate at once apply each migration once', async () => {
  const texts = { ...ADDS, '902_b.sql': 'alter table jars add b text;' }
  const applied = await Promise.all([1, 2, 3].map(() => migrate(db, NOW, as('0.2.0', texts))))
  assert.deepEqual(applied.flat().sort(), Object.keys(texts))
})

/** Does work while a report is reading the table, as one that takes minutes would. */
async function duringReport(work: () => Promise<void>): Promise<void> {
  const hasRead = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<void>()
  const report = db.reports.tx(async (tx) => {
    await tx.rows(sql`select * from jars`)
    hasRead.resolve()
    await isOver.promise
  })
  await hasRead.promise
  await work().finally(() => isOver.resolve())
  await report
}

test('a migration lets writes pass while it waits for a lock', {
  skip: SERVER_URL === undefined,
}, async () => {
  let migrated: Promise<string[]> | undefined
  await duringReport(async () => {
    migrated = migrate(db, NOW, as('0.2.0', ADDS))
    // Behind a migration that kept waiting for its lock, each insert would wait for the report.
    for (let n = 0; n < 20; n++) {
      await db.run(sql`insert into jars values (${`jar${n}`}, 1)`)
      await sleep(5)
    }
  })
  assert.deepEqual(await migrated, ['900_lids.sql'])
})

test('a migration that never gets its lock is given up with the next step', {
  skip: SERVER_URL === undefined,
}, async () => {
  const brief = { ...as('0.2.0', ADDS), limits: { ...LIMITS, total: 100 } }
  await duringReport(() =>
    assert.rejects(migrate(db, NOW, brief), /900_lids\.sql could not lock.*pg_stat_activity/),
  )
  const missing = await pendingMigrations(db, as('0.2.0', ADDS))
  assert.deepEqual(
    missing.map(({ name }) => name),
    ['900_lids.sql'],
  )
})

/** Opens a transaction that lasts until `end`; a concurrent build waits for its snapshot. */
async function openOldTransaction(statement: string) {
  const hasBegun = Promise.withResolvers<number>()
  const isOver = Promise.withResolvers<void>()
  const transaction = db.reports.tx(async (tx) => {
    await tx.raw('set transaction isolation level repeatable read')
    await tx.raw(statement)
    const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    hasBegun.resolve(pid)
    await isOver.promise
  })
  const end = async () => {
    isOver.resolve()
    await transaction
  }
  return { pid: await hasBegun.promise, end }
}

/** The index of the next tests: whether it is valid; undefined without one. */
async function validityOfIndex(): Promise<boolean | undefined> {
  const [index] = await db.rows<{ valid: boolean }>(
    sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('jars_shells')`,
  )
  return index?.valid
}

const INDEXED = {
  '900_index.sql': 'create index concurrently if not exists jars_shells on jars (shells);',
}

test('an index build that waits for an old transaction ends at the limit, and leaves no index', {
  skip: SERVER_URL === undefined,
}, async () => {
  const old = await openOldTransaction('select 1')
  const brief = { ...as('0.2.0', INDEXED), limits: { ...LIMITS, total: 200 } }
  const failed = await migrate(db, NOW, brief).catch((error: Error) => error.message)
  await old.end()
  assert.match(String(failed), /900_index\.sql could not lock.* open for \d+ s/)
  assert.ok(failed.includes(`pg_terminate_backend(${old.pid})`), String(failed))
  assert.equal(await validityOfIndex(), undefined)
})

test('what an ended index build cannot remove is replaced by the next one', {
  skip: SERVER_URL === undefined,
}, async () => {
  const options = as('0.2.0', INDEXED)
  const brief = { ...options, limits: { ...LIMITS, total: 200 } }
  // Dropping an index waits for those who read its table.
  const old = await openOldTransaction('select * from jars')
  await assert.rejects(migrate(db, NOW, brief), /900_index\.sql could not lock/)
  assert.notEqual(await validityOfIndex(), true)
  await old.end()
  assert.deepEqual(await migrate(db, NOW, options), ['900_index.sql'])
  assert.equal(await validityOfIndex(), true)
})

test('releases are ordered by number', () => {
  assert.match(RELEASE, /^\d+\.\d+\.\d+$/)
  const pairs: [string, string, boolean][] = [
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '0.10.0', true],
    ['1.0.0', '0.9.9', false],
    ['0.1.0', '0.1.0', false],
  ]
  for (const [a, b, expected] of pairs) assert.equal(isOlder(a, b), expected, `${a} ${b}`)
})
