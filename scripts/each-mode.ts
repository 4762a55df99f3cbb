import { existsSync } from 'node:fs'
import { type Config, ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { type Log, openLog } from '#platform/log'
import {
  databaseFolder,
  missingRight,
  type OpenDatabase,
  openDatabase,
} from '#platform/open-database'
import { configOfTestMode, missingDatabase } from '../src/test-mode-config.ts'

/** A mode of the service: its settings and its open database. */
export interface OpenMode {
  config: Config
  db: Database
  log: Log
}

/** What a command may do in a mode. */
interface Permissions {
  /** Whether it creates an embedded database where there is none, as a start does. */
  creates?: boolean
}

/**
 * Does the work of a command in live mode, and then in the test mode beside it, each under a
 * heading where there are both. An error in one mode is printed and does not keep the other from
 * its turn; returns whether there was one.
 */
export async function inEachMode(
  config: Config,
  work: (mode: OpenMode) => Promise<void>,
  permissions: Permissions = {},
): Promise<{ has_failed: boolean }> {
  const { test_mode } = config
  if (!test_mode) return { has_failed: !(await isDone(config, work, permissions)) }
  console.log(`Live mode (${config.base_url})`)
  const isLiveDone = await isDone(config, work, permissions)
  const test = configOfTestMode(config, test_mode)
  console.log(`\nTest mode (${test.base_url})`)
  if (!test.database_url && !existsSync(databaseFolder(test))) {
    console.log('It was never opened, so it has no data.')
    return { has_failed: !isLiveDone }
  }
  return { has_failed: !(await isDone(test, work)) || !isLiveDone }
}

/** Does the work on the open database of a mode; prints the error if it fails. */
async function isDone(
  config: Config,
  work: (mode: OpenMode) => Promise<void>,
  { creates = false }: Permissions = {},
): Promise<boolean> {
  const log = openLog(config.log_level)
  try {
    const { db, close } = await (creates ? openDatabase(config, log) : openExisting(config, log))
    await work({ config, db, log }).finally(close)
    return true
  } catch (error) {
    console.error(readable(error as Error, config))
    return false
  }
}

/**
 * Opens the database of the settings; throws a ConfigError where the data folder has none. Commands
 * in another folder than the service's would work on a new one, and report that they are done.
 */
export async function openExisting(config: Config, log: Log): Promise<OpenDatabase> {
  if (!config.database_url && !existsSync(databaseFolder(config))) {
    throw new ConfigError(
      `DATA_DIR: there is no database in ${config.data_dir}. Correct the setting, or start the ` +
        'service, which creates one.',
    )
  }
  return await openDatabase(config, log)
}

function readable(error: Error, { live_url }: Config): string {
  const missing = live_url === undefined ? undefined : missingDatabase(error)
  return missing ?? sentenceOf(error)
}

/** An error as an operator reads it: a sentence where they can fix it, else with its stack. */
export function sentenceOf(error: Error): string {
  return error instanceof ConfigError ? error.message : (missingRight(error) ?? String(error.stack))
}
