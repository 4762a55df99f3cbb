import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  type Client,
  createClient,
  InvalidRequestError,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  UnreachableError,
} from '@purser/client'
import { license, type Reply, refusal, startFakeService } from './fake-service.ts'

const client_id = 'app_tidepool'
const client_secret = 'sVeryPrivate0123456789'
const key = 'key_AlsoPrivate0123456789'

const calls: Record<string, (client: Client) => Promise<unknown>> = {
  app: (client) => client.app(),
  prices: (client) => client.prices(),
  validate: (client) => client.validate(key),
  order: (client) => client.order('ref', { wait_seconds: 0 }),
  regenerateKey: (client) => client.regenerateKey('lic_1'),
}

function clientOf(base_url: string, more: object = {}) {
  return createClient({ base_url, client_id, client_secret, ...more })
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => assert.fail(`expected an error, got ${inspect(value)}`),
    (error) => error,
  )
}

test('the public calls use the public paths and send no credentials', async () => {
  await using service = await startFakeService(() => ({ body: { client_id, prices: [] } }))
  const client = clientOf(`${service.url}/`)
  await client.app()
  await client.prices()
  assert.deepEqual(
    service.requests.map(({ method, path, headers }) => [method, path, headers.authorization]),
    [
      ['GET', '/api/v1/public/apps/app_tidepool/', undefined],
      ['GET', '/api/v1/public/apps/app_tidepool/prices/', undefined],
    ],
  )
})

test('the license calls send HTTP Basic and the bodies of the specification', async () => {
  await using service = await startFakeService(() => ({ body: license({ license_key: key }) }))
  const client = clientOf(service.url)
  await client.validate(key)
  await client.order('a ref/with?signs')
  await client.regenerateKey('lic_1', { reason: 'leaked', idempotency_key: 'once' })
  await client.regenerateKey('lic_1')
  const basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  assert.ok(service.requests.every(({ headers }) => headers.authorization === basic))
  assert.deepEqual(
    service.requests.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/api/v1/licenses/validate', JSON.stringify({ key })],
      ['GET', '/api/v1/orders/a%20ref%2Fwith%3Fsigns', ''],
      ['POST', '/api/v1/licenses/lic_1/regenerate-key', '{"reason":"leaked"}'],
      ['POST', '/api/v1/licenses/lic_1/regenerate-key', ''],
    ],
  )
  assert.equal(service.requests[2]?.headers['idempotency-key'], 'once')
})

test('a client ID and secret with reserved characters are form-encoded before they are joined', async () => {
  await using service = await startFakeService(() => ({ body: license() }))
  await createClient({ base_url: service.url, client_id: 'a:b', client_secret: 'c%d é' }).validate(
    key,
  )
  const sent = String(service.requests[0]?.headers.authorization).slice('Basic '.length)
  assert.equal(Buffer.from(sent, 'base64').toString(), 'a%3Ab:c%25d+%C3%A9')
})

test('no framework may cache a response to credentials, and public ones may be cached', async () => {
  const inits: RequestInit[] = []
  const fetch = async (_url: string, init: RequestInit) => {
    inits.push(init)
    return Response.json({ ...license({ license_key: key }), client_id, prices: [] })
  }
  const client = clientOf('https://purser.example', { fetch })
  for (const call of Object.values(calls)) await call(client)
  await client.entitlement('token')
  assert.deepEqual(
    inits.map(({ cache }) => cache),
    [undefined, undefined, 'no-store', 'no-store', 'no-store', 'no-store'],
  )
})

test('an order that is processing is requested again exactly after Retry-After', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const replies = [
    new Response('{"status":"processing"}', { status: 202, headers: { 'retry-after': '2' } }),
    new Response(JSON.stringify(license({ license_key: key }))),
  ]
  let requests = 0
  const fetch = async () => replies[requests++] as Response
  const order = clientOf('https://purser.example', { fetch }).order('ref')
  await setImmediate()
  mock.timers.tick(1_999)
  await setImmediate()
  assert.equal(requests, 1)
  mock.timers.tick(1)
  assert.equal((await order).status, 'active')
  assert.equal(requests, 2)
})

