/** What a cache does while the service is down, slow, or limits the app. */
import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Client, type LicenseState, RateLimitedError } from '@purser/client'
import { nowhere, scripted, start, steady, unreachable } from './cached-test.ts'
import { license } from './fake-service.ts'

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: start })
})

after(() => mock.timers.reset())

test('while the service is down, the last good response is used for the grace period and no longer', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 60, grace_seconds: 600 })
  await licenses.validate('key_1')
  client.answer = unreachable
  mock.timers.tick(659_999)
  assert.equal((await licenses.validate('key_1')).entitled, true)
  mock.timers.tick(1)
  await assert.rejects(licenses.validate('key_1'), unreachable)
})

test('an outage does not cause a request on every page: retries pause for five seconds', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 0 })
  await licenses.validate('key_1')
  client.answer = unreachable
  for (let page = 0; page < 10; page++) await licenses.validate('key_1')
  assert.equal(client.requests, 2)
  mock.timers.tick(5_000)
  await licenses.validate('key_1')
  assert.equal(client.requests, 3)
})

test('an outage that one key finds spares the requests of the others', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 0 })
  await licenses.validate('key_1')
  client.answer = unreachable
  await assert.rejects(licenses.validate('key_2'), unreachable)
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('a rate limit counts as an outage for the seconds it names', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 0 })
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
  const licenses = steady(client, { max_age_seconds: 60, grace_seconds: 7 * 86_400 })
  await licenses.validate('key_1')
  client.answer = unreachable
  mock.timers.tick(86_400_000 - 1)
  assert.equal((await licenses.validate('key_1')).entitled, true)
  mock.timers.tick(1)
  await assert.rejects(licenses.validate('key_1'), unreachable)
})

test('who can be served from the cache does not wait for retries', async () => {
  const client = scripted(license())
  const retries: unknown[] = []
  const counted: Pick<Client, 'validate'> = {
    validate(_key, options) {
      retries.push(options?.retries)
      return client.validate()
    },
  }
  const licenses = steady(counted, { max_age_seconds: 0 })
  await licenses.validate('key_1')
  await licenses.validate('key_1')
  assert.deepEqual(retries, [undefined, 0])
})

test('who can be served from the cache waits two seconds, and a later response is cached', async () => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: start })
  let requests = 0
  let answer = (_: LicenseState) => {}
  const client = {
    validate() {
      requests++
      return new Promise<LicenseState>((resolve) => {
        answer = resolve
        if (requests === 1) resolve(license() as LicenseState)
      })
    },
  }
  const licenses = steady(client, { max_age_seconds: 10 })
  await licenses.validate('key_1')
  mock.timers.tick(10_000)
  const slow = licenses.validate('key_1')
  while (requests === 1) await setImmediate()
  mock.timers.tick(2_000)
  assert.equal((await slow).status, 'active')
  answer(license({ status: 'trialing' }) as LicenseState)
  await setImmediate()
  assert.equal((await licenses.validate('key_1')).status, 'trialing')
  assert.equal(requests, 2)
})
