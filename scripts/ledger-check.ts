/**
 * Recomputes the books from what happened, compares them with what the processor has on record, and
 * prints each difference on a line. It writes nothing but its result, for the monitoring and for
 * the alarm of staff. The books of the test mode beside live mode are checked after those of live
 * mode. Ends with 1 where there is a difference, and with 2 where books could not be read.
 * `npm run ledger:check`, with the settings of the service; `-- --incremental` leaves out the
 * months that an earlier check proved and that did not change since. The embedded database belongs
 * to one process, so stop the service before.
 */
import { checkAndRecord, type RecordedCheck } from '#flows/check-books'
import { systemClock as clock } from '#platform/clock'
import { readConfig } from '#platform/config'
import { environment } from '#platform/env-file'
import { assertInstalled } from '#platform/installation'
import { assertMigrated } from '#platform/migrate'
import { systemRandom as random } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { counted } from '#platform/text'
import { openSandbox } from '../src/sandbox/index.ts'
import { openStripe } from '../src/stripe/index.ts'
import { inEachMode, type OpenMode, sentenceOf } from './each-mode.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run ledger:check [-- --incremental]

Recomputes the books from what happened, compares them with what the processor has on record, and
prints each difference on a line. Ends with 1 where there is a difference, and with 2 where books
could not be read. Stop a service on the embedded database before.

  --incremental   leaves out the months that an earlier check proved and that did not change since`

/** Prints the differences in the books of a mode; returns how many there are. */
async function check({ config, db, log }: OpenMode, isIncremental: boolean): Promise<number> {
  await assertInstalled(db)
  await assertMigrated(db)
  const { stripe: settings, secret_keys, base_url } = config
  const processor = settings
    ? openStripe({ settings, db, clock, random, log })
    : openSandbox({ db, random, keys: keyRing(secret_keys), clock, base_url })
  const parts = { db, processor, clock, random }
  const checked = await checkAndRecord(parts, { is_whole: !isIncremental })
  const { counts, differences } = checked
  for (const { rule, subject, detail } of differences) console.log(`${subject}: ${rule}: ${detail}`)
  if (isIncremental) printMonths(checked)
  const looked = Object.entries(counts).map(([what, count]) => `${what}: ${count}`)
  console.log(`Looked at ${looked.join(', ')}.`)
  if (differences.length === 0) console.log('The books agree.')
  else console.log(`${counted(differences.length, 'difference')}.`)
  return differences.length
}

function printMonths({ proven, changed }: RecordedCheck): void {
  const first = proven[0]
  if (first === undefined) console.log('No month was proven, so everything was checked.')
  else console.log(`Proven before: ${first} to ${proven.at(-1)}.`)
  if (changed.length > 0) {
    console.log(`Changed after they were proven, and checked again: ${changed.join(', ')}.`)
  }
}

async function main(): Promise<void> {
  const { values } = readArguments(USAGE, { options: { incremental: { type: 'boolean' } } })
  const isIncremental = values.incremental === true
  let differences = 0
  const { has_failed } = await inEachMode(readConfig(environment(), random), async (mode) => {
    differences += await check(mode, isIncremental)
  })
  process.exitCode = has_failed ? 2 : differences > 0 ? 1 : 0
}

main().catch((error: Error) => {
  console.error(sentenceOf(error))
  process.exit(2)
})
