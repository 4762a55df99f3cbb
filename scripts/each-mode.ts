import { existsSync } from 'node:fs'
import { type Config, ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { type Log, openLog } from '#platform/log'
import { databaseFolder, openDatabase } from '#platform/open-database'
import { configOfTestMode, missingDatabase } from '../src/test-mode-config.ts'

/** A mode of the service: its settings and its open database. */
export interface OpenMode {
  config: Config
  db: Database
  log: Log
}

/**
 * Does the work of a command in live mode, and then in the test mode beside it, each under a
 * heading where there are both. An error in one mode is printed and does not keep the other from
 * its turn; returns whether there was one.
 */
export async function inEachMode(
  config: Config,
  work: (mode: OpenMode) => Promise<void>,
): Promise<{ hasFailed: boolean }> {
  const { test_mode } = config
  if (!test_mode) return { hasFailed: !(await isDone(config, work)) }
  console.log(`Live mode (${config.base_url})`)
  const isLiveDone = await isDone(config, work)
  const test = configOfTestMode(config, test_mode)
  console.log(`\nTest mode (${test.base_url})`)
  if (!test.database_url && !existsSync(databaseFolder(test))) {
    console.log('It was never opened, so it has no data.')
    return { hasFailed: !isLiveDone }
  }
  return { hasFailed: !(await isDone(test, work)) || !isLiveDone }
}

/** Does the work on the open database of a mode; prints the error if it fails. */
async function isDone(config: Config, work: (mode: OpenMode) => Promise<void>): Promise<boolean> {
  const log = openLog(config.log_level)
  try {
    const { db, close } = await openDatabase(config, log)
    await work({ config, db, log }).finally(close)
    return true
  } catch (error) {
    console.error(readable(error as Error, config))
    return false
  }
}

function readable(error: Error, { live_url }: Config): string {
  const missing = live_url === undefined ? undefined : missingDatabase(error)
  return missing ?? sentenceOf(error)
}

/** An error as an operator reads it: a sentence where they can fix it, else with its stack. */
export function sentenceOf(error: Error): string {
  return error instanceof ConfigError ? error.message : String(error.stack)
}
