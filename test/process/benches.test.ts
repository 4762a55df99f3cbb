/** The benches at their smallest size: their figures mean nothing then, but they still run. */
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { findPostgres } from '../../scripts/throwaway-postgres.ts'
import { FULL_ONLY, LONG } from '../support/budget.ts'

const run = promisify(execFile)

const NODE = ['--expose-gc', '--import', './scripts/register-tsx.mjs']
const SHORT = ['--licenses', '2000', '--rounds', '1', '--seconds', '1']

const BENCHES: [file: string, flags: string[]][] = [
  ['bench/run.ts', SHORT],
  ['bench/growth.ts', ['--sales', '2000', '--apps', '200', '--big-app', '500']],
  ['bench/renewals.ts', ['--subscriptions', '8', '--workers', '2']],
  ['bench/flood.ts', ['--seconds', '1', '--rounds', '1']],
  ['bench/imports.ts', ['--rows', '300', '--engine', 'postgresql']],
  ['bench/soak.ts', ['--minutes', '1', '--rate', '20']],
]

const skip = findPostgres() ? {} : { skip: 'it needs the programs of PostgreSQL' }

for (const [file, flags] of BENCHES) {
  const name = [file, ...flags].join(' ')
  test(`${name} runs to its end`, { ...LONG, ...FULL_ONLY, ...skip }, async () => {
    await run(process.execPath, [...NODE, file, ...flags])
  })
}
