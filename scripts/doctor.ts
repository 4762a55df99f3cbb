/**
 * Looks at everything the service needs and prints a line for each: ok, warning or fault, with what
 * to do. `npm run doctor`, with the service's settings, while the service runs or is stopped. Sends
 * no email and moves no money. With `-- --json` it prints one JSON object. Ends with 1 where there
 * is a fault.
 */
import { type Config, ConfigError, readConfig } from '#platform/config'
import { type Diagnosis, fault, ok, reason } from '#platform/diagnosis'
import { environment } from '#platform/env-file'
import { systemRandom } from '#platform/random'
import { diagnoseDatabases } from './doctor/databases.ts'
import { diagnoseAddress, diagnoseDisk, diagnoseNode, diagnoseProxy } from './doctor/machine.ts'
import {
  diagnoseClock,
  diagnoseMail,
  diagnoseProcessor,
  diagnoseStorage,
  diagnoseValkey,
} from './doctor/services.ts'
import { sentenceOf } from './each-mode.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run doctor [-- --json]

Looks at everything the service needs and prints a line for each: ok, warning or fault, with what to
do. It sends no email and moves no money. Ends with 1 where there is a fault.

  --json   one JSON object instead of lines`

const CHECKS: [check: string, look: (config: Config) => Promise<Diagnosis[]> | Diagnosis[]][] = [
  ['disk', diagnoseDisk],
  ['database', diagnoseDatabases],
  ['mail', diagnoseMail],
  ['valkey', diagnoseValkey],
  ['processor', diagnoseProcessor],
  ['clock', diagnoseClock],
  ['storage', diagnoseStorage],
  ['address', diagnoseAddress],
  ['proxy', diagnoseProxy],
]

async function diagnose(): Promise<Diagnosis[]> {
  let config: Config
  try {
    config = readConfig(environment(), systemRandom)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const next = 'Correct the settings; the other checks need them.'
    return [...diagnoseNode(), fault('settings', error.message, next)]
  }
  const found = await Promise.all(
    CHECKS.map(async ([check, look]) => {
      try {
        return await look(config)
      } catch (error) {
        return [fault(check, reason(error), 'Look at the error; this check did not end.')]
      }
    }),
  )
  const mode = config.production ? 'production' : 'development'
  return [...diagnoseNode(), ok('settings', `${mode}, role ${config.role}`), ...found.flat()]
}

async function main(): Promise<void> {
  const { values } = readArguments(USAGE, { options: { json: { type: 'boolean' } } })
  const checks = await diagnose()
  const count = (level: Diagnosis['level']) => checks.filter((each) => each.level === level).length
  const [faults, warnings] = [count('fault'), count('warning')]
  if (values.json) {
    console.log(JSON.stringify({ faults, warnings, checks }, undefined, 2))
  } else {
    for (const { check, level, text, next } of checks) {
      console.log(`${level.padEnd(8)} ${check}: ${text}${next ? `\n         ${next}` : ''}`)
    }
    console.log(`Faults: ${faults}. Warnings: ${warnings}.`)
  }
  process.exit(faults > 0 ? 1 : 0)
}

main().catch((error: Error) => {
  console.error(sentenceOf(error))
  process.exit(1)
})
