/**
 * Restores a backup of the embedded database into a data folder without one: `npm run restore --
 * FILE`, with the service's settings. The database is marked as restored: the service compares it
 * with the processor before anything renews or is paid out. On PostgreSQL, `-- --mark` marks a
 * database that its own tools restored. `-- --end-review` resumes renewals and payouts. The
 * embedded database belongs to one process, so stop the service before.
 */
import { existsSync, rmSync } from 'node:fs'
import { readBackup } from '#platform/backup'
import { systemClock } from '#platform/clock'
import { type Config, ConfigError, readConfig } from '#platform/config'
import { keyFile } from '#platform/data-folder'
import type { Database } from '#platform/db'
import { openEmbedded } from '#platform/db-embedded'
import { isDiskFull, reason } from '#platform/diagnosis'
import { environment } from '#platform/env-file'
import { assertInstalled, endReview, keysFault, markRestored } from '#platform/installation'
import { lockFile, lockFolder } from '#platform/lock'
import { openLog } from '#platform/log'
import { assertOwner, databaseFolder } from '#platform/open-database'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { openExisting, sentenceOf } from './each-mode.ts'
import { misused, readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run restore -- FILE, or --mark, or --end-review

Restores a backup of the embedded database into a data folder without one, and marks it as restored:
the service compares it with the processor before anything renews or is paid out. Stop it before.

  --mark         marks a PostgreSQL database that its own tools restored
  --end-review   resumes renewals and payouts`
const MARKED =
  'The service compares it with the processor when it starts. Until that agrees, nothing renews ' +
  'and nothing is paid out.'
const NEVER_STARTED =
  'The service was never started on this database, so there is nothing to compare. If it has ' +
  'sales, this is another database: check DATABASE_URL or DATA_DIR.'

async function main(): Promise<void> {
  const { values, positionals } = readArguments(USAGE, {
    options: { mark: { type: 'boolean' }, 'end-review': { type: 'boolean' } },
    has_arguments: true,
  })
  const [file] = positionals
  const wishes = [...positionals, ...Object.keys(values)]
  if (wishes.length !== 1) misused(USAGE)
  let madeKey = false
  const bytes = (count: number) => {
    madeKey = true
    return systemRandom.bytes(count)
  }
  // Without SECRET_KEY the settings take random bytes for the key of a new folder, only.
  const config = readConfig(environment(), { bytes })
  if (file !== undefined) {
    await restore(config, file).catch((error: unknown) => {
      if (madeKey) rmSync(keyFile(config.data_dir), { force: true })
      throw error
    })
  } else if (values.mark) await using(config, (db) => mark(config, db))
  else await using(config, endOfReview)
}

async function restore(config: Config, file: string): Promise<void> {
  if (config.database_url) {
    throw new ConfigError(
      'DATABASE_URL: restore PostgreSQL with its own tools, then run `npm run restore -- --mark`.',
    )
  }
  const folder = databaseFolder(config)
  if (existsSync(folder)) {
    throw new ConfigError(`DATA_DIR: ${folder} exists. Move it away, or choose another DATA_DIR.`)
  }
  assertOwner(config.data_dir)
  const loadDataDir = await readBackup(file).catch((error: Error) => {
    throw new ConfigError(`${file} is not a backup that can be read: ${error.message}`)
  })
  const lock = lockFile(config.data_dir)
  const madeLock = !existsSync(lock)
  const release = lockFolder(config.data_dir)
  let isRestored = false
  try {
    const db = await openEmbedded({ dataDir: folder, loadDataDir }).catch((error: unknown) => {
      throw new ConfigError(
        isDiskFull(error)
          ? `DATA_DIR: the disk of ${folder} is full. Free some space, then run this again.`
          : `${file} is not a backup that can be opened: ${reason(error)}.`,
      )
    })
    await mark(config, db).finally(() => db.close())
    isRestored = true
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  } finally {
    release()
    if (madeLock && !isRestored) rmSync(lock, { force: true })
  }
}

async function mark({ secret_keys }: Config, db: Database): Promise<void> {
  await assertInstalled(db)
  const wrong = await keysFault(db, keyRing(secret_keys))
  if (wrong) throw wrong
  const isMarked = await markRestored(db, systemClock.now())
  console.log(isMarked ? `The database is marked as restored. ${MARKED}` : NEVER_STARTED)
}

async function endOfReview(db: Database): Promise<void> {
  await assertInstalled(db)
  const wasOpen = await endReview(db)
  console.log(wasOpen ? 'Renewals and payouts resume.' : 'No restore is under review.')
}

async function using(config: Config, work: (db: Database) => Promise<void>): Promise<void> {
  const { db, close } = await openExisting(config, openLog(config.log_level))
  await work(db).finally(close)
}

main().catch((error: Error) => {
  console.error(sentenceOf(error))
  process.exit(1)
})
