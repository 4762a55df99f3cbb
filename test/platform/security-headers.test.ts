import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerHeaders, contentPolicy, PAGE_HEADERS } from '#platform/security-headers'

test('an answer has the headers that apply to programs, and allows nothing', () => {
  assert.deepEqual(answerHeaders(true), {
    'content-security-policy':
      "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    'x-content-type-options': 'nosniff',
  })
})

test('TLS is required only where the service has it', () => {
  assert.equal(answerHeaders(false)['strict-transport-security'], undefined)
})

test('a page adds headers, and repeats none that every answer has', () => {
  const ofAnswers = Object.keys(answerHeaders(true))
  const ofPages = Object.keys(PAGE_HEADERS)
  assert.deepEqual(
    ofPages.filter((name) => ofAnswers.includes(name)),
    [],
  )
  assert.equal(PAGE_HEADERS['cross-origin-opener-policy'], 'same-origin')
  assert.equal(PAGE_HEADERS['x-frame-options'], 'DENY')
  assert.match(PAGE_HEADERS['permissions-policy']!, /camera=\(\)/)
})

test('a policy adds directives and replaces single ones of those that allow nothing', () => {
  assert.equal(
    contentPolicy({ 'form-action': ["'self'", 'https://a.example'], 'img-src': ["'self'"] }),
    "default-src 'none'; object-src 'none'; base-uri 'none'; " +
      "form-action 'self' https://a.example; frame-ancestors 'none'; img-src 'self'",
  )
})

test('a source that would add a directive is refused', () => {
  const source = 'https://a.example; script-src https://evil.example'
  assert.throws(() => contentPolicy({ 'form-action': [source] }), /invalid directive value/)
  assert.throws(() => contentPolicy({ 'form-action': ['self'] }), /should be quoted/)
})
