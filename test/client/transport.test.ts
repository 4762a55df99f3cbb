/** Retries, waits and the queue of the client, on a clock of the test. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  createClient,
  InsufficientScopeError,
  InvalidRequestError,
  isPurserError,
  LeaseError,
  RateLimitedError,
  ServiceNotEnabledError,
  SignInError,
  UnreachableError,
} from '@purser/client'
import { license } from './fake-service.ts'

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  mock.method(Math, 'random', () => 0)
})

afterEach(() => {
  mock.timers.reset()
  mock.restoreAll()
})

/** A client whose requests the test answers, in the order of `requests`. */
function clientOf(options: { timeout_ms?: number; max_in_flight?: number } = {}) {
  const requests: { key: string; answer: (response: Response) => Promise<void> }[] = []
  const client = createClient({
    base_url: 'https://purser.example',
    client_id: 'app_1',
    client_secret: 'secret',
    ...options,
    fetch: (_url, { body }) =>
      new Promise((resolve) => {
        const { key = '' } = JSON.parse(String(body ?? '{}'))
        requests.push({
          key,
          async answer(response) {
            resolve(response)
            await settled()
          },
        })
      }),
  })
  return { client, requests }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds)
  await settled()
}

const good = (more: object = {}) => Response.json(license(more))
const refused = (status: number, retry_after?: string) =>
  Response.json(
    { error: 'refused' },
    { status, headers: retry_after === undefined ? {} : { 'retry-after': retry_after } },
  )

for (const status of [429, 503]) {
  test(`a ${status} is retried exactly after its Retry-After, within the timeout`, async () => {
    const { client, requests } = clientOf()
    const state = client.validate('key_1')
    await requests[0]?.answer(refused(status, '4'))
    await pass(3_999)
    assert.equal(requests.length, 1)
    await pass(1)
    assert.equal(requests.length, 2)
    await requests[1]?.answer(good())
    assert.equal((await state).status, 'active')
  })
}

test('a Retry-After with a date is obeyed like one with seconds', async () => {
  const { client, requests } = clientOf()
  const state = client.validate('key_1')
  await requests[0]?.answer(refused(503, new Date(Date.now() + 4_000).toUTCString()))
  await pass(3_999)
  assert.equal(requests.length, 1)
  await pass(1)
  await requests[1]?.answer(good())
  assert.equal((await state).status, 'active')
})

test('a Retry-After that outlasts the timeout is not waited for', async () => {
  const { client, requests } = clientOf({ timeout_ms: 3_000 })
  for (const [status, kind] of [
    [503, UnreachableError],
    [429, RateLimitedError],
  ] as const) {
    const outcome = client.validate('key_1').catch((error) => error)
    await requests.at(-1)?.answer(refused(status, '4'))
    const error = await outcome
    assert.ok(error instanceof kind)
    assert.equal(error.retry_after, 4)
  }
  assert.equal(requests.length, 2)
})

test('after a 429 other calls of its limit wait too, and calls of other limits do not', async () => {
  const { client, requests } = clientOf()
  const first = client.validate('key_1')
  await requests[0]?.answer(refused(429, '5'))
  const second = client.validate('key_2')
  const order = client.order('ref')
  await settled()
  assert.equal(requests.length, 2, 'the order only')
  await requests[1]?.answer(good({ license_key: 'key_1' }))
  await pass(5_000)
  assert.deepEqual(
    requests.slice(2).map(({ key }) => key),
    ['key_1', 'key_2'],
  )
  for (const { answer } of requests.slice(2)) await answer(good())
  await Promise.all([first, second, order])
})

test('a call that cannot wait for the limit fails without a request', async () => {
  const { client, requests } = clientOf()
  const first = client.validate('key_1').catch((error) => error)
  await requests[0]?.answer(refused(429, '60'))
  assert.ok((await first) instanceof RateLimitedError)
  await pass(20_000)
  const second = await client.validate('key_2').catch((error) => error)
  assert.ok(second instanceof RateLimitedError)
  assert.equal(second.retry_after, 40)
  assert.equal(requests.length, 1)
  await pass(40_000)
  const third = client.validate('key_2')
  await requests[1]?.answer(good())
  assert.equal((await third).entitled, true)
})

