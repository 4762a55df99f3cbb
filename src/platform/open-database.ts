import { join } from 'node:path'
import type { Config } from '#platform/config'
import type { Database } from '#platform/db'
import { openPostgres } from '#platform/db-postgres'
import { lockFolder } from '#platform/lock'
import type { Log } from '#platform/log'

/** A database with what protects its folder; closing gives both back. */
export interface OpenDatabase {
  db: Database
  close(): Promise<void>
}

/**
 * Opens the database of the settings. The embedded one belongs to one process: throws where
 * another one has its folder.
 */
export async function openDatabase(
  { database_url, data_dir }: Pick<Config, 'database_url' | 'data_dir'>,
  log: Log,
): Promise<OpenDatabase> {
  if (database_url) {
    const db = await openPostgres(database_url, log)
    return { db, close: () => db.close() }
  }
  const release = lockFolder(data_dir)
  try {
    // Its library has an engine, which a service on a PostgreSQL server never uses.
    const { openEmbedded } = await import('#platform/db-embedded')
    const db = await openEmbedded({ dataDir: databaseFolder({ data_dir }) })
    return { db, close: () => db.close().finally(release) }
  } catch (error) {
    release()
    throw error
  }
}

/** The folder of the embedded database. */
export function databaseFolder({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'database')
}