test('an order that stays processing is returned with its retry_after, not as an error', async () => {
  await using service = await startFakeService(() => ({
    status: 202,
    headers: { 'retry-after': '3' },
    body: { status: 'processing' },
  }))
  const order = await clientOf(service.url).order('ref', { wait_seconds: 1 })
  assert.deepEqual(order, { status: 'processing', retry_after: 3 })
  assert.equal(service.requests.length, 1, 'no retry after wait_seconds')
})

test('a wait_seconds that is no number does not wait without an end', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  let requests = 0
  const fetch = async () => {
    requests++
    return Response.json({ status: 'processing' }, { status: 202 })
  }
  const client = clientOf('https://purser.example', { fetch })
  const order = client.order('ref', { wait_seconds: Number.NaN })
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate()
    mock.timers.tick(1_000)
  }
  assert.equal(requests, 1)
  assert.equal((await order).status, 'processing')
})

test('a reference that fits no path is unknown, without a request', async () => {
  await using service = await startFakeService(() => ({}))
  const long = ['x'.repeat(8_192), 'ü'.repeat(1_366)]
  for (const ref of ['', '.', '..', '\ud800', 'ref\0', ...long, ['ref', 'ref'], undefined]) {
    const error = await errorOf(clientOf(service.url).order(ref as string))
    assert.ok(error instanceof PurserError && error.code === 'unknown_order', inspect(error))
  }
  assert.equal(service.requests.length, 0)
})

test('a key that no request can contain is unknown, without a request', async () => {
  await using service = await startFakeService(() => refusal(400, 'invalid_request'))
  for (const impossible of ['key_\0', `key_${'x'.repeat(8_188)}`]) {
    const error = await errorOf(clientOf(service.url).validate(impossible))
    assert.ok(error instanceof PurserError && error.code === 'unknown_key', inspect(error))
  }
  assert.equal(service.requests.length, 0)
  const missing = await errorOf(clientOf(service.url).validate(undefined as unknown as string))
  assert.equal((missing as PurserError).code, 'invalid_request')
})

test('a key is validated without the spaces and line breaks that were pasted around it', async () => {
  await using service = await startFakeService(() => ({ body: license() }))
  await clientOf(service.url).validate(` ${key}\r\n`)
  assert.equal(service.requests[0]?.body, JSON.stringify({ key }))
})

test('the client secret is sent without the line break of the file that it was read from', async () => {
  await using service = await startFakeService(() => ({ body: license() }))
  const options = { base_url: service.url, client_id }
  await createClient({ ...options, client_secret: `${client_secret}\n` }).validate(key)
  await createClient({ ...options, client_secret }).validate(key)
  const [first, second] = service.requests.map(({ headers }) => headers.authorization)
  assert.equal(first, second)
})

test('reads and validate survive two failures of the network or the service', async () => {
  const outcomes = ['app', 'prices', 'validate', 'order'].map(async (name) => {
    const faults: Reply[] = [{ reset: true }, refusal(503, 'internal_error')]
    const body = { ...license(), client_id, prices: [] }
    await using service = await startFakeService(() => faults.shift() ?? { body })
    await calls[name]?.(clientOf(service.url))
    assert.equal(service.requests.length, 3, name)
  })
  await Promise.all(outcomes)
})

test('a third failure is thrown, with the request ID of the last response', async () => {
  await using service = await startFakeService(() => refusal(502, 'internal_error'))
  const error = await errorOf(clientOf(service.url).validate(key))
  assert.ok(error instanceof UnreachableError)
  assert.deepEqual([error.code, error.status, error.request_id], ['unreachable', 502, 'req_test'])
  assert.equal(service.requests.length, 3)
})

