import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { openPostgres } from '#platform/db-postgres'
import { reason } from '#platform/diagnosis'
import { freeSpace, LEAST_SPACE, MEBIBYTE } from '#platform/disk'
import { lockFolder } from '#platform/lock'
import type { Log } from '#platform/log'

/** A database with the lock on its folder. Closing releases both. */
export interface OpenDatabase {
  db: Database
  close(): Promise<void>
}

/** The database of the settings cannot be opened; `cause` is the error of its engine, if any. */
export class DatabaseNotOpened extends ConfigError {}

/** Root would leave files in a database that its owner, who runs the service, cannot open. */
export class OfAnotherUser extends ConfigError {}

type DatabaseSettings = Pick<Config, 'database_url' | 'data_dir' | 'live_url'>

/**
 * Opens the database of the settings. The embedded one belongs to one process: throws if another
 * one has its folder, or `OfAnotherUser`. If it cannot be opened, throws a sentence that names the
 * setting.
 */
export async function openDatabase(settings: DatabaseSettings, log: Log): Promise<OpenDatabase> {
  const { database_url, data_dir } = settings
  if (database_url) {
    const db = await openPostgres(database_url, log).catch((cause: unknown) => {
      throw new DatabaseNotOpened(serverAway(database_url, settings, cause), { cause })
    })
    return { db, close: () => db.close() }
  }
  const release = lockFolder(data_dir)
  const dataDir = databaseFolder({ data_dir })
  try {
    assertOwner(dataDir)
    if (!existsSync(dataDir)) await assertSpace(data_dir)
    // Its library has an engine, which a service on a PostgreSQL server never uses.
    const { openEmbedded } = await import('#platform/db-embedded')
    const db = await openEmbedded({ dataDir })
    return { db, close: () => db.close().finally(release) }
  } catch (cause) {
    release()
    if (cause instanceof ConfigError) throw cause
    const message = `DATA_DIR: the database in ${dataDir} cannot be opened (${reason(cause)}). ${OPEN_FOLDER_ADVICE}`
    throw new DatabaseNotOpened(message, { cause })
  }
}

/** What to do about an embedded database that cannot be opened. */
export const OPEN_FOLDER_ADVICE =
  'Free some space if the disk is full, or give its files to the user of the service if others ' +
  'own them. Else restore a backup into an empty folder (docs/operate/backups.md).'

/** Refuses to create a database on a disk that it would fill: its engine then waits forever. */
async function assertSpace(data_dir: string): Promise<void> {
  const free = await freeSpace(data_dir)
  if (free >= LEAST_SPACE) return
  const [needed, left] = [LEAST_SPACE, free].map((bytes) => Math.floor(bytes / MEBIBYTE))
  throw new DatabaseNotOpened(
    `DATA_DIR: a new database needs ${needed} MiB, and the disk of ${data_dir} has ${left} left. ` +
      'Free some space, or choose another folder.',
  )
}

/** Refuses root where a folder belongs to another user: throws `OfAnotherUser`. */
export function assertOwner(folder: string): void {
  if (process.geteuid?.() !== 0 || !existsSync(folder)) return
  const { uid } = statSync(folder)
  if (uid === 0) return
  throw new OfAnotherUser(
    `DATA_DIR: ${folder} belongs to the user ${uid}, who could not open what root writes in it. ` +
      `Run this as that user (sudo -u '#${uid}').`,
  )
}

function serverAway(database_url: string, { live_url }: DatabaseSettings, cause: unknown): string {
  const setting = live_url === undefined ? 'DATABASE_URL' : 'TEST_MODE_DATABASE_URL'
  const { pathname } = new URL(database_url)
  const next = isNoDatabase(cause) ? 'Create it' : 'Start PostgreSQL'
  return (
    `${setting}: the database ${pathname.slice(1)} on ${serverName(database_url)} cannot be ` +
    `opened (${reason(cause)}). ${next}, or correct the URL.`
  )
}

/** The server of a PostgreSQL URL: its host and port, or the folder of its Unix socket. */
export function serverName(database_url: string): string {
  const { hostname, port, searchParams } = new URL(database_url)
  return searchParams.get('host') ?? `${hostname}:${port || 5432}`
}

// PostgreSQL's code for a database that does not exist.
const NO_DATABASE = '3D000'

/** Whether PostgreSQL answered that it has no such database. */
export function isNoDatabase(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === NO_DATABASE
}

// PostgreSQL's code for a statement that its role may not run.
const NO_RIGHT = '42501'

/** What PostgreSQL's role lacks, and what to do, if that is the error; otherwise undefined. */
export function missingRight(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === NO_RIGHT)) return undefined
  return `PostgreSQL: ${error.message}. ${OWN_TABLES}`
}

/** What to do where a role may not use the tables of the service. */
export const OWN_TABLES =
  'Use the role that owns the tables, or a member of it that acts as it ' +
  '(docs/operate/going-live.md).'

/** The folder of the embedded database. */
export function databaseFolder({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'database')
}
