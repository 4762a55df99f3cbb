import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { LightMyRequestResponse as Answer } from 'fastify'
import * as apps from '#domain/apps'
import type { LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import { assertLimited, assertRefused, fingerprint } from '../support/answers.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { basic, buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let other: OtherApp
let key: string
let reference: string
let license_id: LicenseId
let own: { authorization: string }
before(async () => {
  service = await openTestService()
  other = await addApp(service, { slug: 'harbor' })
  own = basic(service)
  const page = await purchase(service, buyer(service), { email: 'one@example.com' })
  key = licenseKey(page)
  reference = orderReference(page)
  license_id = (await validate({ key })).json().license_id
})
after(() => service.close())

const validate = (payload: object, headers: object = own) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { ...headers },
    payload,
  })

const lookUp = (ref: string, headers: object = own) =>
  service.app.inject({ url: `/api/v1/orders/${ref}`, headers: { ...headers } })

const rotate = (headers: object) =>
  service.app.inject({
    method: 'POST',
    url: `/api/v1/licenses/${license_id}/regenerate-key`,
    headers: { ...headers },
  })

describe('credentials', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64')

  const assertChallenged = (answer: Answer) => {
    assertRefused(answer, 401, 'invalid_client')
    assert.match(String(answer.headers['www-authenticate']), /^Basic realm="licenses"/)
  }

  test('a request without credentials reads that they may be missing', async () => {
    const { message } = (await validate({ key }, {})).json()
    assert.equal(message, 'The client ID or the client secret is missing or incorrect.')
  })

  test('all three endpoints answer the same 401, whatever is wrong with them', async () => {
    const { client_id, client_secret } = service.demo.app
    const pair = `${client_id}:${client_secret}`
    const headers = [
      undefined,
      '',
      'Basic',
      'Basic ',
      `Basic${encode(pair)}`,
      `Bearer ${encode(pair)}`,
      `Basic ${pair}`,
      `Basic ${encode(pair)} ${encode(pair)}`,
      `Basic ${encode(client_id)}`,
      `Basic ${encode(`:${client_secret}`)}`,
      `Basic ${encode(`${client_id}:`)}`,
      `Basic ${encode(`${client_id}:wrong`)}`,
      `Basic ${encode(`${pair} `)}`,
      `Basic ${encode(`${client_id.toUpperCase()}:${client_secret}`)}`,
      `Basic ${encode(`app_0000000000000000000000:${client_secret}`)}`,
      `Basic ${encode(`${client_id}:${other.client_secret}`)}`,
      `Basic ${encode(`${client_id}\0:${client_secret}`)}`,
      `Basic ${encode(`${client_id}:${'x'.repeat(2000)}`)}`,
      'Basic ====',
      'Basic \u00e9\u00e9',
    ]
    const anonymous = await validate({ key }, {})
    for (const authorization of headers) {
      const credentials = authorization === undefined ? {} : { authorization }
      for (const answer of [
        await validate({ key }, credentials),
        await lookUp(reference, credentials),
        await rotate(credentials),
      ]) {
        assertChallenged(answer)
        assert.deepEqual(fingerprint(answer).body, fingerprint(anonymous).body)
      }
    }
    assert.equal((await validate({ key })).statusCode, 200, 'nothing was rotated meanwhile')
  })

  test('the word Basic is read in any case', async () => {
    const [, encoded] = own.authorization.split(' ')
    for (const word of ['basic', 'BASIC', 'Basic ']) {
      const answer = await validate({ key }, { authorization: `${word} ${encoded}` })
      assert.equal(answer.statusCode, 200)
    }
  })

  test('a replaced secret stops at once, and the new one works', async () => {
    await apps.replaceSecret(service.world.db, other.client_id, 'another secret')
    assertChallenged(await validate({ key }, basic(service, other)))
    const renewed = basic(service, { ...other, client_secret: 'another secret' })
    assertRefused(await validate({ key }, renewed), 404, 'unknown_key')
  })

  test('a client that belongs to no app, or has no secret, verifies nothing', async () => {
    const { db, clock } = service.world
    await db.run(sql`insert into clients (client_id, created_at) values ('shared', ${clock.now()})`)
    for (const client_secret of ['', 'null', 'undefined', 'no client has this secret']) {
      const answer = await validate({ key }, basic(service, { client_id: 'shared', client_secret }))
      assertChallenged(answer)
    }
  })
})

/** Methods that HTTP parsers know and no route has. */
const RARE = ['TRACE', 'PROPFIND', 'QUERY']

