import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { openLog } from '#platform/log'

test('logs the name, message and stack of an error, and none of its properties', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const payment_intent = { client_secret: 'pi_1_secret_x', receipt_email: 'robin@example.com' }
  const raw = { type: 'invalid_request_error', message: 'It was refused.', payment_intent }
  const cause = new Stripe.errors.StripeInvalidRequestError(raw as never)
  log.error(
    { error: new Error('The invoice waits.', { cause }) },
    'processor event failed; will retry',
  )
  log.error({ error: cause }, 'processor event failed; will retry')
  assert.match(lines[0]!, /The invoice waits.*It was refused/)
  assert.match(lines[1]!, /StripeInvalidRequestError.*log\.test\.ts/)
  assert.doesNotMatch(lines.join(''), /pi_1_secret_x|robin/)
})

test('logs the message and stack of a copy of an error, as the job queue reports one', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const { message, stack } = new Error('the connection ended')
  log.error({ error: { code: '57P01', message, stack, detail: 'hidden' } }, 'job queue failed')
  const { error } = JSON.parse(lines[0]!)
  assert.deepEqual(error, { code: '57P01', message, stack })
})

// Guards R15: a field by any name, a message or a stack may repeat what a server or a person sent.
test('no line contains a secret or an email address, wherever it is, and each remains JSON', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const secrets = [
    `key_${'a1B2'.repeat(8)}c`,
    'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE',
    'c'.repeat(64),
    'sk_live_51Habc',
    'whsec_abc',
    'Basic YXBwOnNlY3JldA==',
    'ada@example.com',
    'renée+shop@mail.example.co.uk',
  ]
  for (const secret of secrets) {
    log.info(
      { note: secret, deep: { er: { list: [`x ${secret} y`, `\n${secret}\t`] } } },
      `sent to <${secret}>`,
    )
    log.error({ error: new Error(`550 ${secret}: no such mailbox`) }, 'job failed; will retry')
  }
  log.error({ why: 'connect postgres://purser:hunter2@db.example/purser' }, 'not ready')
  const text = lines.join('')
  // No part of one remains either.
  for (const secret of [...secrets, 'hunter2']) {
    assert.ok(!text.includes(secret.slice(-6)), secret)
  }
  assert.match(text, /550 \[email\]: no such mailbox/)
  assert.match(text, /postgres:\/\/\[hidden\]@db\.example/)
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line)
})

test('a line keeps ids, routes, the frames of a stack and the names of packages', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const error = new Error('no')
  error.stack = 'Error: no\n    at send (/srv/purser/node_modules/@fastify/compress/index.js:1:2)'
  const line = { request_id: `req_${'a1B2'.repeat(5)}c3`, route: '/api/v1/orders/:ref', error }
  log.info(line, 'answered')
  const written = JSON.parse(lines[0]!)
  assert.deepEqual([written.request_id, written.route], [line.request_id, line.route])
  assert.equal(written.error.stack, error.stack)
})

test('each line names its node and its role', () => {
  const lines: string[] = []
  const stream = { write: (line: string) => lines.push(line) }
  const log = openLog('info', stream, { origin: { node: 'web-1', role: 'web' } })
  log.child({ mode: 'test' }).info('started')
  const { node, role, mode } = JSON.parse(lines[0]!)
  assert.deepEqual([node, role, mode], ['web-1', 'web', 'test'])
})

test('a line is one JSON text with its time in UTC, whatever it contains', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const forged = 'Firefox\n{"level":"info","msg":"signed in"}\u2028\r\n\u001b[2J'
  log.info({ agent: forged, route: forged }, 'answered')
  assert.equal(lines.length, 1)
  const written = lines[0]!.trimEnd()
  for (const control of ['\r', '\n', '\u001b']) assert.ok(!written.includes(control))
  const { time, msg, agent } = JSON.parse(lines[0]!)
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual([msg, agent], ['answered', forged])
})

test('writes to standard output only, and nothing else is written there', () => {
  const paths = globSync('src/**/*.{ts,tsx}')
  const holding = (pattern: RegExp) =>
    paths.filter((path) => pattern.test(readFileSync(path, 'utf8')))
  // The start says where the service is, or why it did not start.
  assert.deepEqual(holding(/\bconsole\.|process\.std(out|err)/), [
    'src/main.ts',
    // Code that sellers copy.
    'src/surfaces/dashboard/license-snippets.ts',
    'src/surfaces/dashboard/sign-in-snippets.ts',
    'src/platform/log-output.ts',
  ])
  assert.deepEqual(holding(/pino\.(destination|transport|multistream)\(|new Output\(/), [
    'src/platform/log-output.ts',
  ])
  assert.match(readFileSync('src/platform/log-output.ts', 'utf8'), /fd: process\.stdout\.fd/)
})

const TALKS = `
  import { openLog } from '#platform/log'
  const log = openLog('info')
  process.on('message', () => {
    for (let n = 0; n < 2_000; n++) log.info({ n, text: 'x '.repeat(100) }, 'talks')
    process.exit(0)
  })
  process.send('ready')`

/** A process that logs 400 kB and ends, with its standard output in a pipe. */
async function startTalking() {
  const root = new URL('../..', import.meta.url)
  const flags = ['--import', './scripts/register-tsx.mjs', '--input-type=module', '-e', TALKS]
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, flags, { cwd: root, stdio: [...stdio] })
  await once(child, 'message')
  return child
}

test('a process ends although the reader of its log is gone', { timeout: 30_000 }, async () => {
  const child = await startTalking()
  child.stdout!.destroy()
  child.send('talk')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a process ends although the reader of its log reads no more', {
  timeout: 30_000,
}, async () => {
  const child = await startTalking()
  child.send('talk')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  child.stdout!.destroy()
})

test('a process that ends writes all its lines', { timeout: 30_000 }, async () => {
  const child = await startTalking()
  let lines = 0
  child.stdout!.on('data', (chunk: Buffer) => {
    lines += chunk.toString().split('\n').length - 1
  })
  child.send('talk')
  await once(child, 'close')
  assert.equal(lines, 2_000)
})

test('every field of a line of the service is documented, and every documented one is written', () => {
  const page = readFileSync('docs/operate/monitoring.md', 'utf8')
  const [, table = ''] = /^## Log$([^#]+)/m.exec(page) ?? []
  const rows = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell]) => cell!)
  const documented = new Set(
    rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)),
  )
  const written = new Set<string>()
  for (const file of globSync('src/**/*.{ts,tsx}')) {
    const calls = readFileSync(file, 'utf8').matchAll(
      /\blog\??\.(?:debug|info|warn|error)\(\s*\{([^}]+)\}/g,
    )
    for (const [, fields] of calls) {
      for (const field of fields!.split(',')) {
        const [, name] = /^\s*(\w+)/.exec(field) ?? []
        if (name) written.add(name)
      }
    }
  }
  assert.deepEqual(
    [...written].filter((name) => !documented.has(name)),
    [],
  )
  // What is on every line, and the line of an answer, are not written as a literal.
  const others =
    'time level msg node role mode trace_id span_id method status ms address account_id'
  const unused = [...documented].filter((name) => !written.has(name) && !others.includes(name))
  assert.deepEqual(unused, [])
})
