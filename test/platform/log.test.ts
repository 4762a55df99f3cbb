import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { openLog } from '#platform/log'

test('of an error the log tells what it is and where, and nothing that hangs on it', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const payment_intent = { client_secret: 'pi_1_secret_x', receipt_email: 'robin@example.com' }
  const raw = { type: 'invalid_request_error', message: 'It was refused.', payment_intent }
  const cause = new Stripe.errors.StripeInvalidRequestError(raw as never)
  log.error({ error: new Error('The bill waits.', { cause }) }, 'an event must wait')
  log.error({ error: cause }, 'an event must wait')
  assert.match(lines[0]!, /The bill waits.*It was refused/)
  assert.match(lines[1]!, /StripeInvalidRequestError.*log\.test\.ts/)
  assert.doesNotMatch(lines.join(''), /pi_1_secret_x|robin/)
})
