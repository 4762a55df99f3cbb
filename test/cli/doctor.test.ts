/** What doctor says of a service that fails. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeTokens } from '../../packages/cli/src/agent/token-store.ts'
import { doctor } from '../../packages/cli/src/commands/doctor.ts'
import { checkAll } from '../../packages/cli/src/doctor/checks.ts'
import { EXIT } from '../../packages/cli/src/exit.ts'
import { openTerminal } from '../../packages/cli/src/terminal.ts'
import { refusal, startFakeService } from '../client/fake-service.ts'
import { useConfigFolder } from './config-folder.ts'

useConfigFolder()

/** The check of the app, for a service that answers it with an error, with or without an ID. */
async function appCheck(request_id: string | null) {
  await using service = await startFakeService(({ path }) => {
    if (path.includes('/.well-known/')) return { body: { issuer: `${service.url}/o` } }
    return request_id ? refusal(500, 'internal_error', { request_id }) : { status: 502, body: '' }
  })
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const context = { settings, options: {}, terminal: openTerminal(true) }
  const results = await checkAll(context, () => {})
  return results.find(({ name }) => name === 'app')
}

test('names the request ID that support needs, where there is one', async () => {
  const { status, fix } = (await appCheck('req_of_the_error'))!
  assert.equal(status, 'failed')
  assert.match(fix!, /contact support with the request ID req_of_the_error\.$/)
  assert.equal((await appCheck(null))!.fix, 'Try again.')
})

test('has a refused client secret compared before it is rotated, which ends the current one', async () => {
  await using service = await startFakeService(({ path }) => {
    if (path.includes('/.well-known/')) return { body: { issuer: `${service.url}/o` } }
    return path.endsWith('/validate') ? refusal(401, 'invalid_client') : refusal(404, 'not_found')
  })
  const folder = mkdtempSync(join(tmpdir(), 'purser-doctor-'))
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, 'of another app')
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const results = await checkAll(
    { settings, options: { secretFile }, terminal: openTerminal(true) },
    () => {},
  )
  rmSync(folder, { recursive: true })
  const { status, fix } = results.find(({ name }) => name === 'credentials')!
  assert.equal(status, 'failed')
  assert.match(fix!, /^Check that it is the secret of app_1: each app and each mode has its own\./)
  assert.match(fix!, /create a new one on the Integration page; the old one stops working/)
})

test('counts the checks that were skipped', async () => {
  const app = { client_id: 'app_1', app_name: 'Tidepool', has_free_tier: false }
  const price = { product_name: 'Pro', amount: '12.00', frequency: 'month' }
  await using service = await startFakeService(({ path }) => {
    if (path.includes('/.well-known/')) return { body: { issuer: `${service.url}/o` } }
    if (path.endsWith('/prices/')) {
      const buy_url = `${service.url}/buy/prc_1/`
      return { body: { ...app, prices: [{ ...price, public_id: 'prc_1', buy_url }] } }
    }
    return { body: { ...app, name: 'Tidepool', url: 'https://tidepool.example' } }
  })
  const settings = { url: service.url, client_id: 'app_1', app: undefined }
  const printed: string[] = []
  const result = (_: object, lines: string[]) => void printed.push(...lines)
  const terminal = { ...openTerminal(false), result }
  const exit = await doctor({ settings, options: {}, terminal })
  assert.equal(exit, EXIT.ok, printed.join('\n'))
  assert.match(printed.at(-1)!, /No check failed: 2 skipped\./)
})

test('fails where the client ID does not belong to the named app', async () => {
  const apps = [
    { slug: 'tidepool', name: 'Tidepool', client_id: 'app_1' },
    { slug: 'driftlog', name: 'Driftlog', client_id: 'app_2' },
  ]
  const structuredContent = { apps, settings: {} }
  await using service = await startFakeService(({ path }) => {
    if (path === '/mcp') return { body: { result: { structuredContent } } }
    return path.includes('/.well-known/') ? { body: { issuer: `${service.url}/o` } } : {}
  })
  const tokens = { access_token: 'a', refresh_token: null, expires_at: Date.now() + 3_600_000 }
  writeTokens(service.url, { ...tokens, scope: 'integrations.read' })
  const check = async (client_id: string, app: string | undefined) => {
    const settings = { url: service.url, client_id, app }
    const context = { settings, options: {}, terminal: openTerminal(true) }
    const results = await checkAll(context, () => {})
    return results.find(({ name }) => name === 'integration')!
  }
  const { status, detail, fix } = await check('app_2', 'tidepool')
  assert.equal(status, 'failed')
  assert.equal(detail, 'the client ID does not belong to tidepool')
  assert.match(fix!, /^Set the client ID of tidepool, app_1, or name another app with --app\.$/)
  assert.match((await check('app_3', undefined)).fix!, /^You have no app with this client ID\./)
})