test('regenerate-key is never retried automatically', async () => {
  for (const fault of [{ reset: true }, refusal(500, 'internal_error')]) {
    await using service = await startFakeService(() => fault)
    await errorOf(clientOf(service.url).regenerateKey('lic_1', { idempotency_key: 'once' }))
    assert.equal(service.requests.length, 1)
  }
})

test('a service that does not respond in time is unreachable', async () => {
  await using service = await startFakeService(() => ({ hang: true }))
  const error = await errorOf(clientOf(service.url, { timeout_ms: 40 }).validate(key))
  assert.ok(error instanceof UnreachableError)
  assert.match(error.message, /no answer in time/)
  assert.deepEqual([error.status, error.request_id], [null, null])
})

test('a service that does not exist is unreachable, and the message says why', async () => {
  const service = await startFakeService(() => ({}))
  await service[Symbol.asyncDispose]()
  const error = await errorOf(clientOf(service.url).prices())
  assert.ok(error instanceof UnreachableError)
  assert.match(error.message, /ECONNREFUSED/)
})

test('every error has its code, status, message and request ID, and is not retried', async () => {
  for (const [status, code] of [
    [401, 'invalid_client'],
    [404, 'unknown_key'],
    [404, 'unknown_order'],
    [404, 'unknown_license'],
    [404, 'not_found'],
    [409, 'license_canceled'],
    [418, 'a_code_from_the_future'],
  ] as const) {
    await using service = await startFakeService(() => refusal(status, code))
    const error = await errorOf(clientOf(service.url).validate(key))
    assert.ok(error instanceof PurserError)
    assert.deepEqual(
      [error.status, error.code, error.message, error.request_id],
      [status, code, `Refused with ${code}.`, 'req_test'],
    )
    assert.equal(service.requests.length, 1)
  }
})

test('a rate limit that outlasts the timeout is thrown at once with the seconds to wait', async () => {
  for (const reply of [
    { ...refusal(429, 'rate_limited'), headers: { 'retry-after': '17' } },
    refusal(429, 'rate_limited', { retry_after: 17 }),
  ]) {
    await using service = await startFakeService(() => reply)
    const error = await errorOf(clientOf(service.url).validate(key))
    assert.ok(error instanceof RateLimitedError)
    assert.deepEqual([error.code, error.status, error.retry_after], ['rate_limited', 429, 17])
    assert.equal(service.requests.length, 1)
  }
})

test('a call that a limit refuses without a request says when to try again', async () => {
  const headers = { 'retry-after': '1' }
  await using service = await startFakeService(() => ({ ...refusal(429, 'rate_limited'), headers }))
  const client = clientOf(service.url)
  await errorOf(client.validate(key, { retries: 0 }))
  const { message } = (await errorOf(client.validate(key, { retries: 0 }))) as PurserError
  assert.equal(message, 'Too many requests. Try again in 1 s.')
  assert.equal(service.requests.length, 1)
})

test('a malformed request names its invalid fields', async () => {
  const fields = [{ path: 'reason', message: 'too long' }]
  await using service = await startFakeService(() => refusal(400, 'invalid_request', { fields }))
  const error = await errorOf(clientOf(service.url).regenerateKey('lic_1', { reason: 'x' }))
  assert.ok(error instanceof InvalidRequestError)
  assert.deepEqual(error.fields, fields)
})

test('a response of another server is never accepted as a license', async () => {
  await using elsewhere = await startFakeService(() => ({ body: license() }))
  for (const reply of [
    { body: '<h1>It works</h1>' },
    { body: '[]' },
    { status: 404, body: '<h1>Not found</h1>' },
    { status: 307, headers: { location: elsewhere.url } },
  ]) {
    await using service = await startFakeService(() => reply)
    const error = await errorOf(clientOf(service.url).validate(key))
    assert.ok(error instanceof PurserError && error.code === 'unexpected_answer', inspect(error))
  }
  assert.equal(elsewhere.requests.length, 0, 'a redirect is not followed')
})

