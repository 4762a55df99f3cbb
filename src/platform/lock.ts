import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '#platform/config'
import { makeDataFolder } from '#platform/data-folder'

/** Another process has locked the data folder. */
export class FolderInUse extends ConfigError {}

/** The file by which a folder is locked. */
export function lockFile(folder: string): string {
  return join(folder, 'lock.sqlite')
}

/**
 * Locks a folder for this process and returns the function that unlocks it; throws `FolderInUse`
 * where another process has it. Two processes on one embedded database destroy it silently, so the
 * second start is refused. SQLite's exclusive lock is the operating system's: it ends with the
 * process, however that ends, and leaves no stale file.
 */
export function lockFolder(folder: string): () => void {
  const unwritable = makeDataFolder(folder)
  if (unwritable) throw new ConfigError(unwritable.fault)
  const lock = new DatabaseSync(lockFile(folder))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if (!(error instanceof Error) || !error.message.includes('locked')) throw error
    throw new FolderInUse(
      `Another Purser is running on the data folder ${folder}. ` +
        'Stop it first, or give this one a folder of its own with DATA_DIR.',
    )
  }
  return () => lock.close()
}
