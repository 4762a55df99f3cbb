import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '#platform/db'
import { openEmbedded } from '#platform/db-embedded'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { createServerDatabase, prepareDataFolder, SERVER_URL } from './database.ts'

/** A database that outlives the service that uses it. */
export interface ReopenableDatabase {
  open(): Promise<Database>
  /** The environment variables that name the database to a service or a command. */
  settings: Record<string, string>
  drop(): Promise<void>
}

/** Creates a reopenable database, empty, on the engine of this test run. */
export async function createReopenableDatabase(): Promise<ReopenableDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-kept-'))
  const settings = { DATA_DIR: folder }
  const dropFolder = () => rmSync(folder, { recursive: true, force: true })
  if (SERVER_URL === undefined) {
    await prepareDataFolder(folder)
    const open = () => openEmbedded({ dataDir: join(folder, 'database') })
    return { open, settings, drop: async () => dropFolder() }
  }
  const { url, drop } = await createServerDatabase(SERVER_URL)
  return {
    open: () => openPostgres(url.href, openLog('silent')),
    settings: { ...settings, DATABASE_URL: url.href },
    async drop() {
      await drop()
      dropFolder()
    },
  }
}
