import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  type CacheEntry,
  type CacheOptions,
  type Client,
  cachedEntitlements,
  cachedValidator,
  type Entitlement,
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

/** A cache whose ages are exact. */
function steady(client: Pick<Client, 'validate'>, options: CacheOptions) {
  return cachedValidator(client, { jitter: 0, ...options })
}

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
  for (let turn = 0; turn < 100; turn++) {
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
