import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { basic } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
/** One response of each kind, by name. */
let answers: Map<string, Awaited<ReturnType<TestService['app']['inject']>>>

before(async () => {
  service = await openTestService({ settings: { BASE_URL: 'https://localhost' } })
  const { client_id, prices } = service.demo.app
  const buy = `/buy/${prices[0]!.public_id}/`
  const html = { accept: 'text/html' }
  const validate = { method: 'POST', url: '/api/v1/licenses/validate' } as const
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const requests: Record<string, InjectOptions> = {
    'a page': { url: '/signin/' },
    'a page of a listing': { url: '/apps/tidepool/' },
    'a page of the checkout': { url: buy },
    'a refused page': { url: `${buy}?next=https://evil.example/`, headers: html },
    'a page that does not exist': { url: '/nowhere/', headers: html },
    'a page to sign in for': { url: '/account/security/' },
    'a form of another site': { method: 'POST', url: '/signin/', headers: form, payload: 'a=b' },
    'an address that cannot be read': { url: '/%zz' },
    'an address with a NUL': { url: '/%00' },
    'public JSON': { url: `/api/v1/public/apps/${client_id}/prices/` },
    'JSON for one app': { ...validate, headers: basic(service), payload: { key: 'key_x' } },
    'JSON without credentials': { ...validate, payload: { key: 'key_x' } },
    'JSON that does not exist': { url: '/api/v1/nowhere' },
    'another method': { method: 'DELETE', url: '/api/v1/licenses/validate' },
    'the entitlement without a token': { url: '/licensing/entitlement/' },
    'the agent endpoint without a token': { method: 'POST', url: '/mcp', payload: {} },
    'the metadata of sign-in': { url: '/o/.well-known/openid-configuration' },
    'the keys of sign-in': { url: '/o/jwks' },
    'a token that is refused': { method: 'POST', url: '/o/token', headers: form, payload: 'a=b' },
    'a request to sign in that is refused': { url: '/o/auth?client_id=unknown', headers: html },
    'the description of the API': { url: '/api/v1/openapi.json' },
    health: { url: '/healthz' },
    readiness: { url: '/readyz' },
  }
  answers = new Map()
  for (const [name, request] of Object.entries(requests)) {
    answers.set(name, await service.app.inject(request))
  }
  const style = /\/assets\/[\w.-]+\.css/.exec(answers.get('a page')!.body)![0]
  answers.set('a stylesheet', await service.app.inject({ url: style }))
})
after(() => service.close())

function each(check: (headers: Record<string, string>, name: string, body: string) => void) {
  for (const [name, { headers, body }] of answers) {
    check(headers as Record<string, string>, name, body)
  }
}

describe('every response, of pages and APIs, accepted or refused', () => {
  test('is one that was asked for', () => {
    const statuses = [...answers].map(([name, { statusCode }]) => `${statusCode} ${name}`)
    assert.ok(
      statuses.every((line) => !line.startsWith('5')),
      statuses.join('\n'),
    )
    assert.equal(answers.get('a page')!.statusCode, 200)
    assert.equal(answers.get('a stylesheet')!.statusCode, 200)
    assert.equal(answers.get('a request to sign in that is refused')!.statusCode, 400)
  })

  test('loads nothing from elsewhere, runs no inline script and allows no frame', () => {
    each((headers, name) => {
      const policy = headers['content-security-policy'] ?? ''
      for (const directive of [
        "default-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]) {
        assert.ok(policy.split('; ').includes(directive), `${name} lacks ${directive}: ${policy}`)
      }
      assert.doesNotMatch(policy, /unsafe/, name)
    })
  })

  test('declares its type and character set, and forbids sniffing', () => {
    each((headers, name, body) => {
      assert.equal(headers['x-content-type-options'], 'nosniff', name)
      if (body === '') return
      assert.match(headers['content-type'] ?? '', /^[\w/+-]+; charset=utf-8$/i, name)
    })
  })

  test('requires TLS for two years, subdomains included', () => {
    each((headers, name) => {
      const policy = headers['strict-transport-security']
      assert.equal(policy, 'max-age=63072000; includeSubDomains', name)
    })
  })

  test('sends other sites nothing of its address', () => {
    each((headers, name) => assert.equal(headers['referrer-policy'], 'same-origin', name))
  })

  test('is cached only if it is the same for everyone', () => {
    const shared = /listing|public JSON|metadata|keys of sign-in|description|stylesheet/
    each((headers, name) => {
      if (shared.test(name)) return assert.equal(headers['set-cookie'], undefined, name)
      return assert.match(headers['cache-control'] ?? '', /no-store/, name)
    })
  })
})

test('TRACE sends nothing back, and no folder lists its files', async () => {
  const headers = { cookie: '__Host-session=secret-of-a-session' }
  const traced = await service.app.inject({ method: 'TRACE' as 'GET', url: '/', headers })
  assert.equal(traced.statusCode, 405)
  assert.doesNotMatch(traced.body, /secret-of-a-session/)
  for (const url of ['/assets/', '/assets', '/assets/../package.json', '/.git/config', '/.env']) {
    assert.equal((await service.app.inject({ url })).statusCode, 404, url)
  }
})
