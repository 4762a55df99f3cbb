/**
 * Recomputes the books from what happened, and says in one line each where they differ; it changes
 * nothing. Ends with 1 where there is a difference. `npm run ledger:check`, with the service's
 * settings; the embedded database belongs to one process, so stop the service before.
 */
import { checkBooks } from '#flows/check-books'
import { ConfigError, readConfig } from '#platform/config'
import { openEmbedded } from '#platform/db-embedded'
import { openPostgres } from '#platform/db-postgres'
import { environment } from '#platform/env-file'
import { lockFolder } from '#platform/lock'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'

async function main(): Promise<void> {
  const config = readConfig(environment(), systemRandom)
  const { database_url, data_dir, log_level } = config
  const release = database_url ? () => {} : lockFolder(data_dir)
  const db = database_url
    ? await openPostgres(database_url, openLog(log_level))
    : await openEmbedded({ dataDir: `${data_dir}/database` })
  try {
    const processor = config.stripe ? 'stripe' : 'sandbox'
    const { counts, differences } = await checkBooks(db.patient, { processor })
    for (const { rule, subject, words } of differences) console.log(`${subject}: ${rule}: ${words}`)
    const looked = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    console.log(`Looked at ${looked.join(', ')}.`)
    if (differences.length === 0) console.log('The books agree.')
    else console.log(`${differences.length} differences.`)
    process.exitCode = differences.length === 0 ? 0 : 1
  } finally {
    await db.close()
    release()
  }
}

main().catch((error: Error) => {
  const isTold = error instanceof ConfigError || error.message.startsWith('Another Purser')
  console.error(isTold ? error.message : error.stack)
  process.exit(2)
})
