import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Random } from '#platform/random'
import { masterKeys } from '#platform/setting-values'

/**
 * Creates the data folder if it is missing, for its owner only; where it cannot be written, returns
 * why.
 */
export function makeDataFolder(data_dir: string): { fault: string } | undefined {
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o700 })
    accessSync(data_dir, constants.W_OK)
    return undefined
  } catch (error) {
    return { fault: `DATA_DIR: ${data_dir} cannot be written: ${(error as Error).message}.` }
  }
}

/** The file of the key that development makes for itself where SECRET_KEY is not set. */
export const keyFile = (data_dir: string) => join(data_dir, 'secret.key')

/** That key, which is made where there is none. A file without a key is never replaced. */
export function developmentKey(data_dir: string, random: Random): string | { fault: string } {
  const file = keyFile(data_dir)
  const unwritable = existsSync(file) ? undefined : makeDataFolder(data_dir)
  if (unwritable) return unwritable
  try {
    if (!existsSync(file)) writeKey(file, random)
    const key = readFileSync(file, 'utf8').trim()
    if (masterKeys().safeParse(key).success) return key
    return { fault: `DATA_DIR: ${file} has no key. ${MISSING_KEY}` }
  } catch (error) {
    return { fault: `DATA_DIR: ${file} cannot be used: ${(error as Error).message}.` }
  }
}

const MISSING_KEY =
  'The database in this folder can only be read with the key that it was written with. In a folder ' +
  'without a database, delete the file and start again.'

function writeKey(file: string, random: Random): void {
  const key = random.bytes(32).toString('hex')
  try {
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process made it at the same time.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    // A full disk leaves a part of it.
    rmSync(file, { force: true })
    throw error
  }
}
