import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import {
  type CacheEntry,
  cachedValidator,
  type LicenseState,
  PurserError,
  RateLimitedError,
  UnreachableError,
} from '@purser/client'
import { license } from './fake-service.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const nowhere = { status: null, code: 'unreachable', request_id: null }
const unreachable = new UnreachableError('down', nowhere)
const unknown = new PurserError('unknown', { ...nowhere, status: 404, code: 'unknown_key' })

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: start })
})

after(() => mock.timers.reset())

/** A client whose next answer can be set, and which counts how often it was asked. */
function scripted(first: object | Error) {
  const client = {
    answer: first as LicenseState | Error,
    requests: 0,
    async validate() {
      client.requests++
      if (client.answer instanceof Error) throw client.answer
      return client.answer
    },
  }
  return client
}

test('an entitled response is cached for max_age_seconds and no longer', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 300 })
  await licenses.validate('key_1')
  mock.timers.tick(299_999)
  await licenses.validate('key_1')
  assert.equal(client.requests, 1)
  mock.timers.tick(1)
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('a response is not cached past its period_end', async () => {
  const client = scripted(license({ period_end: '2026-03-02' }))
  const licenses = cachedValidator(client, { max_age_seconds: 7 * 86_400 })
  await licenses.validate('key_1')
  mock.timers.tick(86_400_000 - 1)
  await licenses.validate('key_1')
  assert.equal(client.requests, 1)
  mock.timers.tick(1)
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('a refusal is not cached: a buyer who updates the card gets access at once', async () => {
  const client = scripted(license({ entitled: false, status: 'past_due' }))
  const licenses = cachedValidator(client, { max_age_seconds: 300 })
  assert.equal((await licenses.validate('key_1')).entitled, false)
  client.answer = license() as LicenseState
  assert.equal((await licenses.validate('key_1')).entitled, true)
})

test('an error is never cached, and an unknown key drops its last good response', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 0 })
  await licenses.validate('key_1')
  client.answer = unknown
  await assert.rejects(licenses.validate('key_1'), unknown)
  client.answer = unreachable
  await assert.rejects(licenses.validate('key_1'), unreachable)
  client.answer = license() as LicenseState
  assert.equal((await licenses.validate('key_1')).entitled, true)
})

test('while the service is down, the last good response is used for the grace period and no longer', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 60, grace_seconds: 600 })
  await licenses.validate('key_1')
  client.answer = unreachable
  mock.timers.tick(659_999)
  assert.equal((await licenses.validate('key_1')).entitled, true)
  mock.timers.tick(1)
  await assert.rejects(licenses.validate('key_1'), unreachable)
})

test('an outage does not cause a request on every page: retries pause for five seconds', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 0 })
  await licenses.validate('key_1')
  client.answer = unreachable
  for (let page = 0; page < 10; page++) await licenses.validate('key_1')
  assert.equal(client.requests, 2)
  mock.timers.tick(5_000)
  await licenses.validate('key_1')
  assert.equal(client.requests, 3)
})

test('a rate limit counts as an outage for the seconds it names', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 0 })
  await licenses.validate('key_1')
  client.answer = new RateLimitedError('slow down', { ...nowhere, status: 429, retry_after: 30 })
  await licenses.validate('key_1')
  mock.timers.tick(29_999)
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('the grace period does not outlast the day on which a canceled license ends', async () => {
  const ending = { period_end: '2026-03-02', canceled_at: '2026-03-02' }
  const client = scripted(license(ending))
  const licenses = cachedValidator(client, { max_age_seconds: 60, grace_seconds: 7 * 86_400 })
  await licenses.validate('key_1')
  client.answer = unreachable
  mock.timers.tick(86_400_000 - 1)
  assert.equal((await licenses.validate('key_1')).entitled, true)
  mock.timers.tick(1)
  await assert.rejects(licenses.validate('key_1'), unreachable)
})

test('a dropped key is requested again', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 300 })
  await licenses.validate('key_1')
  await licenses.forget('key_1')
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('a store of the seller, synchronous or not, replaces memory', async () => {
  const entries = new Map<string, CacheEntry>()
  const store = {
    get: async (key: string) => entries.get(key),
    set: async (key: string, entry: CacheEntry) => entries.set(key, entry),
    delete: async (key: string) => entries.delete(key),
  }
  const client = scripted(license())
  const options = { max_age_seconds: 300, store }
  await cachedValidator(client, options).validate('key_1')
  await cachedValidator(client, options).validate('key_1')
  assert.equal(client.requests, 1)
  assert.deepEqual(JSON.parse(JSON.stringify(entries.get('key_1'))), entries.get('key_1'))
})
