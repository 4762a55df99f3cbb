import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isWellFormedKey } from '#domain/licensing'
import { openSigningKeys } from '#flows/signing-keys'
import type { Endpoint } from '#http/endpoint'
import { REFUSALS, type RefusalCode } from '#http/refusals'
import { requestOf } from '../../src/platform/design/browser/try-it.ts'
import { entitlement } from '../../src/surfaces/entitlement/routes.ts'
import { licenseApi } from '../../src/surfaces/license-api/routes.ts'
import { openApiDocument } from '../../src/surfaces/openapi/document.ts'
import { Problem } from '../../src/surfaces/openapi/schemas.ts'
import { publicApi } from '../../src/surfaces/public-api/routes.ts'
import { testApi } from '../../src/surfaces/test-clock/api.ts'
import { textOf } from '../support/agent.ts'
import { lint } from '../support/openapi-lint.ts'
import { openTestService, type TestService } from '../support/service.ts'

interface Content {
  schema: { allOf?: { properties?: { error: { enum: string[] } } }[] }
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Body {
  required?: boolean
  headers?: Record<string, unknown>
  content?: Record<string, Content>
}

interface Operation {
  operationId: string
  security: object[]
  requestBody?: Body
  responses: Record<string, Body>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { additionalProperties?: boolean }>
    headers: Record<string, { example?: unknown }>
  }
}

let service: TestService
let rows: Endpoint[]
let document: Document

before(async () => {
  service = await openTestService()
  rows = [
    ...(await publicApi(service.world)),
    ...licenseApi(service.world, openSigningKeys(service.world)),
    ...entitlement(service.world),
    ...testApi(service.world),
  ]
  document = openApiDocument('https://purser.example', '1.2.3', rows) as Document
})

after(async () => {
  await service.close()
})

const operationOf = (row: Endpoint) => document.paths[row.path]![row.method.toLowerCase()]!

/** The documented error codes of an endpoint at each status. */
function codesOf(row: Endpoint): Record<string, string[]> {
  const refusals = Object.entries(operationOf(row).responses).filter(([status]) => status >= '400')
  return Object.fromEntries(
    refusals.map(([status, { content }]) => {
      const { allOf } = content!['application/json']!.schema
      return [status, allOf!.flatMap(({ properties }) => properties?.error.enum ?? [])]
    }),
  )
}

function examplesOf(body: Body | undefined): unknown[] {
  return Object.values(body?.content ?? {}).flatMap(({ example, examples }) =>
    examples ? Object.values(examples).map(({ value }) => value) : [example],
  )
}

test('the description is without an error or a warning, and each example fits its schema', () => {
  assert.deepEqual(lint(document), [])
})

test('detects an example that does not fit its schema', () => {
  const broken = structuredClone(document)
  const { content } = broken.paths['/api/v1/licenses/validate']!.post!.responses['200']!
  content!['application/json']!.example = { entitled: 'perhaps' }
  assert.match(lint(broken).join('\n'), /no-invalid-media-type-examples: .*entitled/)
})

test('every endpoint is described, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  )
  const served = rows.map((row) => `${row.name} ${row.method.toLowerCase()} ${row.path}`)
  assert.deepEqual(described.sort(), served.sort())
})

test('every body has an example that its validation schema accepts', () => {
  for (const row of rows) {
    const { requestBody, responses } = operationOf(row)
    assert.equal(requestBody?.required, row.body && !row.is_body_optional)
    for (const example of examplesOf(requestBody)) row.body!.parse(example)
    for (const [status, body] of Object.entries(responses)) {
      const schema = row.answers[Number(status)]?.schema ?? Problem
      for (const example of examplesOf(body)) schema.parse(example)
    }
  }
})

test('each status names just the codes that it can have', () => {
  for (const row of rows) {
    const described = codesOf(row)
    for (const [status, codes] of Object.entries(described)) {
      const statuses = codes.map((code) => String(REFUSALS[code as RefusalCode][0]))
      assert.deepEqual([...new Set(statuses)], [status], `${row.name} ${codes}`)
    }
    const all = Object.values(described).flat()
    const expected: RefusalCode[] = [...row.refusals, 'rate_limited', 'internal_error']
    assert.deepEqual(
      expected.filter((code) => !all.includes(code)),
      [],
    )
    assert.equal(all.includes('unsupported_media_type'), row.method === 'POST', row.name)
    assert.equal(all.includes('payload_too_large'), row.method === 'POST', row.name)
  }
})

test('documents who may call, the rate limit and the cache time of each response', () => {
  for (const row of rows) {
    const { security, responses } = operationOf(row)
    assert.deepEqual(security, row.auth === 'none' ? [] : [{ [row.auth]: [] }])
    for (const [status, { headers }] of Object.entries(responses)) {
      const names = Object.keys(headers!)
      for (const name of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']) {
        assert.ok(names.includes(name), `${row.name} ${status} ${name}`)
      }
      assert.equal(names.includes('Retry-After'), ['202', '429', '503'].includes(status))
      assert.equal(names.includes('ETag'), row.auth === 'none' && /200|304/.test(status))
    }
  }
})

test('documents the challenge that each endpoint answers with', () => {
  for (const row of rows) {
    const { responses } = operationOf(row)
    const challenges = Object.entries(responses).flatMap(([status, { headers }]) => {
      const { $ref } = (headers!['WWW-Authenticate'] ?? {}) as { $ref?: string }
      return $ref
        ? [`${status} ${document.components.headers[$ref.split('/').at(-1)!]!.example}`]
        : []
    })
    const expected = {
      none: [],
      basic: ['401 Basic realm="licenses", charset="UTF-8"'],
      bearer: ['401', '403'].map((status) => `${status} ${CHALLENGES[status]}`),
    }
    assert.deepEqual(challenges, expected[row.auth], row.name)
  }
})

