import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as grants from '#domain/grants'
import { readConfig } from '#platform/config'
import type { Database } from '#platform/db'
import { openEmbedded } from '#platform/db-embedded'
import { setMoney } from '#platform/installation'
import { lockFolder } from '#platform/lock'
import { isEmpty } from '#platform/migrate'
import { systemRandom as random } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { configOfTestMode } from '../../src/test-mode-config.ts'
import { prepareDataFolder } from '../support/database.ts'
import { buy } from '../support/refunds.ts'
import {
  createReopenableDatabase,
  type ReopenableDatabase,
} from '../support/reopenable-database.ts'
import { openTestService } from '../support/service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

// Guards point 10 of issue 11: commands for both modes, where test mode is on.

let double: StripeDouble
let live: ReopenableDatabase
let beside: ReopenableDatabase
let settings: Record<string, string>
before(async () => {
  double = await StripeDouble.open(() => new Date())
  live = await createReopenableDatabase()
  beside = await keepBeside(live.settings)
  settings = {
    ...live.settings,
    ...beside.settings,
    NODE_ENV: 'test',
    SECRET_KEY: randomBytes(32).toString('hex'),
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_BASE: double.url,
    TEST_MODE_URL: 'http://test.localhost:4000',
  }
})
after(async () => {
  await double.close()
  await beside.drop()
  await live.drop()
})

/** The database of the test mode beside these settings. */
async function keepBeside({
  DATABASE_URL,
  DATA_DIR,
}: Record<string, string>): Promise<ReopenableDatabase> {
  if (DATABASE_URL) {
    const { settings, ...database } = await createReopenableDatabase()
    return { ...database, settings: { TEST_MODE_DATABASE_URL: settings.DATABASE_URL! } }
  }
  const folder = join(DATA_DIR!, 'test-mode')
  mkdirSync(folder)
  await prepareDataFolder(folder)
  const open = () => openEmbedded({ dataDir: join(folder, 'database') })
  return { open, settings: {}, drop: async () => {} }
}

/** Runs a command of an operator: its status, and what it prints. */
function run(command: string, changes: Record<string, string> = {}, ...options: string[]) {
  const script = `scripts/${command}.ts`
  const program = ['--import', './scripts/register-tsx.mjs', script, ...options]
  const env = { PATH: process.env.PATH, ENV_FILE: devNull, ...settings, ...changes }
  return new Promise<{ status: number; out: string; error: string }>((resolve) => {
    execFile(process.execPath, program, { env }, (failed, out, error) =>
      resolve({ status: Number(failed?.code ?? 0), out, error }),
    )
  })
}

async function using<Result>(
  { open }: Pick<ReopenableDatabase, 'open'>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = await open()
  return await work(db).finally(() => db.close())
}

const EMPTY =
  'The database has no tables of the service: it is empty, or of another program. Correct its ' +
  'setting, or start the service, which creates them.'
const HEADINGS = /^Live mode \(\S+\)\n[\s\S]*\n\nTest mode \(http:\/\/test\.localhost:4000\)\n/

test('npm run ledger:check checks the books of both modes, and names the mode of a difference', async () => {
  const config = readConfig(settings, random)
  const [key] = configOfTestMode(config, config.test_mode!).secret_keys
  const service = await openTestService({
    db: await beside.open(),
    settings: { SECRET_KEY: key!.toString('hex') },
  })
  await buy(service)
  await service.close()
  const sound = await run('ledger-check')
  assert.equal(sound.status, 0, sound.error)
  assert.match(sound.out, HEADINGS)
  assert.equal(sound.out.match(/The books agree\./g)?.length, 2)
  assert.match(sound.out, /ledger transactions: 0,[\s\S]* charges at the processor: 1\./)

  await using(beside, (db) =>
    db.run(sql`update invoices set fee = fee + 1 where kind = 'purchase'`),
  )
  const wrong = await run('ledger-check')
  assert.equal(wrong.status, 1)
  const [of_live, of_test] = wrong.out.split(/\nTest mode .*\n/)
  assert.match(of_live!, /The books agree\./)
  assert.match(of_test!, /a fee follows its terms/)
  assert.match(of_test!, /\d+ differences?\./)
})

