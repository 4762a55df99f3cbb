/**
 * Gives hosted sign-in a new signing key, in live mode and in the test mode beside it. Every
 * process publishes it at once and signs with it ten minutes later; the key before stays published
 * until what it signed has expired. A SECRET_KEY that a start would refuse is refused here too. The
 * embedded database belongs to one process, so stop the service before.
 *
 * `npm run keys:rotate -- --at-once` is for a compromised key: the new key signs immediately, and
 * what the others signed is no longer valid.
 */
import * as grants from '#domain/grants'
import { systemClock } from '#platform/clock'
import { readConfig } from '#platform/config'
import { environment } from '#platform/env-file'
import { assertInstalled, checkSecretKeys } from '#platform/installation'
import { ensureMigrated } from '#platform/migrate'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { inEachMode, type OpenMode, sentenceOf } from './each-mode.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run keys:rotate [-- --at-once]

Gives hosted sign-in a new signing key, which signs ten minutes later. The key before stays
published until what it signed has expired. Stop a service on the embedded database before.

  --at-once   for a compromised key: the new key signs immediately, and what the others signed is
              no longer valid`

async function rotate({ config, db }: OpenMode, at_once: boolean): Promise<void> {
  const now = systemClock.now()
  await assertInstalled(db)
  await ensureMigrated(db, now, config)
  const tools = { keys: keyRing(config.secret_keys), random: systemRandom }
  // All keys are sealed again, and the nodes must be able to read them.
  await checkSecretKeys(db, now, tools.keys)
  const made = await grants.rotateKeys(db, now, tools, { at_once })
  console.log(`The key ${made.id} signs from ${made.active_from.toISOString()}.`)
}

async function main(): Promise<void> {
  const { values } = readArguments(USAGE, { options: { 'at-once': { type: 'boolean' } } })
  const at_once = values['at-once'] === true
  const config = readConfig(environment(), systemRandom)
  const { has_failed } = await inEachMode(config, (mode) => rotate(mode, at_once))
  process.exitCode = has_failed ? 1 : 0
}

main().catch((error: Error) => {
  console.error(sentenceOf(error))
  process.exit(1)
})