const CHALLENGES: Record<string, string> = {
  401: 'Bearer realm="entitlement", error="invalid_token"',
  403: 'Bearer realm="entitlement", error="insufficient_scope", scope="entitlements"',
}

test('the example keys have the format of a key', () => {
  const keys = JSON.stringify(document).match(/key_[0-9A-Za-z]+/g) ?? []
  assert.ok(keys.length > 0)
  assert.deepEqual(
    keys.filter((key) => !isWellFormedKey(key)),
    [],
  )
})

// F20: it asserted that answers are closed as well, so a new field would have broken strict
// clients.
test('schemas forbid unknown request fields and allow new response fields', () => {
  const closed = Object.entries(document.components.schemas).filter(
    ([, schema]) => schema.additionalProperties === false,
  )
  assert.deepEqual(closed.map(([name]) => name).sort(), [
    'LeaseRequest',
    'RegenerateRequest',
    'ScenarioRunRequest',
    'ValidateRequest',
  ])
})

test('the description is served to every page, for a minute, and is not sent twice', async () => {
  const { app } = service
  const answer = await app.inject('/api/v1/schema/')
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.equal(answer.headers['cache-control'], 'public, max-age=60')
  const { info, servers, paths } = answer.json()
  assert.deepEqual(servers, [{ url: '/' }])
  assert.deepEqual(Object.keys(paths), Object.keys(document.paths))
  assert.match(info.version, /^\d+\.\d+\.\d+/)
  const etag = String(answer.headers.etag)
  for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
    const again = await app.inject({
      url: '/api/v1/schema',
      headers: { 'if-none-match': known },
    })
    assert.equal(again.statusCode, 304, known)
    assert.equal(again.body, '')
  }
})

test('the reference asks no other host and runs no inline script', async () => {
  const page = await service.app.inject('/api/v1/docs/')
  assert.equal(page.statusCode, 200)
  const policy = String(page.headers['content-security-policy'])
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self';/)
  assert.match(policy, /connect-src 'self';/)
  // The page's own address is named, and nothing is loaded from it.
  assert.doesNotMatch(
    page.body.replace(/<link rel="canonical"[^>]*>/, ''),
    /\s(style|on\w+)=|<style|<script(?![^>]*\ssrc=)|(src|href)="(https?:)?\/\//,
  )
  assert.match(page.body, /<title>[^<]+<\/title>/)
  assert.match(page.body, /<a [^>]*href="\/api\/v1\/schema\/"/)
  assert.match(page.body, /<a [^>]*href="\/"/)
})

test('the reference shows each endpoint with its parameters, codes and an example', async () => {
  const { body } = await service.app.inject('/api/v1/docs/')
  const text = textOf(body)
  for (const row of rows) {
    const part = body.slice(body.indexOf(`<section id="${row.name}"`))
    const section = textOf(part.slice(0, part.indexOf('<form')))
    assert.ok(section.includes(`${row.method} ${row.path}`), row.name)
    assert.ok(section.includes(row.summary), row.name)
    for (const code of Object.values(codesOf(row)).flat()) {
      assert.ok(section.includes(code), `${row.name} ${code}`)
    }
    for (const name of Object.keys(row.params?.shape ?? {})) {
      assert.ok(section.includes(name), `${row.name} ${name}`)
    }
  }
  assert.match(text, /prices\[\]\.amount/)
  assert.match(text, /Response 200 Copy \{ "entitled": true/)
})

test('the reference loads a small script and a page that is small when compressed', async () => {
  const { app } = service
  const { body } = await app.inject('/api/v1/docs/')
  const scripts = body.match(/\/assets\/[\w-]+\.js/g) ?? []
  assert.equal(scripts.length, 2)
  const files = await Promise.all(scripts.map((path) => app.inject(path)))
  const bytes = [body, ...files.map((file) => file.body)].map((text) => gzipSync(text).length)
  assert.ok(sumOf(bytes) < 40_000, `${bytes} bytes`)
})

test('the form of an endpoint sends what its fields say', () => {
  const get = { method: 'GET', path: '/api/v1/orders/{ref}', auth: 'basic' }
  const { url, init } = requestOf(get, [
    ['credential.client_id', 'app_1'],
    ['credential.client_secret', 'secret'],
    ['path.ref', 'a/b'],
    ['header.If-None-Match', ''],
  ])
  assert.equal(url, '/api/v1/orders/a%2Fb')
  assert.deepEqual(init.headers, { Authorization: `Basic ${btoa('app_1:secret')}` })
  assert.deepEqual([init.method, init.credentials, init.body], ['GET', 'omit', undefined])
  const events = { method: 'GET', path: '/api/v1/test/events', auth: 'none' }
  const queried = requestOf(events, [
    ['query.cursor', '1-0'],
    ['query.limit', ''],
  ])
  assert.equal(queried.url, '/api/v1/test/events?cursor=1-0')
  const post = requestOf({ method: 'POST', path: '/x', auth: 'bearer' }, [
    ['credential.access_token', 'token'],
    ['body', '{"key":"k"}'],
  ])
  const headers = { Authorization: 'Bearer token', 'Content-Type': 'application/json' }
  assert.deepEqual(post.init.headers, headers)
  assert.equal(post.init.body, '{"key":"k"}')
})

const sumOf = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
