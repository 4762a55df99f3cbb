/** Which scopes `purser login` requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { login } from '../../packages/cli/src/commands/login.ts'
import { EXIT } from '../../packages/cli/src/exit.ts'
import { openTerminal } from '../../packages/cli/src/terminal.ts'
import { startFakeService } from '../client/fake-service.ts'
import { useConfigFolder } from './config-folder.ts'

useConfigFolder()

test('refuses a scope that does not exist before it opens a browser', async () => {
  await using service = await startFakeService(() => ({ status: 500, body: {} }))
  const settings = { url: service.url, client_id: undefined, app: undefined }
  const known = 'integrations.read, integrations.write, listing.read and listing.write'
  for (const [scope, fault] of [
    ['integrations.read listings.write', '"listings.write" is no scope.'],
    ['integrations.read,listing.write', '"integrations.read,listing.write" is no scope.'],
    ['', 'There is none.'],
  ]) {
    const options = { scope: scope!, browser: false }
    await assert.rejects(login({ settings, options, terminal: openTerminal(true) }), {
      exit: EXIT.usage,
      message: `--scope takes ${known}, with spaces between them. ${fault}`,
    })
  }
  assert.deepEqual(service.requests, [])
})
