/**
 * Breaks what the service depends on, one fault after another, under load, and checks the
 * invariants and the books after each: `npm run test:faults`, `-- --only valkey` for the faults
 * whose names contain a word, `-- --stride 4` kills at every fourth point only. Prints a table, and
 * ends with 1 where a promise was broken.
 */
import { countFlag } from '../../scripts/count-flag.ts'
import { readArguments } from '../../scripts/read-arguments.ts'
import { findPostgres, startPostgres } from '../../scripts/throwaway-postgres.ts'
import { type FaultSuite, openSuite } from './cluster.ts'
import { CONNECTION_FAULTS } from './connections.ts'
import { DATABASE_FAULTS } from './database.ts'
import type { Fault } from './fault.ts'
import { KILL_FAULTS } from './kills.ts'
import { MAIL_FAULTS } from './mail.ts'
import { NODE_FAULTS } from './nodes.ts'
import { CLOCK_FAULTS, PROCESSOR_FAULTS } from './processor.ts'
import { VALKEY_FAULTS } from './valkey.ts'

const FAULTS: readonly Fault[] = [
  ...CONNECTION_FAULTS,
  ...DATABASE_FAULTS,
  ...VALKEY_FAULTS,
  ...MAIL_FAULTS,
  ...PROCESSOR_FAULTS,
  ...CLOCK_FAULTS,
  ...NODE_FAULTS,
  ...KILL_FAULTS,
]
const FAST = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']

interface Row {
  fault: string
  count: number
  outcome: string
  seconds: number
  is_good: boolean
}

const USAGE = `Usage: npm run test:faults -- --only valkey

Breaks what the service depends on, one fault after another, under load, and checks the invariants
and the books after each. Ends with 1 where a promise was broken.

  --only     the faults whose names contain a word; all by default
  --stride   kills at every so many points only (1)`

const { values } = readArguments(USAGE, {
  options: { only: { type: 'string', default: '' }, stride: { type: 'string', default: '1' } },
})
const stride = countFlag('stride', values.stride)
const wanted = FAULTS.filter(({ name }) => name.includes(values.only))
if (wanted.length === 0) throw new Error(`no fault has "${values.only}" in its name`)
process.exitCode = (await runAll()) ? 0 : 1

async function runAll(): Promise<boolean> {
  const programs = findPostgres()
  if (!programs) throw new Error('PostgreSQL is needed: apt-get install postgresql')
  const server = await startPostgres(programs, FAST)
  const rows: Row[] = []
  try {
    const suite = await openSuite(server.url, server.owner, stride)
    for (const fault of wanted) rows.push(await runOne(fault, suite))
  } finally {
    await server.stop()
  }
  print(rows)
  return rows.every(({ is_good }) => is_good)
}

async function runOne(fault: Fault, suite: FaultSuite): Promise<Row> {
  const skipped = fault.skip?.()
  const start = performance.now()
  const row = (count: number, outcome: string, is_good: boolean): Row => {
    const seconds = Math.round((performance.now() - start) / 1000)
    console.log(`${is_good ? 'good' : 'BAD '}  ${fault.name}: ${outcome} (${seconds} s)`)
    return { fault: fault.name, count, outcome, seconds, is_good }
  }
  if (skipped) return row(0, `skipped: ${skipped}`, true)
  try {
    const { count, outcome } = await fault.run(suite)
    return row(count, outcome, true)
  } catch (error) {
    console.error(error)
    return row(0, `broken: ${(error as Error).message.split('\n')[0]}`, false)
  }
}

function print(rows: Row[]): void {
  const width = Math.max(...rows.map(({ fault }) => fault.length))
  console.log(`\n${'fault'.padEnd(width)}  count  outcome`)
  for (const { fault, count, outcome } of rows) {
    console.log(`${fault.padEnd(width)}  ${String(count).padStart(5)}  ${outcome}`)
  }
}