test('concurrent validations of one key are one request', async () => {
  const { client, requests } = clientOf()
  const states = Promise.all(['key_1', 'key_2', 'key_1'].map((key) => client.validate(key)))
  await settled()
  assert.deepEqual(
    requests.map(({ key }) => key),
    ['key_1', 'key_2'],
  )
  for (const { answer } of requests) await answer(good())
  const [one, , same] = await states
  assert.deepEqual(one, same)
  assert.notEqual(one, same, 'each caller has an object of its own')
  const later = client.validate('key_1')
  await settled()
  assert.equal(requests.length, 3)
  await requests[2]?.answer(good())
  await later
})

test('at most max_in_flight requests run at once, the others in order of arrival', async () => {
  const { client, requests } = clientOf({ max_in_flight: 2 })
  const keys = ['key_1', 'key_2', 'key_3', 'key_4', 'key_5']
  const states = Promise.all(keys.map((key) => client.validate(key)))
  await settled()
  for (let done = 0; done < keys.length; done++) {
    assert.equal(requests.length, Math.min(done + 2, keys.length))
    await requests[done]?.answer(good())
  }
  assert.deepEqual(
    requests.map(({ key }) => key),
    keys,
  )
  assert.equal((await states).length, keys.length)
})

test('a request that its runtime dropped does not block the queue or its key forever', async () => {
  const { client, requests } = clientOf({ max_in_flight: 1 })
  const never = client.validate('key_1')
  never.catch(() => {})
  await settled()
  await pass(10_000)
  const again = client.validate('key_1')
  await settled()
  assert.equal(requests.length, 2)
  await requests[1]?.answer(good())
  assert.equal((await again).entitled, true)
})

test('a response without `entitled` is never accepted as a license', async () => {
  const { client, requests } = clientOf()
  for (const call of [
    () => client.validate('key_1'),
    () => client.order('ref'),
    () => client.entitlement('token'),
    () => client.regenerateKey('lic_1'),
  ]) {
    const outcome = call().catch((error) => error)
    await settled()
    await requests.at(-1)?.answer(Response.json({ status: 'active' }))
    assert.ok(isPurserError(await outcome, 'unexpected_answer'))
  }
})

test('a response of another kind is never accepted as the app or its prices', async () => {
  const { client, requests } = clientOf()
  for (const call of [() => client.app(), () => client.prices()]) {
    for (const body of [{}, { status: 'ok' }, { client_id: null, prices: {} }]) {
      const outcome = call().catch((error) => error)
      await settled()
      await requests.at(-1)?.answer(Response.json(body))
      assert.ok(isPurserError(await outcome, 'unexpected_answer'))
    }
  }
})

test('isPurserError distinguishes by code', async () => {
  const error = new RateLimitedError('slow down', {
    status: 429,
    code: 'rate_limited',
    request_id: null,
    retry_after: 1,
  })
  assert.ok(isPurserError(error))
  assert.ok(isPurserError(error, 'unknown_key', 'rate_limited'))
  assert.ok(!isPurserError(error, 'unknown_key'))
  assert.ok(!isPurserError(new Error('rate_limited'), 'rate_limited'))
})

test('isPurserError narrows an error to the class of its code', () => {
  const details = { status: 400, request_id: null }
  const fields = [{ path: 'key', message: 'too long' }]
  const errors = [
    new RateLimitedError('', { ...details, code: 'rate_limited', retry_after: 3 }),
    new UnreachableError('', { ...details, code: 'unreachable', retry_after: 5 }),
    new InvalidRequestError('', { ...details, code: 'invalid_request', fields }),
    new InsufficientScopeError('', {
      ...details,
      code: 'insufficient_scope',
      scope: 'entitlements',
    }),
    new ServiceNotEnabledError('', { ...details, code: 'service_not_enabled' }),
    new LeaseError('', { ...details, code: 'lease_expired' }),
    new SignInError('', { ...details, code: 'access_denied' }),
    // A redirect of the service: it names no field.
    new SignInError('', { ...details, code: 'invalid_request' }),
  ]
  assert.deepEqual(errors.map(detailOf), [
    3,
    5,
    'key',
    'entitlements',
    'ServiceNotEnabledError',
    'LeaseError',
    'SignInError',
    undefined,
  ])
})

function detailOf(error: unknown) {
  if (isPurserError(error, 'rate_limited', 'unreachable')) return error.retry_after
  if (isPurserError(error, 'invalid_request')) return error.fields?.[0]?.path
  if (isPurserError(error, 'insufficient_scope')) return error.scope
  if (isPurserError(error, 'service_not_enabled'))
    return error.name satisfies ServiceNotEnabledError['name']
  if (isPurserError(error, 'lease_expired')) return error.name satisfies 'LeaseError'
  if (isPurserError(error, 'access_denied')) return error.name satisfies 'SignInError'
  return undefined
}
