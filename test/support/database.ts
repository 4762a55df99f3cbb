import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { systemClock } from '#platform/clock'
import type { Database } from '#platform/db'
import { embeddedOn, openEmbedded, openEngine } from '#platform/db-embedded'
import { LIMITS, openPostgres } from '#platform/db-postgres'
import { openJobs } from '#platform/jobs'
import { openLog } from '#platform/log'
import { MIGRATIONS_TABLE, migrate } from '#platform/migrate'
import { migrations } from '#platform/migrations'
import { once } from '#platform/once'
import { sha256 } from '#platform/secrets'

const FOLDER = fileURLToPath(new URL('../../.build/', import.meta.url))

/** The PostgreSQL server of this test run; undefined for the embedded engine. */
export const SERVER_URL = process.env.TEST_DATABASE_URL

/**
 * Limits that a busy machine does not reach: test/faults is about those of production. All of them
 * are only reached where a test never ends.
 */
const PATIENT: typeof LIMITS = {
  ...LIMITS,
  connect: 60_000,
  statement: 60_000,
  hot: 60_000,
  silent: 60_000,
}

/** A migrated, empty database on the engine of this test run. */
export async function openTestDatabase(): Promise<Database> {
  if (SERVER_URL === undefined) return await openEmbeddedTestDatabase()
  return await openServerDatabase(SERVER_URL)
}

async function openServerDatabase(server_url: string, template?: string): Promise<Database> {
  const { url, drop } = await createServerDatabase(server_url, template)
  const db = await openPostgres(url.href, openLog('silent'), PATIENT)
  return {
    ...db,
    async close() {
      await db.close()
      await drop()
    },
  }
}

/** A migrated database on a server, or a copy of another, for callers that open the connections. */
export async function createServerDatabase(
  server_url: string,
  template?: string,
): Promise<{ url: URL; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const server = serverAt(server_url)
  await server.query(
    `create database ${name} template ${template ?? (await serverTemplate())} strategy file_copy`,
  )
  const url = new URL(server_url)
  url.pathname = `/${name}`
  const drop = async () => {
    await server.query(`drop database if exists ${name} with (force)`)
  }
  return { url, drop }
}

const servers = new Map<string, pg.Pool>()

/** Connections to a server, which stay open from test to test and keep no process alive. */
function serverAt(url: string): pg.Pool {
  let server = servers.get(url)
  if (!server) {
    server = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // A test may stop the server; the next query reports the loss.
    server.on('error', () => {})
    servers.set(url, server)
  }
  return server
}

/** The same on the embedded engine in any test run, where a seed replays exactly. */
export async function openEmbeddedTestDatabase(): Promise<Database> {
  return await openEmbedded({ loadDataDir: new Blob([await embeddedTemplate()]) })
}

/** Databases with the same content, and what their preparation returned. */
export interface Copies<Facts> {
  facts: Facts
  open(): Promise<Database>
}

/** Prepares one database and copies it on each call, which is far cheaper than preparing each. */
export async function openCopies<Facts>(
  prepare: (db: Database) => Promise<Facts>,
): Promise<Copies<Facts>> {
  return SERVER_URL === undefined
    ? await embeddedCopies(prepare)
    : await serverCopies(SERVER_URL, prepare)
}

async function embeddedCopies<Facts>(
  prepare: (db: Database) => Promise<Facts>,
): Promise<Copies<Facts>> {
  const pglite = await openEngine({ loadDataDir: new Blob([await embeddedTemplate()]) })
  const db = await embeddedOn(pglite)
  const facts = await prepare({ ...db, async close() {} })
  const dump = await pglite.dumpDataDir('none')
  await db.close()
  return { facts, open: async () => await openEmbedded({ loadDataDir: dump }) }
}

async function serverCopies<Facts>(
  server_url: string,
  prepare: (db: Database) => Promise<Facts>,
): Promise<Copies<Facts>> {
  const original = await createServerDatabase(server_url)
  const facts = await prepare(await openPostgres(original.url.href, openLog('silent'), PATIENT))
  process.once('beforeExit', () => original.drop())
  const template = original.url.pathname.slice(1)
  return { facts, open: async () => await openServerDatabase(server_url, template) }
}

/** Puts a migrated, empty database into a data folder. */
export async function prepareDataFolder(data_dir: string): Promise<void> {
  const loadDataDir = new Blob([await embeddedTemplate()])
  const db = await openEmbedded({ dataDir: join(data_dir, 'database'), loadDataDir })
  await db.close()
}

/** Identifies the current migrations, so that a template of others is never used. */
function generation(): string {
  const sums = migrations().map(({ checksum }) => checksum)
  return sha256([MIGRATIONS_TABLE, ...sums].join())
    .toString('hex')
    .slice(0, 16)
}

async function embeddedTemplate(): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(FOLDER, `template-${generation()}.tar`)
  if (!existsSync(file)) {
    const pglite = await openEngine()
    const db = await embeddedOn(pglite)
    await prepare(db)
    const dump = await pglite.dumpDataDir('none')
    await db.close()
    await mkdir(FOLDER, { recursive: true })
    const fresh = `${file}.${process.pid}`
    await writeFile(fresh, new Uint8Array(await dump.arrayBuffer()))
    await rename(fresh, file)
  }
  return new Uint8Array(await readFile(file))
}

const serverTemplate = once(async (): Promise<string> => {
  const name = `template_${generation()}`
  const client = new pg.Client({ connectionString: SERVER_URL })
  await client.connect()
  try {
    // Test files run concurrently; one of them creates the template, and the others wait.
    await client.query('select pg_advisory_lock(7305432)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      // A run that was interrupted here may have left one.
      await client.query(`drop database if exists ${name}_made with (force)`)
      await client.query(`create database ${name}_made`)
      const url = new URL(SERVER_URL!)
      url.pathname = `/${name}_made`
      const db = await openPostgres(url.href, openLog('silent'), PATIENT)
      await prepare(db)
      await db.close()
      await client.query(`alter database ${name}_made rename to ${name}`)
    }
  } finally {
    await client.end()
  }
  return name
})

async function prepare(db: Database): Promise<void> {
  await migrate(db, systemClock.now())
  const jobs = openJobs(db, openLog('silent'))
  await jobs.open()
  await jobs.stop()
}

/** Runs one statement on a separate connection. */
export async function administrate(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
