/** What `purser pull` does with the file that is in its place. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pull } from '../../packages/cli/src/commands/pull.ts'
import { type CliError, EXIT } from '../../packages/cli/src/exit.ts'
import { openTerminal } from '../../packages/cli/src/terminal.ts'
import { useConfigFolder } from './config-folder.ts'

const path = join(useConfigFolder(), 'purser.yaml')
const text = 'app: tidepool\npulled: listing=3d1f0c0cb4d2\n'

const pullOver = (app: string, force = false) => {
  const settings = { url: 'http://127.0.0.1:9', client_id: undefined, app }
  return pull({ settings, options: { force }, terminal: openTerminal(true) }, path)
}

test('the file of an app is not replaced by another one, unless forced', async () => {
  writeFileSync(path, text)
  await assert.rejects(pullOver('driftlog'), ({ exit, message }: CliError) => {
    assert.equal(exit, EXIT.usage)
    assert.match(message, /is the file of tidepool, but the settings name driftlog\./)
    assert.match(message, /Add --app tidepool, pull to another file, or .+ purser pull --force\.$/)
    return true
  })
  assert.equal(readFileSync(path, 'utf8'), text)
  for (const others of [pullOver('driftlog', true), pullOver('tidepool')]) {
    await assert.rejects(others, ({ code }: CliError) => code === 'sign_in_required')
  }
})