describe('requests that are not understood', () => {
  const send = (
    payload: string | undefined,
    type: string | undefined,
    { url = '/api/v1/licenses/validate', headers = own }: { url?: string; headers?: object } = {},
  ) =>
    service.app.inject({
      method: 'POST',
      url,
      headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(payload === undefined ? {} : { payload }),
    })
  const paths = (answer: Answer) =>
    answer.json().fields.map((fault: { path: string }) => fault.path)

  test('all faults are named at once', async () => {
    const answer = await validate({ key: 5, extra: 1, more: { deep: true } })
    assertRefused(answer, 400, 'invalid_request', 'fields')
    assert.deepEqual(paths(answer), ['key', 'extra', 'more'])
    for (const fault of answer.json().fields) assert.match(fault.message, /\S/)
  })

  test('a missing body, another kind of value and an unknown field are refused', async () => {
    for (const [payload, expected] of [
      [undefined, ['']],
      ['', ['']],
      ['{}', ['key']],
      ['null', ['']],
      ['[]', ['']],
      ['"key"', ['']],
      ['{"key":null}', ['key']],
      [`{"key":"${key}","client_id":"x"}`, ['client_id']],
      ['{"key":', ['']],
      ['{"key":"a"}}', ['']],
      ['{"key":"\\u0000"}', ['key']],
      [
        '{"key":"a","lease":{"device":"\\u0000"},"more":["","\\u0000"]}',
        ['lease.device', 'more[1]'],
      ],
      ['{"key":"a","\\u0000":1}', ['']],
      ['{"key":"x","__proto__":{"a":1}}', ['']],
      ['{"key":"x","constructor":{"prototype":{}}}', ['']],
    ] as const) {
      const answer = await send(payload, 'application/json')
      assertRefused(answer, 400, 'invalid_request', 'fields')
      assert.deepEqual(paths(answer), expected, payload)
    }
  })

  test('says of a body whose quotes the shell removed that it is not JSON', async () => {
    const answer = await send('{key: key_1}', 'application/json')
    const message = 'The request body could not be read as JSON.'
    assert.deepEqual(answer.json().fields, [{ path: '', message }])
    assert.equal(answer.json().message, message)
  })

  test('a caller without valid credentials gets 401 instead of what is wrong with its input', async () => {
    const wrong = basic(service, { ...service.demo.app, client_secret: 'wrong' })
    for (const headers of [{}, wrong]) {
      for (const url of [
        '/api/v1/licenses/validate',
        `/api/v1/licenses/${license_id}/regenerate-key`,
        '/api/v1/test/scenario-runs',
      ]) {
        for (const [payload, type] of [
          ['{"kee":1}', 'application/json'],
          ['{"key":', 'application/json'],
          ['key', 'text/plain'],
          [`"${'x'.repeat(64 * 1024)}"`, 'application/json'],
        ] as const) {
          const answer = await send(payload, type, { url, headers })
          assertRefused(answer, 401, 'invalid_client')
          assert.match(String(answer.headers['www-authenticate']), /^Basic realm="licenses"/)
        }
      }
    }
    const url = '/api/v1/test/events?limit=x'
    assertRefused(await service.app.inject({ url, headers: wrong }), 401, 'invalid_client')
    assertRefused(await service.app.inject({ url, headers: own }), 400, 'invalid_request', 'fields')
  })

  test('each fault names its field, what the field takes and what was sent', async () => {
    const messages = async (payload: object) =>
      (await validate(payload)).json().fields.map(({ message }: { message: string }) => message)
    assert.deepEqual(await messages({}), ['`key` is required.'])
    assert.deepEqual(await messages({ key: 5 }), ['`key` must be a string, not a number.'])
    assert.deepEqual(await messages({ key, extra: 1 }), ['Unknown field.'])
    assert.deepEqual(await messages({ key: '\0' }), [
      '`key` must not contain the character U+0000.',
    ])
    const lease = { seconds: 90.5 }
    assert.deepEqual(await messages({ key, lease }), ['`lease.seconds` must be a whole number.'])
  })

  test('a backslash before u0000 is a text like any other', async () => {
    assertRefused(await validate({ key: '\\u0000' }), 404, 'unknown_key')
  })

  test('says that a request without a body must have one', async () => {
    const url = '/api/v1/licenses/validate'
    const answer = await service.app.inject({ method: 'POST', url, headers: own })
    const { fields } = answer.json()
    assert.deepEqual(fields, [{ path: '', message: 'The request must have a JSON body.' }])
  })

  test('answers 415 to a body that is not JSON', async () => {
    const body = JSON.stringify({ key })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'x']) {
      assertRefused(await send(body, type), 415, 'unsupported_media_type')
    }
    assert.equal((await send(body, 'application/json; charset=utf-8')).statusCode, 200)
  })

  test('answers 415 to a compressed body, and says so', async () => {
    for (const coding of ['gzip', 'br', 'x']) {
      const answer = await service.app.inject({
        method: 'POST',
        url: '/api/v1/licenses/validate',
        headers: { ...own, 'content-type': 'application/json', 'content-encoding': coding },
        payload: gzipSync(JSON.stringify({ key })),
      })
      assertRefused(answer, 415, 'unsupported_media_type')
      const message = 'The request body is compressed. Send it without Content-Encoding.'
      assert.equal(answer.json().message, message)
      assert.equal(answer.headers['accept-encoding'], 'identity')
    }
    const headers = { ...own, 'content-encoding': 'identity' }
    assert.equal(
      (
        await service.app.inject({
          method: 'POST',
          url: '/api/v1/licenses/validate',
          headers,
          payload: { key },
        })
      ).statusCode,
      200,
    )
  })

  test('a query parameter that was sent twice is named with that reason', async () => {
    const url = '/api/v1/test/events?limit=1&limit=2&other=1'
    const answer = await service.app.inject({ url, headers: own })
    assertRefused(answer, 400, 'invalid_request', 'fields')
    const [first, ...others] = answer.json().fields
    const message = '`limit` was sent more than once. Send one value.'
    assert.deepEqual(first, { path: 'limit', message })
    assert.deepEqual(
      others.map(({ path }: { path: string }) => path),
      ['other'],
    )
  })

  test('accepts 64 KiB, and answers 413 to one byte more', async () => {
    const frame = '{"key":""}'.length
    const space = 64 * 1024 - frame
    const json = 'application/json'
    const full = await send(`{"key":"${'x'.repeat(space)}"}`, json)
    assertRefused(full, 404, 'unknown_key')
    const over = await send(`{"key":"${'x'.repeat(space + 1)}"}`, json)
    assertRefused(over, 413, 'payload_too_large')
    assert.equal(over.json().message, 'The request body is too large (limit 64 KB).')
  })

  test('another method is 405 and names the right one', async () => {
    for (const [url, allow] of [
      ['/api/v1/licenses/validate', 'POST'],
      [`/api/v1/orders/${reference}`, 'GET, HEAD'],
      ['/api/v1/licenses/lic_1/regenerate-key', 'POST'],
    ] as const) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...RARE]) {
        if (allow.split(', ').includes(method)) continue
        const answer = await service.app.inject({ method: method as 'GET', url, headers: own })
        assertRefused(answer, 405, 'method_not_allowed')
        assert.equal(answer.headers.allow, allow)
      }
    }
    const traced = await service.app.inject({ method: 'TRACE' as 'GET', url: '/api/v1/nothing' })
    assertRefused(traced, 404, 'not_found')
  })

  test('a slash at the end changes nothing', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate/',
      headers: own,
      payload: { key },
    })
    assert.deepEqual(answer.json(), (await validate({ key })).json())
    assert.deepEqual((await lookUp(`${reference}/`)).json(), (await lookUp(reference)).json())
  })
})

