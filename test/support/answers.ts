import assert from 'node:assert/strict'
import type { LightMyRequestResponse as Answer } from 'fastify'

/** Asserts that an API call was refused with a status and a code, in the common shape of errors. */
export function assertRefused(
  answer: Answer,
  status: number,
  error: string,
  ...more: ('fields' | 'retry_after' | 'scope')[]
): void {
  assert.equal(answer.statusCode, status, answer.body)
  assert.match(String(answer.headers['content-type']), /^application\/json\b/)
  const body = answer.json()
  assert.deepEqual(Object.keys(body), ['error', 'message', 'request_id', ...more])
  assert.equal(body.error, error)
  assert.match(body.message, /^[A-Z].*\.$/)
  assert.match(body.request_id, /^req_[0-9A-Za-z]{22}$/)
  assert.equal(answer.headers['x-request-id'], body.request_id)
}

/** Asserts a refusal for too many requests, which says how long to wait. */
export function assertLimited(answer: Answer): void {
  assertRefused(answer, 429, 'rate_limited', 'retry_after')
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  assert.equal(answer.json().retry_after, Number(answer.headers['retry-after']))
}

/** Everything by which a caller could distinguish two responses, without what always differs. */
export function fingerprint(answer: Answer) {
  const { 'x-request-id': id, date, ratelimit, ...headers } = answer.headers
  return { status: answer.statusCode, headers, body: answer.body.replace(String(id), 'req_') }
}