test('neither the secret nor the key appears in an error or an inspection of the client', async () => {
  const everything = (value: unknown) => {
    const { stack, ...own } = Object(value)
    return inspect(value, { depth: null, showHidden: true }) + JSON.stringify(own) + stack
  }
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const shown = [everything(clientOf('https://purser.example'))]

  const telltale = async (url: string, init: RequestInit) => {
    throw Object.assign(new Error(`failed: ${url} ${JSON.stringify(init)}`), { config: init })
  }
  const replies: Reply[] = [
    { reset: true },
    { status: 302, headers: { location: '/elsewhere' } },
    ...[400, 401, 404, 409, 429, 500].map((status) => refusal(status, 'invalid_request')),
  ]
  const collected = Object.values(calls).map(async (call) => {
    const options = { fetch: telltale, timeout_ms: 100 }
    shown.push(everything(await errorOf(call(clientOf('https://x.example', options)))))
    for (const reply of replies) {
      await using service = await startFakeService(() => reply)
      shown.push(everything(await errorOf(call(clientOf(service.url, { timeout_ms: 100 })))))
    }
  })
  await Promise.all(collected)
  for (const one of shown) {
    for (const private_text of [client_secret, basic, key])
      assert.ok(!one.includes(private_text), one)
  }
})

test('an invalid client configuration is rejected on creation or first use', async () => {
  // Such as a variable of the environment that is not set.
  for (const base_url of ['purser.example', 'file:///etc', '', undefined as unknown as string]) {
    assert.throws(() => createClient({ base_url, client_id }), {
      name: 'TypeError',
      message: `base_url must be an absolute http or https URL; it is ${JSON.stringify(base_url)}`,
    })
  }
  for (const more of ['/api/v1', '/shop/', '/?mode=test', '/#keys']) {
    const base_url = `https://purser.example${more}`
    assert.throws(() => createClient({ base_url, client_id }), {
      name: 'TypeError',
      message: `base_url must have no path: use "https://purser.example", not "${base_url}"`,
    })
  }
  assert.throws(
    () => createClient({ base_url: 'https://purser.example', client_id: '' }),
    TypeError,
  )
  for (const option of [{ timeout_ms: 0 }, { max_in_flight: 0 }, { timeout_ms: Number.NaN }]) {
    assert.throws(() => clientOf('https://purser.example', option), TypeError)
  }
  const timeout_ms = '300' as unknown as number
  assert.throws(() => clientOf('https://purser.example', { timeout_ms }), /it is 300 \(string\)$/)
  const client = createClient({ base_url: 'https://purser.example', client_id })
  await assert.rejects(client.validate(key), /needs the client_secret/)
})

// F21
test("the entitlement call sends the user's token, and no secret of the app", async () => {
  const entitlement = {
    entitled: true,
    version: 'Pro',
    product_public_id: 'prod_pro',
    product_id: 'prod_pro',
    status: 'active',
    is_free: false,
    period_end: '2026-12-01',
  }
  await using service = await startFakeService(() => ({ body: entitlement }))
  assert.deepEqual(await clientOf(service.url).entitlement('token-of-a-user'), entitlement)
  const [{ method, path, headers }] = service.requests as [(typeof service.requests)[0]]
  assert.deepEqual([method, path], ['GET', '/licensing/entitlement/'])
  assert.equal(headers.authorization, 'Bearer token-of-a-user')
})

// F21
test('a disabled add-on has an error of its own, and an impossible token is never sent', async () => {
  await using service = await startFakeService(() => refusal(403, 'service_not_enabled'))
  const error = await errorOf(clientOf(service.url).entitlement('token'))
  assert.ok(error instanceof ServiceNotEnabledError)
  assert.equal(error.code, 'service_not_enabled')
  assert.equal(error.status, 403)
  for (const token of ['', 'two words', 'line\nbreak']) {
    const refused = await errorOf(clientOf(service.url).entitlement(token))
    assert.equal((refused as PurserError).code, 'invalid_token')
  }
  assert.equal(service.requests.length, 1)
})
