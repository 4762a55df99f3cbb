import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { findPostgres } from '../../scripts/throwaway-postgres.ts'
import { FULL_ONLY, LONG } from '../support/budget.ts'

/** A short fault of each kind; `npm run test:faults` has all. */
const FAULTS = ['connections terminated', 'hung', 'smtp: is slow', 'after the timeout', 'clock']

const skip = !findPostgres() && 'it needs PostgreSQL (apt-get install postgresql)'

for (const fault of FAULTS) {
  test(`the service survives a fault under load: ${fault}`, { skip }, () => {
    runFault(fault)
  })
}

const options = skip ? { skip } : { ...FULL_ONLY, ...LONG }
for (const fault of ['kill: a purchase', 'nodes: restarted in turn', 'nodes: two releases']) {
  test(`the service passes the fault: ${fault}`, options, () => {
    runFault(fault, '--stride', '4')
  })
}

function runFault(name: string, ...more: string[]): void {
  const args = ['--import', './scripts/register-tsx.mjs', 'test/outages/main.ts', '--only', name]
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...more], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
}
