/** `purser login --no-browser`: the browser is on another computer, and its address is pasted. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type FakeService,
  providerMetadata,
  refusal,
  startFakeService,
} from '../client/fake-service.ts'
import {
  type RunningCommand,
  started,
  startedOnTerminal,
  startedToType,
} from '../support/running-command.ts'
import { useConfigFolder } from './config-folder.ts'

const folder = useConfigFolder()
const PROGRAM = 'packages/cli/dist/main.js'
const LOGIN = ['login', '--no-browser']

/** A service with one code, `good`. */
function startProvider(): Promise<FakeService> {
  const started = startFakeService(async ({ path, body }) => {
    if (path === '/o/token') {
      const isGood = new URLSearchParams(body).get('code') === 'good'
      if (!isGood) return refusal(400, 'invalid_grant')
      const tokens = { access_token: 'access', refresh_token: 'refresh' }
      return { body: { ...tokens, token_type: 'bearer', expires_in: 3600 } }
    }
    return { body: providerMetadata((await started).url) }
  })
  return started
}

/** Reads the printed address; returns the parameters of the sign-in. */
async function begun(command: RunningCommand) {
  const [, address = ''] = await command.seen(/\n {2}(http\S+)\r?\n/)
  const { searchParams } = new URL(address)
  return { state: searchParams.get('state')!, redirect_uri: searchParams.get('redirect_uri')! }
}

/** Starts a sign-in with a pipe as stdin. */
function piped(service: FakeService, args: string[] = []) {
  const env = { PURSER_URL: service.url, XDG_CONFIG_HOME: folder }
  return startedToType(process.execPath, [PROGRAM, ...LOGIN, ...args], { cwd: '.', env })
}

const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`

test('a pasted address signs in, in a terminal and through a pipe', async () => {
  await using service = await startProvider()
  const env = { PURSER_URL: service.url, XDG_CONFIG_HOME: folder }
  const line = [process.execPath, PROGRAM, ...LOGIN]
  for (const command of [piped(service), startedOnTerminal(line, { cwd: '.', env })]) {
    const { state, redirect_uri } = await begun(command)
    await command.seen(/does not open[\s\S]+paste it here within a minute/i)
    // A browser may show, and so copy, an address without its scheme.
    const address = `${redirect_uri}${query({ code: 'good', state })}`.replace('http://', '')
    command.type(`  ${address} \r\n`)
    const { code, stdout } = await command.end
    assert.equal(code, 0, stdout)
    assert.match(stdout, /Signed in to http/)
    const stored = JSON.parse(readFileSync(join(folder, 'purser/tokens.json'), 'utf8'))
    assert.equal(stored[service.url].access_token, 'access')
  }
})

test('what is no answer of a sign-in is refused, and asked for again', async () => {
  await using service = await startProvider()
  const command = piped(service)
  const { state, redirect_uri } = await begun(command)
  for (const text of [
    'yes',
    `${service.url}/o/auth?state=${state}&code=good`,
    redirect_uri,
    'http://127.0.0.1/elsewhere?code=good',
  ]) {
    command.type(`${text}\n`)
  }
  await command.seen(/(That is not the address .+ http:\/\/127\.0\.0\.1:\d+\/callback\?[\s\S]+){4}/)
  command.type(`${redirect_uri}${query({ code: 'good', state })}\n`)
  assert.equal((await command.end).code, 0)
})

test('says what is wrong with the answer of a sign-in', async () => {
  await using service = await startProvider()
  const cases = [
    [{ code: 'good', state: 'other' }, 3, 'state_mismatch', /a different sign-in\. Try again\./],
    [{ error: 'access_denied' }, 1, 'access_denied', /was canceled in the browser/],
    [{ error: 'access_denied', state: 'other' }, 3, 'state_mismatch', /a different sign-in/],
    [
      { code: 'late' },
      3,
      'invalid_grant',
      /was used before, or is older than a minute\. Try again/,
    ],
  ] as const
  for (const [parameters, exit, error, message] of cases) {
    const command = piped(service, ['--json'])
    const { state, redirect_uri } = await begun(command)
    command.type(`${redirect_uri}${query({ state, ...parameters })}\n`)
    const { code, json } = await command.end
    assert.deepEqual([code, json.error], [exit, error])
    assert.match(json.message, message)
  }
})

test('the browser may be on this machine too', async () => {
  await using service = await startProvider()
  const command = piped(service)
  const { state, redirect_uri } = await begun(command)
  assert.equal((await fetch(`${redirect_uri}${query({ code: 'good', state })}`)).status, 200)
  assert.equal((await command.end).code, 0)
})

test('Ctrl-D in a terminal ends the sign-in, because its person has nothing to paste', async () => {
  await using service = await startProvider()
  const env = { PURSER_URL: service.url, XDG_CONFIG_HOME: folder }
  const command = startedOnTerminal([process.execPath, PROGRAM, ...LOGIN], { cwd: '.', env })
  await begun(command)
  await command.seen(/Address: /)
  command.type('\x04')
  const { code, stdout } = await command.end
  assert.equal(code, 1)
  assert.match(
    stdout,
    /Address: .*\r\n.*The sign-in was canceled: no address was pasted\. Run purser/,
  )
})

test('a pipe that ends does not end the sign-in: the browser may be on this machine', async () => {
  await using service = await startProvider()
  const env = { PURSER_URL: service.url, XDG_CONFIG_HOME: folder }
  const command = started(process.execPath, [PROGRAM, ...LOGIN], { cwd: '.', env })
  const { state, redirect_uri } = await begun(command)
  assert.equal((await fetch(`${redirect_uri}${query({ code: 'good', state })}`)).status, 200)
  assert.equal((await command.end).code, 0)
})
