import assert from 'node:assert/strict'
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
  assert.deepEqual(holding(/\bconsole\.|process\.std(out|err)/), ['src/main.ts'])
  assert.deepEqual(holding(/pino\.(destination|transport|multistream)\(/), ['src/platform/log.ts'])
  assert.match(readFileSync('src/platform/log.ts', 'utf8'), /pino\.destination\(\{ sync: false/)
})
