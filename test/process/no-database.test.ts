import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCommand } from '../support/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-none-'))
after(() => rmSync(folder, { recursive: true, force: true }))

for (const [name, ...args] of [
  ['backup', join(folder, 'purser.backup')],
  ['keys-rotate', '--at-once'],
  ['ledger-check'],
  ['migrate', '--check'],
  ['restore', '--mark'],
  ['restore', '--end-review'],
  ['staff-add', 'ada@example.com'],
] as const) {
  const command = [name, ...args.filter((each) => each.startsWith('--'))].join(' ')
  test(`${command} refuses a data folder without a database, and creates none`, async () => {
    const settings = { DATA_DIR: folder, SECRET_KEY: randomBytes(32).toString('hex') }
    const { status, out, error } = await runCommand(name, settings, ...args)
    assert.notEqual(status, 0)
    assert.equal(out, '')
    assert.equal(
      error,
      `DATA_DIR: there is no database in ${folder}. ` +
        'Correct the setting, or start the service, which creates one.\n',
    )
    assert.deepEqual(readdirSync(folder), [])
  })
}
