/** The command line program in a terminal, and between other programs: pipes to and from it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { refusal, startFakeService } from '../client/fake-service.ts'
import { startedOnTerminal } from '../support/running-command.ts'

const SECRET = 'secret-from-a-pipe'

/** Starts the program for a service, with the secret in the environment or on stdin. */
function start(args: string[], url: string, from: 'environment' | 'stdin', more = {}) {
  const inEnvironment = from === 'environment' ? { PURSER_CLIENT_SECRET: SECRET } : {}
  const env = { PURSER_URL: url, PURSER_CLIENT_ID: 'app_1', ...inEnvironment, ...more }
  const child = spawn(process.execPath, ['packages/cli/dist/main.js', ...args], { env })
  child.stdin.end(from === 'stdin' ? `${SECRET}\n` : '')
  return child
}

test('doctor checks a secret that can be read only once', async () => {
  await using service = await startFakeService(({ path }) => {
    if (path.includes('/.well-known/')) return { body: { issuer: `${service.url}/o` } }
    return refusal(404, path.endsWith('/validate') ? 'unknown_key' : 'not_found')
  })
  const child = start(['doctor', '--json', '--secret-file', '-'], service.url, 'stdin')
  const { checks } = JSON.parse(await text(child.stdout))
  const found = checks.find(({ name }: { name: string }) => name === 'credentials')
  assert.equal(found.status, 'passed', found.detail)
})

test('scenario asks again while the service is away, and prints how the run ended', async () => {
  const run = { id: 'task_1', scenario: 'declined', note: '' }
  const none = { license_id: null, license_key: null, license_status: null, entitled: null }
  const wait = { 'retry-after': '1' }
  let asked = 0
  await using service = await startFakeService(({ method }) => {
    const state = { ...run, ...none, status: method === 'GET' ? 'completed' : 'running' }
    if (method === 'GET' && asked++ === 0) return { ...refusal(503, 'unavailable'), headers: wait }
    return { status: method === 'GET' ? 200 : 202, body: state, headers: wait }
  })
  const child = start(['scenario', 'declined', '--json'], service.url, 'environment')
  const [[code], out, error] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  assert.equal(code, 0, error)
  assert.equal(JSON.parse(out).status, 'completed')
  assert.match(error, /^The service answered 503\. Trying again in 1 second\.$/m)
})

test('commands of test mode say that an answer is not from Purser', async () => {
  await using service = await startFakeService(() => ({ body: '<h1>Another site</h1>' }))
  for (const command of [['tail'], ['scenario'], ['scenario', 'declined']]) {
    const child = start([...command, '--json'], service.url, 'environment')
    const [[code], out] = await Promise.all([once(child, 'close'), text(child.stdout)])
    const { error, message } = JSON.parse(out)
    assert.deepEqual([code, error], [3, 'unexpected_answer'], command.join(' '))
    assert.equal(message, "The service answered 200, which is not Purser's answer.")
  }
})

test('tail ends without an error when its reader does', async () => {
  const event = { at: '2026-01-01T00:00:00Z', kind: 'paid', text: 'Paid', why: '', status: null }
  const events = [{ ...event, amount: null, license_id: null, email: null }]
  await using service = await startFakeService(() => {
    return { body: { events, cursor: 'c', has_more: false, now: event.at } }
  })
  const child = start(['tail', '--json', '--interval', '1'], service.url, 'environment')
  const errors = text(child.stderr)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = await once(child, 'exit')
  assert.deepEqual([code, await errors], [0, ''])
})

test('tail says that it waits, on a terminal', async () => {
  await using service = await startFakeService(() => {
    return { body: { events: [], cursor: 'c', has_more: false, now: '2026-01-01T00:00:00Z' } }
  })
  const env = {
    PURSER_URL: service.url,
    PURSER_CLIENT_ID: 'app_1',
    PURSER_CLIENT_SECRET: SECRET,
  }
  const line = [process.execPath, 'packages/cli/dist/main.js', 'tail']
  const command = startedOnTerminal(line, { cwd: '.', env })
  await command.seen(/Waiting for events\. Press Ctrl-C to stop\./)
  command.type('\x03')
  await command.end
})

test('an error of the program is a JSON document too', async () => {
  // Without it, each call throws what no call expects.
  const env = { NODE_OPTIONS: '--import=data:text/javascript,AbortSignal.timeout=null' }
  const child = start(['validate', 'key_1', '--json'], 'http://127.0.0.1:9', 'environment', env)
  const [output, errors] = [text(child.stdout), text(child.stderr)]
  const [code] = await once(child, 'exit')
  assert.equal(code, 70)
  assert.equal(JSON.parse(await output).error, 'internal')
  assert.match(await errors, /TypeError/)
})
