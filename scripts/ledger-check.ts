/**
 * Recomputes the books from what happened, compares them with what the processor has on record, and
 * prints each difference on a line; it changes nothing. Ends with 1 where there is a difference.
 * `npm run ledger:check`, with the service's settings; the embedded database belongs to one
 * process, so stop the service before.
 */
import { checkBooks } from '#flows/check-books'
import { systemClock } from '#platform/clock'
import { ConfigError, readConfig } from '#platform/config'
import { openEmbedded } from '#platform/db-embedded'
import { openPostgres } from '#platform/db-postgres'
import { environment } from '#platform/env-file'
import { lockFolder } from '#platform/lock'
import { openLog } from '#platform/log'
import { systemRandom as random } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { openSandbox } from '../src/sandbox/index.ts'
import { openStripe } from '../src/stripe/index.ts'

async function main(): Promise<void> {
  const config = readConfig(environment(), random)
  const { database_url, data_dir, log_level, base_url } = config
  const log = openLog(log_level)
  const release = database_url ? () => {} : lockFolder(data_dir)
  const db = database_url
    ? await openPostgres(database_url, log)
    : await openEmbedded({ dataDir: `${data_dir}/database` })
  try {
    const clock = systemClock
    const processor = config.stripe
      ? openStripe({ settings: config.stripe, db, clock, random, log })
      : openSandbox({ db, random, keys: keyRing(config.secret_keys), clock, base_url })
    const { counts, differences } = await checkBooks({ db: db.patient, processor, clock })
    for (const { rule, subject, detail } of differences)
      console.log(`${subject}: ${rule}: ${detail}`)
    const looked = Object.entries(counts).map(([what, count]) => `${what}: ${count}`)
    console.log(`Looked at ${looked.join(', ')}.`)
    if (config.test_mode) console.log('This is live mode; the test mode beside it was not checked.')
    if (differences.length === 0) console.log('The books agree.')
    else console.log(`${differences.length} differences.`)
    process.exitCode = differences.length === 0 ? 0 : 1
  } finally {
    await db.close()
    release()
  }
}

main().catch((error: Error) => {
  const isExpected = error instanceof ConfigError || error.message.startsWith('Another Purser')
  console.error(isExpected ? error.message : error.stack)
  process.exit(2)
})
