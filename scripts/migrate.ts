/**
 * Applies the migrations that the database lacks, apart from the start of the service: `npm run
 * migrate`, with the service's settings, in live mode and in the test mode beside it. With `--
 * --check` it changes nothing, and ends with 1 where one is missing. The service may run on
 * PostgreSQL during that; docs/operate/upgrades.md has the order of an upgrade. The embedded
 * database belongs to one process, so stop the service before.
 */
import { systemClock } from '#platform/clock'
import { ConfigError, readConfig } from '#platform/config'
import { environment } from '#platform/env-file'
import { migrate, pendingMigrations } from '#platform/migrate'
import { systemRandom } from '#platform/random'
import { RELEASE } from '#platform/release'
import { inEachMode, type OpenMode, sentenceOf } from './each-mode.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run migrate [-- --check]

Applies the migrations that the database lacks, apart from the start of the service. Stop a service
on the embedded database before.

  --check   changes nothing, and ends with 1 where a migration is missing`

const NOTHING = `Nothing to migrate for release ${RELEASE}.`

async function apply({ db }: OpenMode): Promise<void> {
  const onApplied = (name: string, duration: number) =>
    console.log(`${name}: applied in ${(duration / 1000).toFixed(1)} s`)
  const applied = await migrate(db, systemClock.now(), { onApplied })
  if (applied.length === 0) console.log(NOTHING)
}

async function check({ db }: OpenMode): Promise<void> {
  const names = (await pendingMigrations(db)).map(({ name }) => name)
  if (names.length > 0) throw new ConfigError(`Missing: ${names.join(', ')}.`)
  console.log(NOTHING)
}

async function main(): Promise<void> {
  const { values } = readArguments(USAGE, { options: { check: { type: 'boolean' } } })
  const creates = !values.check
  const config = readConfig(environment(), systemRandom)
  const { has_failed } = await inEachMode(config, creates ? apply : check, { creates })
  process.exitCode = has_failed ? 1 : 0
}

main().catch((error: Error) => {
  console.error(sentenceOf(error))
  process.exit(1)
})
