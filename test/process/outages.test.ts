import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { findPostgres } from '../../scripts/throwaway-postgres.ts'

/** A short fault of each kind; `npm run test:faults` has all. */
const FAULTS = ['connections terminated', 'hung', 'smtp: is slow', 'after the timeout', 'clock']

const skip = !findPostgres() && 'it needs PostgreSQL (apt-get install postgresql)'

for (const fault of FAULTS) {
  test(`the service survives a fault under load: ${fault}`, { skip }, () => {
    const args = ['--import', './scripts/register-tsx.mjs', 'test/outages/main.ts', '--only', fault]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
  })
}
