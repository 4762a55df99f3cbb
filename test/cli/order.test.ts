/** What `purser order` says of a payment that is not settled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { order } from '../../packages/cli/src/commands/order.ts'
import { EXIT } from '../../packages/cli/src/exit.ts'
import { openTerminal } from '../../packages/cli/src/terminal.ts'
import { startFakeService } from '../client/fake-service.ts'

test('names the seconds to wait for a pending payment, one in the singular', async (t) => {
  let wait = '1'
  await using service = await startFakeService(() => {
    return { status: 202, headers: { 'retry-after': wait }, body: { status: 'processing' } }
  })
  process.env.PURSER_CLIENT_SECRET = 'secret'
  t.after(() => delete process.env.PURSER_CLIENT_SECRET)
  const lines: string[] = []
  const result = (_: object, text: string[]) => lines.push(...text)
  const terminal = { ...openTerminal(false), result }
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  for (wait of ['1', '3']) {
    const end = await order({ settings, options: { wait: '0' }, terminal }, 'reference')
    assert.equal(end, EXIT.negative)
  }
  assert.match(lines[0]!, /Try again in 1 second\./)
  assert.match(lines[1]!, /Try again in 3 seconds\./)
})
