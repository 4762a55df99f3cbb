/** Caches whose entries are in a store of the seller. */
import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type CacheEntry, cachedValidator, type LicenseState, PurserError } from '@purser/client'
import { nowhere, scripted, start, steady, unknown, unreachable } from './cached-test.ts'
import { license } from './fake-service.ts'

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: start })
})

after(() => mock.timers.reset())

test('a store of the seller, synchronous or not, replaces memory', async () => {
  const entries = new Map<string, CacheEntry>()
  const store = {
    get: async (key: string) => entries.get(key),
    set: async (key: string, entry: CacheEntry) => entries.set(key, entry),
    delete: async (key: string) => entries.delete(key),
  }
  const client = scripted(license())
  const options = { max_age_seconds: 300, store }
  await steady(client, options).validate('key_1')
  await steady(client, options).validate('key_1')
  assert.equal(client.requests, 1)
  const [entry] = entries.values()
  assert.deepEqual(JSON.parse(JSON.stringify(entry)), entry)
})

/** A store whose calls fail, and what the cache reports of it. */
function failing() {
  const error = new Error('connect ECONNREFUSED')
  const reported: unknown[] = []
  const fail = () => Promise.reject<never>(error)
  const options = {
    max_age_seconds: 300,
    store: { get: fail, set: fail, delete: fail },
    on_store_error: (error: unknown) => reported.push(error),
  }
  return { error, reported, options }
}

test('a store that fails locks no one out: each key is validated at the service', async () => {
  const { error, reported, options } = failing()
  const client = scripted(license())
  const licenses = steady(client, options)
  assert.equal((await licenses.validate('key_1')).entitled, true)
  assert.equal((await licenses.validate('key_1')).entitled, true)
  assert.equal(client.requests, 2)
  assert.deepEqual(reported, Array(4).fill(error))
})

test('a store that throws, as for an entry that it cannot parse, locks no one out', async () => {
  const { error, reported, options } = failing()
  const get = () => {
    throw error
  }
  const licenses = steady(scripted(license()), {
    ...options,
    store: { get, set: () => {}, delete: () => {} },
  })
  assert.equal((await licenses.validate('key_1')).entitled, true)
  assert.deepEqual(reported, [error])
})

test('a store that fails hides no refusal of the service', async () => {
  const { options } = failing()
  const canceled = license({ entitled: false, status: 'canceled' })
  const client = scripted(canceled)
  const licenses = steady(client, options)
  assert.equal((await licenses.validate('key_1')).status, 'canceled')
  client.answer = license({ entitled: false, status: 'past_due' }) as LicenseState
  assert.equal((await licenses.validate('key_1')).status, 'past_due')
  const wrong_secret = new PurserError('wrong', { ...nowhere, status: 401, code: 'invalid_client' })
  for (const refusal of [unknown, wrong_secret]) {
    client.answer = refusal
    await assert.rejects(licenses.validate('key_1'), refusal)
  }
})

test('without the store and without the service, a validation is unreachable', async () => {
  const { options } = failing()
  await assert.rejects(steady(scripted(unreachable), options).validate('key_1'), unreachable)
})

test('a key that could not be dropped is an error of the caller', async () => {
  const { error, options } = failing()
  await assert.rejects(steady(scripted(license()), options).forget('key_1'), error)
})

test('errors of the store go to the console if no one asks for them', async () => {
  const written = mock.method(console, 'error', (..._: unknown[]) => {})
  try {
    const { error, options } = failing()
    const { max_age_seconds, store } = options
    await steady(scripted(license()), { max_age_seconds, store }).validate('key_1')
    assert.equal(written.mock.callCount(), 2)
    assert.ok(written.mock.calls[0]?.arguments.includes(error))
  } finally {
    written.mock.restore()
  }
})

test('a store that does not answer delays a validation by a second for each of its calls', async () => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: start })
  const { reported, options } = failing()
  const called_at: number[] = []
  const hang = () => {
    called_at.push(Date.now())
    return new Promise<never>(() => {})
  }
  const store = { get: hang, set: hang, delete: hang }
  let ended_at = Number.POSITIVE_INFINITY
  const validated = steady(scripted(license()), { ...options, store }).validate('key_1')
  validated.then(() => {
    ended_at = Date.now()
  })
  while (ended_at === Number.POSITIVE_INFINITY) {
    await setImmediate()
    mock.timers.tick(100)
  }
  assert.equal((await validated).entitled, true)
  assert.equal(called_at.length, 2)
  assert.ok(ended_at <= called_at[0]! + 2_500, String(ended_at - called_at[0]!))
  assert.match(String(reported[0]), /no answer in time/)
  assert.equal(reported.length, 2)
})

test('a store that fails to drop a refused key gives it no grace in an outage', async () => {
  const wrong_secret = new PurserError('wrong', { ...nowhere, status: 401, code: 'invalid_client' })
  for (const refusal of [
    license({ entitled: false, status: 'past_due' }) as LicenseState,
    license({ entitled: false, status: 'canceled' }) as LicenseState,
    unknown,
    wrong_secret,
  ]) {
    const { error, options } = failing()
    const entries = new Map<string, CacheEntry>()
    let works = true
    const store = {
      get: (hash: string) => entries.get(hash),
      set: async (hash: string, entry: CacheEntry) => {
        if (!works) throw error
        entries.set(hash, entry)
      },
      delete: options.store.delete,
    }
    const client = scripted(license())
    const licenses = steady(client, { ...options, store })
    await licenses.validate('key_1')
    works = false
    mock.timers.tick(300_000)
    client.answer = refusal
    await licenses.validate('key_1').catch(() => undefined)
    client.answer = unreachable
    await assert.rejects(licenses.validate('key_1'), unreachable)
    // What another process stored since counts again.
    const other = steady(scripted(license()), {
      ...options,
      store: { ...store, get: () => undefined },
    })
    works = true
    await other.validate('key_1')
    mock.timers.tick(300_000)
    assert.equal((await licenses.validate('key_1')).entitled, true)
  }
})

test('a store is given a hash of the key, which differs between apps', async () => {
  const entries = new Map<string, CacheEntry>()
  const client = scripted(license())
  for (const client_id of ['app_1', 'app_2']) {
    const app = Object.assign(client, { base_url: 'https://purser.example', client_id })
    const licenses = cachedValidator(app, { max_age_seconds: 300, store: entries })
    await licenses.validate('key_secret')
  }
  assert.equal(client.requests, 2)
  assert.equal(entries.size, 2)
  for (const hash of entries.keys()) assert.match(hash, /^[\w-]{43}$/)
  assert.ok(!JSON.stringify([...entries]).includes('key_secret'))
})
