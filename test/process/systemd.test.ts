import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { which } from '../../scripts/chromium.ts'

const analyze = which('systemd-analyze')
/** Tenths, from 0 (nothing is exposed) to 100. systemd calls up to 20 "OK". */
const MAX_EXPOSED = 12

describe('the unit for systemd', {
  skip: !analyze && 'no systemd (apt-get install systemd)',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-systemd-'))
  const unit = join(folder, 'purser@.service')
  before(() => {
    const recipe = readFileSync('deploy/systemd/purser@.service', 'utf8')
    // The tree is not installed here, and a unit whose program is missing is refused.
    writeFileSync(unit, recipe.replace('/opt/purser/bin/node', process.execPath))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const run = (...args: string[]) => spawnSync(analyze!, args, { encoding: 'utf8' })

  test('is accepted by systemd without a warning', () => {
    const { status, stdout, stderr } = run('verify', unit)
    assert.deepEqual([status, stdout + stderr], [0, ''])
  })

  test('exposes little of the machine', () => {
    const { status, stdout, stderr } = run(
      'security',
      '--offline=true',
      `--threshold=${MAX_EXPOSED}`,
      '--no-pager',
      unit,
    )
    assert.equal(status, 0, stdout + stderr)
  })
})
