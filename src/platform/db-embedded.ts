import { existsSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import pg from 'pg'
import {
  assertNoTransaction,
  type Connection,
  type Database,
  insideTransaction,
  statements,
} from '#platform/db'

export interface EmbeddedOptions {
  /** The folder of the data; absent: memory only. */
  dataDir?: string
  /** A dump of a database to start from. */
  loadDataDir?: Blob
}

/**
 * Opens PGlite through the same `pg` client that connects to a server. It has one connection, so
 * statements and transactions queue for it; the caller must have locked the folder (see lock.ts).
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const release = stayAlive()
  try {
    const db = await embeddedOn(await openEngine(options))
    return { ...db, close: () => db.close().finally(release) }
  } catch (error) {
    release()
    throw error
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Keeps the process alive, as the connection to a server does. The engine waits for nothing, and a
 * process that waits for nothing is paused by Node until V8 has optimized the engine's code: three
 * seconds of a start.
 */
function stayAlive(): () => void {
  const timer = setInterval(() => {}, LONGEST_TIMER_MS)
  return () => clearInterval(timer)
}

/**
 * A quarter of the default: the process never frees it, and the operating system caches files too.
 */
const SHARED_BUFFERS = '32MB'
/**
 * The files of a new database, which `scripts/prepare-cluster.ts` creates for this version of the
 * engine: creating them takes five seconds (decision 157).
 */
export const NEW_DATABASE = fileURLToPath(new URL('new-database.tar.br', import.meta.url))

/** The engine with the extensions that the tables need. */
export async function openEngine({ dataDir, loadDataDir }: EmbeddedOptions = {}): Promise<PGlite> {
  // The engine lets everyone write its files, so a new folder is closed to all but its owner.
  if (dataDir) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return await PGlite.create({
    dataDir,
    loadDataDir: loadDataDir ?? (hasDatabase(dataDir) ? undefined : await preparedCluster()),
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
    extensions: { pg_trgm },
  })
}

function hasDatabase(dataDir: string | undefined): boolean {
  return dataDir !== undefined && existsSync(join(dataDir, 'PG_VERSION'))
}

async function preparedCluster(): Promise<Blob> {
  return new Blob([await promisify(brotliDecompress)(await readFile(NEW_DATABASE))])
}

/** The same over an engine that is already open. */
export async function embeddedOn(pglite: PGlite): Promise<Database> {
  const client = new pg.Client(createPgConfig(pglite) as pg.ClientConfig)
  await client.connect()
  const connection = sharing(client)
  const turn = queue()
  // The queue's library sends several statements with a begin among them. On the only connection,
  // what follows a failed one would be refused until the next start.
  const cleanUp = async (error: unknown): Promise<never> => {
    if (client.getTransactionStatus() !== 'I') await client.query('rollback')
    throw error
  }
  const plain = statements({
    query(config, values) {
      assertNoTransaction('the database was used outside of the open transaction')
      return turn(() => connection.query(config, values).catch(cleanUp))
    },
  })
  const tx: Database['tx'] = (work) =>
    insideTransaction(() =>
      turn(async () => {
        await client.query('begin')
        try {
          const result = await work(statements(connection))
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback')
          throw error
        }
      }),
    )
  return {
    engine: 'embedded',
    ...plain,
    tx,
    reports: { ...plain, tx },
    patient: plain,
    alone: (work) => turn(() => work(statements(connection)).catch(cleanUp)),
    hot: plain.rows,
    async probe(statement) {
      await plain.run(statement)
    },
    monitor: plain,
    connections: () => [],
    async listen(channel, onMessage) {
      client.on('notification', (message) => {
        if (message.channel === channel) onMessage(message.payload ?? '')
      })
      await turn(() => client.query(`listen ${pg.escapeIdentifier(channel)}`))
    },
    copy: () =>
      turn(async () => {
        await pglite.exec('checkpoint')
        return await pglite.dumpDataDir('none')
      }),
    close: () =>
      turn(async () => {
        await client.end()
        await pglite.close()
      }),
  }
}

/** How long statements may run in a row before the event loop handles timers and requests. */
const SHARE_MS = 10

/**
 * The engine answers within the same turn of the event loop, so a long series of statements, such
 * as an import, would block everything else. This yields to the event loop between statements.
 */
function sharing(client: pg.Client): Connection {
  let shared = performance.now()
  return {
    async query(config, values) {
      if (performance.now() - shared > SHARE_MS) {
        await setImmediate()
        shared = performance.now()
      }
      return await client.query(config, values)
    },
  }
}

/** Runs tasks one after the other, in the order in which they came. */
function queue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}
