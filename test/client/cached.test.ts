/** What is cached of responses, and for how long. */
import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  type CacheOptions,
  cachedEntitlements,
  cachedValidator,
  type Entitlement,
  type LicenseState,
  PurserError,
} from '@purser/client'
import { nowhere, scripted, start, steady, unknown, unreachable } from './cached-test.ts'
import { license } from './fake-service.ts'

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: start })
})

after(() => mock.timers.reset())

test('an entitled response is cached for max_age_seconds and no longer', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 300 })
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
  const licenses = steady(client, { max_age_seconds: 7 * 86_400 })
  await licenses.validate('key_1')
  mock.timers.tick(86_400_000 - 1)
  await licenses.validate('key_1')
  assert.equal(client.requests, 1)
  mock.timers.tick(1)
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('a refusal that can end is not cached: a buyer who updates the card gets access at once', async () => {
  const client = scripted(license({ entitled: false, status: 'past_due' }))
  const licenses = steady(client, { max_age_seconds: 300 })
  assert.equal((await licenses.validate('key_1')).entitled, false)
  client.answer = license() as LicenseState
  assert.equal((await licenses.validate('key_1')).entitled, true)
})

test('an error is not cached, and an unknown key drops its last good response', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 0, refusal_seconds: 0 })
  await licenses.validate('key_1')
  client.answer = unknown
  await assert.rejects(licenses.validate('key_1'), unknown)
  client.answer = unreachable
  await assert.rejects(licenses.validate('key_1'), unreachable)
  client.answer = license() as LicenseState
  assert.equal((await licenses.validate('key_1')).entitled, true)
})

test('a dropped key is requested again', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 300 })
  await licenses.validate('key_1')
  await licenses.forget('key_1')
  await licenses.validate('key_1')
  assert.equal(client.requests, 2)
})

test('an entry is found and dropped without the spaces that were pasted around its key', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 300 })
  await licenses.validate(' key_1\n')
  await licenses.validate('key_1')
  assert.equal(client.requests, 1)
  await licenses.forget('key_1 ')
  await licenses.validate(' key_1\n')
  assert.equal(client.requests, 2)
})

test('canceled and unknown keys are cached for refusal_seconds and no longer', async () => {
  for (const answer of [license({ entitled: false, status: 'canceled' }), unknown]) {
    const client = scripted(answer)
    const licenses = steady(client, { max_age_seconds: 300, refusal_seconds: 20 })
    const outcome = () =>
      licenses.validate('key_1').then(
        ({ status }) => status,
        (error: PurserError) => error.code,
      )
    const first = await outcome()
    assert.match(first, /^(canceled|unknown_key)$/)
    mock.timers.tick(19_999)
    assert.equal(await outcome(), first)
    assert.equal(client.requests, 1)
    mock.timers.tick(1)
    client.answer = unreachable
    assert.equal(await outcome(), 'unreachable', 'no grace for a refusal')
  }
})

test('a cache without an age caches no refusal either', async () => {
  const client = scripted(license({ entitled: false, status: 'canceled' }))
  const licenses = steady(client, { max_age_seconds: 0 })
  assert.equal((await licenses.validate('key_1')).status, 'canceled')
  client.answer = license() as LicenseState
  assert.equal((await licenses.validate('key_1')).status, 'active')
})

test('jitter takes up to its part off an age, so that entries stored at once expire apart', async () => {
  const client = scripted(license())
  const licenses = cachedValidator(client, { max_age_seconds: 100, jitter: 0.5 })
  const keys = Array.from({ length: 100 }, (_, at) => `key_${at}`)
  for (const key of keys) await licenses.validate(key)
  const afterSeconds = async (seconds: number) => {
    mock.timers.setTime(start + seconds * 1000)
    for (const key of keys) await licenses.validate(key)
    return client.requests
  }
  assert.equal(await afterSeconds(49.9), 100)
  const half_way = await afterSeconds(75)
  assert.ok(half_way > 110 && half_way < 190, String(half_way))
})

test('calls with one key share a request, and none can change what another gets', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 300 })
  const [one, other] = await Promise.all([licenses.validate('key_1'), licenses.validate('key_1')])
  assert.equal(client.requests, 1)
  one.entitled = false
  assert.equal(other.entitled, true)
  assert.equal((await licenses.validate('key_1')).entitled, true)
})

test('the memory drops the key that was used longest ago', async () => {
  const client = scripted(license())
  const licenses = steady(client, { max_age_seconds: 300, max_entries: 2 })
  for (const key of ['key_1', 'key_2', 'key_1', 'key_3', 'key_1']) await licenses.validate(key)
  assert.equal(client.requests, 3)
  await licenses.validate('key_2')
  assert.equal(client.requests, 4)
})

test('a response from before a key was dropped does not fill the cache', async () => {
  let answer = (_: LicenseState) => {}
  let requests = 0
  const client = {
    validate() {
      requests++
      return new Promise<LicenseState>((resolve) => {
        answer = resolve
      })
    },
  }
  const licenses = steady(client, { max_age_seconds: 300 })
  const early = licenses.validate('key_1')
  while (requests === 0) await setImmediate()
  await licenses.forget('key_1')
  answer(license() as LicenseState)
  await early
  const late = licenses.validate('key_1')
  while (requests === 1) await setImmediate()
  answer(license({ status: 'trialing' }) as LicenseState)
  assert.equal((await late).status, 'trialing')
})

test('entitlements are cached by token, and not past their period in an outage', async () => {
  const plan = { entitled: true, status: 'active', period_end: '2026-03-02' } as Entitlement
  const answer = { value: plan as Entitlement | Error, requests: 0 }
  const client = {
    async entitlement() {
      answer.requests++
      if (answer.value instanceof Error) throw answer.value
      return answer.value
    },
  }
  const plans = cachedEntitlements(client, { max_age_seconds: 60, grace_seconds: 7 * 86_400 })
  assert.deepEqual(await plans.entitlement('token'), plan)
  assert.deepEqual(await plans.entitlement('token'), plan)
  assert.equal(answer.requests, 1)
  answer.value = unreachable
  mock.timers.tick(86_400_000 - 1)
  assert.deepEqual(await plans.entitlement('token'), plan)
  mock.timers.tick(1)
  await assert.rejects(plans.entitlement('token'), unreachable)
  answer.value = plan
  await plans.entitlement('token')
  await plans.forget('token')
  answer.value = new PurserError('revoked', { ...nowhere, status: 401, code: 'invalid_token' })
  await assert.rejects(plans.entitlement('token'), { code: 'invalid_token' })
})

test('an option outside of its limits is rejected by name', () => {
  const client = scripted(license())
  for (const [name, value] of [
    ['max_age_seconds', -1],
    ['max_age_seconds', Number.NaN],
    ['grace_seconds', '60'],
    ['refusal_seconds', -1],
    ['jitter', 1.5],
    ['max_entries', 0],
  ] as const) {
    const options = { max_age_seconds: 60, [name]: value } as CacheOptions
    assert.throws(
      () => cachedValidator(client, options),
      (error) => error instanceof TypeError && error.message.startsWith(`${name} must be`),
    )
  }
})
