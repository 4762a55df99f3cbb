/**
 * Gives hosted sign-in a new signing key. Every process publishes it at once and signs with it ten
 * minutes later; the key before stays published until what it signed has expired. The embedded
 * database belongs to one process, so stop the service before.
 *
 * `npm run keys:rotate -- --at-once` is for a key that fell into wrong hands: the new key signs
 * immediately, and what the others signed is good no more.
 */
import * as grants from '#domain/grants'
import { systemClock } from '#platform/clock'
import { ConfigError, readConfig } from '#platform/config'
import { openEmbedded } from '#platform/db-embedded'
import { openPostgres } from '#platform/db-postgres'
import { environment } from '#platform/env-file'
import { lockFolder } from '#platform/lock'
import { openLog } from '#platform/log'
import { migrate } from '#platform/migrate'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'

async function main(at_once: boolean): Promise<void> {
  const config = readConfig(environment(), systemRandom)
  const { database_url, data_dir, secret_keys, log_level } = config
  const release = database_url ? () => {} : lockFolder(data_dir)
  const db = database_url
    ? await openPostgres(database_url, openLog(log_level))
    : await openEmbedded({ dataDir: `${data_dir}/database` })
  try {
    const now = systemClock.now()
    await migrate(db, now)
    const tools = { keys: keyRing(secret_keys), random: systemRandom }
    const made = await grants.rotateKeys(db, now, tools, { at_once })
    console.log(`The key ${made.id} signs from ${made.active_from.toISOString()}.`)
  } finally {
    await db.close()
    release()
  }
}

main(process.argv.includes('--at-once')).catch((error: Error) => {
  const isExpected = error instanceof ConfigError || error.message.startsWith('Another Purser')
  console.error(isExpected ? error.message : error.stack)
  process.exit(1)
})
