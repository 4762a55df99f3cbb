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

/** The error for a folder whose lock cannot be written. */
function notLocked(folder: string, message: string): ConfigError {
  const next = 'Free some space if the disk is full, or give the folder to the user of the service.'
  return new ConfigError(`DATA_DIR: ${folder} cannot be locked (${message}). ${next}`)
}

/**
 * Locks a folder for this process and returns the function that unlocks it; throws `FolderInUse`
 * where another process has it, and a `ConfigError` where it cannot be written. Two processes on
 * one embedded database destroy it silently, so the second start is refused. SQLite's exclusive
 * lock is the operating system's: it ends with the process, however that ends, and leaves no stale
 * file.
 */
export function lockFolder(folder: string): () => void {
  const unwritable = makeDataFolder(folder)
  if (unwritable) throw new ConfigError(unwritable.fault)
  const lock = new DatabaseSync(lockFile(folder), { open: false })
  try {
    lock.open()
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    if (lock.isOpen) lock.close()
    const { message } = error as Error
    if (!message.includes('locked')) throw notLocked(folder, message)
    throw new FolderInUse(
      `Another Purser is running on the data folder ${folder}. ` +
        'Stop it first, or give this one a folder of its own with DATA_DIR.',
    )
  }
  return () => lock.close()
}
