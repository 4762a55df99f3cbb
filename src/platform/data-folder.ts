import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '#platform/random'

/** Creates the data folder if it is missing; where it cannot be written, returns why. */
export function makeDataFolder(data_dir: string): { fault: string } | undefined {
  try {
    mkdirSync(data_dir, { recursive: true })
    accessSync(data_dir, constants.W_OK)
    return undefined
  } catch (error) {
    return { fault: `DATA_DIR: ${data_dir} cannot be written: ${(error as Error).message}.` }
  }
}

/** The file of the key that development makes for itself where SECRET_KEY is not set. */
export const keyFile = (data_dir: string) => join(data_dir, 'secret.key')

/** That key, which is made where there is none. */
export function developmentKey(data_dir: string, random: Random): string | { fault: string } {
  const file = keyFile(data_dir)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    const unwritable = makeDataFolder(data_dir)
    if (unwritable) return unwritable
    const key = random.bytes(32).toString('hex')
    writeFileSync(file, `${key}\n`, { mode: 0o600 })
    return key
  }
}