test('npm run keys:rotate adds a key in both modes, sealed by the keys of each', async () => {
  const { status, out, error } = await run('keys-rotate')
  assert.equal(status, 0, error)
  assert.match(out, HEADINGS)
  const [own, others] = [...out.matchAll(/The key ([\w-]{43}) signs from \d{4}-/g)].map(
    ([, id]) => id,
  )
  assert.notEqual(own, others)
  const config = readConfig(settings, random)
  const modes = [
    [live, config, own],
    [beside, configOfTestMode(config, config.test_mode!), others],
  ] as const
  for (const [database, { secret_keys }, id] of modes) {
    const tools = { keys: keyRing(secret_keys), random }
    const { signing } = await using(database, (db) => grants.openKeys(db, new Date(), tools))
    assert.ok(signing.some((key) => key.id === id))
  }
})

test('npm run keys:rotate refuses a SECRET_KEY that the nodes do not have, and changes nothing', async () => {
  const stored = (database: ReopenableDatabase) =>
    using(database, (db) => db.rows(sql`select id, sealed from oidc_keys order by id`))
  assert.equal((await run('keys-rotate')).status, 0)
  const before = [await stored(live), await stored(beside)]
  const unknown = randomBytes(32).toString('hex')
  for (const [SECRET_KEY, why] of [
    [`${unknown},${settings.SECRET_KEY}`, /the first key is new to this database/],
    [unknown, /this database was written with another key/],
  ] as const) {
    const { status, error } = await run('keys-rotate', { SECRET_KEY })
    assert.equal(status, 1)
    assert.equal(error.match(new RegExp(why, 'g'))?.length, 2, error)
  }
  assert.deepEqual([await stored(live), await stored(beside)], before)
})

test('a test mode that cannot be opened is reported after the work in live mode', async () => {
  const url = 'postgres://purser@127.0.0.1:1/none'
  for (const [command, worked, failure] of [
    ['ledger-check', /The books agree\./, 2],
    ['keys-rotate', /The key [\w-]{43} signs/, 1],
  ] as const) {
    const { status, out, error } = await run(command, {
      TEST_MODE_DATABASE_URL: url,
    })
    assert.equal(status, failure)
    assert.match(out.split('\nTest mode')[0]!, worked)
    assert.match(error, /ECONNREFUSED/)
  }
})

test('an embedded test mode that was never opened is left alone, and one in use is not touched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-modes-'))
  try {
    await prepareDataFolder(folder)
    const changes = { DATA_DIR: folder, DATABASE_URL: '', TEST_MODE_DATABASE_URL: '' }
    const never = await run('keys-rotate', changes)
    assert.equal(never.status, 0, never.error)
    assert.match(never.out, /It was never opened, so it has no data\.\n$/)
    mkdirSync(join(folder, 'test-mode/database'), { recursive: true })
    const release = lockFolder(join(folder, 'test-mode'))
    const used = await run('keys-rotate', changes)
    release()
    assert.equal(used.status, 1)
    assert.match(used.error, /^Another Purser is running on the data folder \S+test-mode\./)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('commands say that a database is empty, and create nothing in it', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'purser-empty-'))
  const dataDir = join(DATA_DIR, 'database')
  await openEmbedded({ dataDir }).then((db) => db.close())
  for (const [command, failure] of [
    ['ledger-check', 2],
    ['keys-rotate', 1],
  ] as const) {
    const { status, error } = await run(command, {
      DATABASE_URL: '',
      DATA_DIR,
      TEST_MODE_DATABASE_URL: '',
    })
    assert.deepEqual([status, error], [failure, `${EMPTY}\n`])
  }
  const db = await openEmbedded({ dataDir })
  assert.ok(await isEmpty(db))
  await db.close()
  rmSync(DATA_DIR, { recursive: true })
})

test('npm run ledger:check says which migrations a database lacks, and how to apply them', async () => {
  const older = await createReopenableDatabase()
  await using(older, (db) => db.run(sql`delete from schema_migrations where name like '020_%'`))
  const env = { DATABASE_URL: '', TEST_MODE_DATABASE_URL: '', ...older.settings }
  const { status, error } = await run('ledger-check', env)
  assert.equal(status, 2)
  const lacks =
    /^The database lacks a migration \(020_imports\.sql\)\. Run `npm run migrate` first\.\n/
  assert.match(error, lacks)
  await older.drop()
})

test('npm run restore -- --mark says that the service was never started on a database', async () => {
  const migrated = await createReopenableDatabase()
  const env = { DATABASE_URL: '', TEST_MODE_DATABASE_URL: '', ...migrated.settings }
  const marked = await run('restore', env, '--mark')
  assert.equal(marked.status, 0, marked.error)
  assert.match(marked.out, /^The service was never started on this database/)
  await using(migrated, (db) => setMoney(db, 'test'))
  assert.match((await run('restore', env, '--mark')).out, /^The database is marked as restored/)
  await migrated.drop()
})
