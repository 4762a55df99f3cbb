import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import inject, { type InjectOptions } from 'light-my-request'
import { endpoint } from '#http/endpoint'
import { addShortcut } from '#http/endpoint-shortcut'
import { createServer } from '#platform/http'
import { openLimits } from '#platform/limits'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import { addApp } from '../support/apps.ts'
import { basic, buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let requests: Record<string, InjectOptions>
/** Requests that are unusual in their spelling, and so left to the framework. */
let unusual: Record<string, InjectOptions>
before(async () => {
  service = await openTestService()
  const page = await purchase(service, buyer(service), { email: 'one@example.com' })
  const own = basic(service)
  const foreign = basic(service, await addApp(service, { slug: 'harbor' }))
  const { client_id } = service.demo.app
  const prices = `/api/v1/public/apps/${client_id}/prices/`
  const { etag } = (await service.app.inject(prices)).headers
  const key = licenseKey(page)
  const order = `/api/v1/orders/${orderReference(page)}`
  const validate = (payload: object | string, headers: object = own): InjectOptions => ({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })
  requests = {
    'a profile': { url: `/api/v1/public/apps/${client_id}/` },
    'a profile, without the slash': { url: `/api/v1/public/apps/${client_id}` },
    prices: { url: prices },
    'prices that the caller has': { url: prices, headers: { 'if-none-match': String(etag) } },
    'prices of an unknown app': { url: '/api/v1/public/apps/app_unknown/prices/' },
    'a key': validate({ key }),
    'a key, with a charset': validate(
      { key },
      { ...own, 'content-type': 'application/json;charset=UTF-8' },
    ),
    'a key of another app': validate({ key }, foreign),
    'a key without credentials': validate({ key }, {}),
    'a body with an unknown field': validate({ key, more: true }),
    'a body with an unknown field, without credentials': validate({ key, more: true }, {}),
    'a body that is not JSON, without credentials': validate('{"key"', {}),
    'a body that is not JSON': validate('{"key"'),
    'a body with a prototype': validate('{"__proto__": {}}'),
    'a body that nests deeply': validate('['.repeat(40)),
    'a body with a NUL': validate('{"key": "\\u0000"}'),
    'an order': { url: order, headers: own },
    'an unknown order': { url: '/api/v1/orders/ord_x', headers: own },
    'an order without credentials': { url: order },
    'an entitlement without a token': { url: '/api/v1/entitlement/' },
    'an entitlement with an unknown token': {
      url: '/licensing/entitlement',
      headers: { authorization: 'Bearer unknown' },
    },
    'the key of an unknown license': {
      method: 'POST',
      url: '/api/v1/licenses/lic_unknown/regenerate-key',
      headers: { 'content-type': 'application/json', ...own },
      payload: {},
    },
  }
  unusual = {
    'a query': { url: `${prices}?v=2` },
    'an escaped character': { url: prices.replace('app_', 'app%5F') },
    'another method': { method: 'DELETE', url: prices },
    'a HEAD request': { method: 'HEAD', url: prices },
    'another content type': validate('key=1', { ...own, 'content-type': 'text/plain' }),
    'no body': { ...validate(''), payload: '' },
    'a body of unknown length': validate({ key }, { ...own, 'transfer-encoding': 'chunked' }),
    'a body that is too long': validate({ key: 'k'.repeat(70_000) }),
    'two slashes': { url: prices.replace('/prices', '//prices') },
    'a page': { url: '/' },
  }
})
after(() => service.close())

/** Whether a shortcut answers a request. */
async function isAnswered(request: InjectOptions): Promise<boolean> {
  let answered: boolean | undefined
  await inject((raw, response) => {
    answered = service.app.shortcuts.some((shortcut) => shortcut(raw, response))
    if (!answered) response.end()
  }, request)
  return answered!
}

/** What differs between two responses to the same request is its ID, the time and the limit. */
function comparable({ statusCode, headers, body }: inject.Response): object {
  const id = String(headers['x-request-id'])
  const left = String(headers.ratelimit).replace(/r=\d+;t=\d+/, 'r;t')
  const { date, connection, 'x-request-id': _, ...others } = headers
  return { statusCode, headers: { ...others, ratelimit: left }, body: body.replace(id, 'req') }
}

test('a shortcut answers a plain request exactly as the route does', async () => {
  for (const [name, request] of Object.entries(requests)) {
    assert.ok(await isAnswered(request), name)
    const short = comparable(await inject(service.app.answer, request))
    const routed = comparable(await inject((...call) => service.app.routing(...call), request))
    assert.deepEqual(short, routed, name)
  }
})

test('a request with anything unusual is left to the routes', async () => {
  for (const [name, request] of Object.entries(unusual)) {
    assert.equal(await isAnswered(request), false, name)
  }
})

test('both count against the same limit, and refuse in the same way', async () => {
  const url = `/api/v1/public/apps/${service.demo.app.client_id}/`
  const remoteAddress = '203.0.113.77'
  for (let taken = 0; taken < 60; taken++) {
    await inject(service.app.answer, { url, remoteAddress })
    await inject((...call) => service.app.routing(...call), { url, remoteAddress })
  }
  const short = await inject(service.app.answer, { url, remoteAddress })
  const routed = await inject((...call) => service.app.routing(...call), { url, remoteAddress })
  assert.equal(short.statusCode, 429)
  assert.deepEqual(comparable(short), comparable(routed))
})

test('a request with two hosts, none, or an expectation is left to the routes', async () => {
  const url = `/api/v1/public/apps/${service.demo.app.client_id}/`
  const unusual: ((raw: IncomingMessage) => void)[] = [
    ({ rawHeaders }) => rawHeaders.push('Host', 'one.example', 'host', 'two.example'),
    ({ headers }) => delete headers.host,
    ({ headers }) => {
      headers.expect = 'something'
    },
  ]
  for (const change of unusual) {
    let answered: boolean | undefined
    await inject(
      (raw, response) => {
        change(raw)
        answered = service.app.shortcuts.some((shortcut) => shortcut(raw, response))
        response.end()
      },
      { url },
    )
    assert.equal(answered, false, String(change))
  }
})

test('an answer that cannot be written is a 500 with the request ID', async () => {
  const log = openLog('silent')
  const app = createServer({ log, random: systemRandom, secure: false, trusted_proxies: [] })
  const broken = endpoint({
    method: 'GET',
    path: '/broken/',
    name: 'broken',
    tag: 'Public',
    summary: 'Answers with a header that HTTP forbids.',
    description: '',
    auth: 'none',
    limit: { name: 'broken', points: 9, seconds: 60, by: 'caller', key: () => 'caller' },
    answers: { 200: { description: 'Never.' } },
    refusals: [],
    run: async () => ({ headers: { location: 'two\nlines' }, json: {} }),
  })
  addShortcut(app, [broken], openLimits(undefined, log))
  const answer = await app.inject('/broken/')
  assert.equal(answer.statusCode, 500)
  const { error, request_id } = answer.json()
  assert.deepEqual([error, request_id], ['internal_error', answer.headers['x-request-id']])
  await app.close()
})