describe('limits', () => {
  const caller = (client_id: string, remoteAddress: string) => ({
    remoteAddress,
    headers: basic(service, { client_id, client_secret: 'any' }),
  })

  test('each endpoint has its own minute, by caller address and client id', async () => {
    for (const [method, url, points, name] of [
      ['POST', '/api/v1/licenses/validate', 120, 'validate'],
      ['GET', '/api/v1/orders/x', 120, 'orders'],
      ['POST', '/api/v1/licenses/lic_1/regenerate-key', 30, 'regenerate'],
    ] as const) {
      const ask = (client_id: string, address: string) =>
        service.app.inject({
          method,
          url,
          ...caller(client_id, address),
          ...(name === 'validate' ? { payload: { key } } : {}),
        })
      for (let count = 1; count <= points; count++) {
        const answer = await ask('app_limited', '198.51.100.7')
        assert.equal(answer.statusCode, 401)
        assert.equal(answer.headers['ratelimit-policy'], `"${name}";q=${points};w=60`)
        assert.match(
          String(answer.headers.ratelimit),
          new RegExp(`^"${name}";r=${points - count};t=[1-9]\\d*$`),
        )
      }
      assertLimited(await ask('app_limited', '198.51.100.7'))
      assert.equal((await ask('app_other', '198.51.100.7')).statusCode, 401)
      assert.equal((await ask('app_limited', '198.51.100.8')).statusCode, 401)
    }
  })
})
