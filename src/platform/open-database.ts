import { join } from 'node:path'
import { type Config, ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { openPostgres } from '#platform/db-postgres'
import { reason } from '#platform/diagnosis'
import { lockFolder } from '#platform/lock'
import type { Log } from '#platform/log'

/** A database with the lock on its folder. Closing releases both. */
export interface OpenDatabase {
  db: Database
  close(): Promise<void>
}

/** The database of the settings cannot be opened; `cause` is the error of its engine. */
export class DatabaseNotOpened extends ConfigError {}

type DatabaseSettings = Pick<Config, 'database_url' | 'data_dir' | 'live_url'>

/**
 * Opens the database of the settings. The embedded one belongs to one process: throws if another
 * one has its folder. If it cannot be opened, throws a sentence that names the setting.
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
    // Its library has an engine, which a service on a PostgreSQL server never uses.
    const { openEmbedded } = await import('#platform/db-embedded')
    const db = await openEmbedded({ dataDir })
    return { db, close: () => db.close().finally(release) }
  } catch (cause) {
    release()
    const message =
      `DATA_DIR: the database in ${dataDir} cannot be opened (${reason(cause)}). Free some ` +
      'space if the disk is full, else restore a backup into an empty folder (docs/operate/backups.md).'
    throw new DatabaseNotOpened(message, { cause })
  }
}

function serverAway(database_url: string, { live_url }: DatabaseSettings, cause: unknown): string {
  const setting = live_url === undefined ? 'DATABASE_URL' : 'TEST_MODE_DATABASE_URL'
  const { hostname, port, pathname, searchParams } = new URL(database_url)
  const server = searchParams.get('host') ?? `${hostname}:${port || 5432}`
  return (
    `${setting}: the database ${pathname.slice(1)} on ${server} cannot be opened ` +
    `(${reason(cause)}). Start PostgreSQL, or correct the URL.`
  )
}

/** The folder of the embedded database. */
export function databaseFolder({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'database')
}
