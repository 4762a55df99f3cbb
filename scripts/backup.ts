/**
 * Writes a consistent copy of the embedded database to a new file: `npm run backup -- FILE`, with
 * the service's settings, while the service runs or is stopped. The file does not contain
 * SECRET_KEY, without which it cannot be used. docs/operate/backups.md has PostgreSQL and restores.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeBackup } from '#platform/backup'
import { type Config, ConfigError, readConfig } from '#platform/config'
import { askControl } from '#platform/control'
import { environment } from '#platform/env-file'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import { openExisting, sentenceOf } from './each-mode.ts'
import { misused, readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run backup -- FILE

Writes a consistent copy of the embedded database to a new file, while the service runs or is
stopped. The file does not contain SECRET_KEY, without which it cannot be used.`
const WRITTEN_WITHIN_MS = 30 * 60_000
const MEGABYTE = 1_000_000

async function main(): Promise<void> {
  const { positionals } = readArguments(USAGE, { has_arguments: true })
  const [file, ...others] = positionals
  if (!file || others.length > 0) misused(USAGE)
  const config = readConfig(environment(), systemRandom)
  if (config.database_url) {
    throw new ConfigError(
      'DATABASE_URL: back up PostgreSQL with pg_dump (docs/operate/backups.md).',
    )
  }
  if (existsSync(file)) throw new ConfigError(`${file} exists. Choose another name.`)
  const size = await backUp(config, resolve(file))
  console.log(`${file}: ${(size / MEGABYTE).toFixed(1)} MB. Keep SECRET_KEY too, apart from it.`)
}

async function backUp(config: Config, file: string): Promise<number> {
  const request = { command: 'backup', file }
  const answer = await askControl(config.data_dir, request, WRITTEN_WITHIN_MS)
  if (answer && 'fault' in answer) throw new ConfigError(answer.fault)
  if (answer) return Number(answer.text)
  const { db, close } = await openExisting(config, openLog(config.log_level))
  return await writeBackup(db, file).finally(close)
}

main().catch((error: Error) => {
  console.error(sentenceOf(error))
  process.exit(1)
})
