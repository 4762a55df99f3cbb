import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { textOf } from '../support/agent.ts'
import { assertLimited, assertRefused } from '../support/answers.ts'
import {
  type AgentEndpointTest,
  openAgentEndpointTest,
  PING,
  post,
  toolCall,
} from '../support/mcp.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
let base_url: string
let bearer: AgentEndpointTest['bearer']
before(async () => {
  ;({ service, base_url, bearer } = await openAgentEndpointTest())
})
after(async () => {
  await service.close()
})

describe('the gate', () => {
  test('JSON must be named in Accept: nothing and wildcards are refused', async () => {
    const authorized = await bearer()
    const refused = [
      undefined,
      '',
      '*/*',
      'application/*',
      'text/event-stream',
      'application/json;q=0',
      'application/jsonp',
      'text/html, */*;q=0.8',
    ]
    for (const accept of refused) {
      assertRefused(await post(service, PING, { ...authorized, accept }), 406, 'not_acceptable')
    }
    const good = [
      'application/json',
      'application/json, text/event-stream',
      'text/event-stream, application/json',
      'Application/JSON; charset=utf-8',
      'application/json;q=0.5, */*;q=0.1',
    ]
    for (const accept of good) {
      const answer = await post(service, PING, { ...authorized, accept })
      assert.equal(answer.statusCode, 200, accept)
      assert.match(String(answer.headers['content-type']), /^application\/json\b/)
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
  })

  test('pages of other origins are refused; our own, the loopback and programs are not', async () => {
    const authorized = await bearer()
    const others = [
      'https://evil.example',
      'null',
      'nonsense',
      'http://localhost.evil.example',
      'https://purser.example',
    ]
    for (const origin of others) {
      const answer = await post(service, PING, { ...authorized, origin })
      assertRefused(answer, 403, 'origin_not_allowed')
    }
    for (const origin of [base_url, 'http://localhost:6274', 'http://127.0.0.1:1', undefined]) {
      const answer = await post(service, PING, { ...authorized, origin })
      assert.equal(answer.statusCode, 200, origin)
    }
  })

  test('a host name that is not the service’s is refused, so that no page can rebind it', async () => {
    const authorized = await bearer()
    for (const host of ['evil.example', 'localhost.evil.example', 'evil.example:80']) {
      const answer = await post(service, PING, { ...authorized, host })
      assertRefused(answer, 403, 'host_not_allowed')
    }
    for (const host of [new URL(base_url).host, '127.0.0.1', '[::1]:8080']) {
      assert.equal((await post(service, PING, { ...authorized, host })).statusCode, 200, host)
    }
  })

  test('a browser that opens it learns that the address is for programs', async () => {
    const answer = await service.app.inject({ url: '/mcp', headers: { accept: 'text/html' } })
    assert.equal(answer.statusCode, 405)
    assert.match(textOf(answer.body), /There is no page at this address\. It is for programs/)
  })

  test('there are no sessions: GET and DELETE are 405, at both spellings of the address', async () => {
    for (const url of ['/mcp', '/mcp/']) {
      for (const method of ['GET', 'DELETE', 'PUT'] as const) {
        const accept = 'text/event-stream'
        const answer = await service.app.inject({ method, url, headers: { accept } })
        assertRefused(answer, 405, 'method_not_allowed')
        // F45: OPTIONS is the preflight of agents in a page.
        assert.equal(answer.headers.allow, 'OPTIONS, POST')
      }
    }
    const headers = { ...(await bearer()), accept: 'application/json' }
    const url = '/mcp/'
    const answer = await service.app.inject({ method: 'POST', url, headers, payload: PING })
    assert.equal(answer.statusCode, 200)
  })

  test('refuses a body that is too large, not JSON or unreadable, with our own error', async () => {
    const authorized = await bearer()
    const big = { ...PING, params: { text: 'x'.repeat(256 * 1024) } }
    assertRefused(await post(service, big, authorized), 413, 'payload_too_large')
    const roomy = { ...PING, params: { text: 'x'.repeat(250 * 1024) } }
    assert.equal((await post(service, roomy, authorized)).statusCode, 200)
    const text = await post(service, 'hello', { ...authorized, 'content-type': 'text/plain' })
    assertRefused(text, 415, 'unsupported_media_type')
    const broken = await post(service, '{"jsonrpc":', authorized)
    assertRefused(broken, 400, 'invalid_request', 'fields')
    const empty = await post(service, '', authorized)
    assertRefused(empty, 400, 'invalid_request', 'fields')
    const needed = 'The request must have a JSON body: a JSON-RPC 2.0 message.'
    assert.deepEqual(empty.json().fields, [{ path: '', message: needed }])
  })

  test('a token may send sixty messages a minute; each message of a batch counts', async () => {
    const busy = await bearer()
    const batch = Array.from({ length: 30 }, (_, id) => ({ ...PING, id }))
    const first = await post(service, batch, busy)
    assert.equal(first.json().length, 30)
    assert.equal(first.headers['ratelimit-policy'], '"agent";q=60;w=60')
    assert.match(String(first.headers.ratelimit), /^"agent";r=30;t=\d+$/)
    for (let call = 0; call < 30; call++) {
      assert.equal((await post(service, PING, busy)).statusCode, 200)
    }
    assertLimited(await post(service, PING, busy))
    assert.equal((await post(service, PING, await bearer())).statusCode, 200)
    assertLimited(await post(service, [...batch, ...batch, PING], await bearer()))
  })

  test('answers a batch that cancels its own call', async () => {
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    const answer = await post(service, [PING, cancel], await bearer())
    assert.deepEqual(answer.json(), { jsonrpc: '2.0', id: 1, result: {} })
  })
})

describe('hostile bodies', () => {
  test('F39: 60,000 nested brackets are 400, whether they are closed or not', async () => {
    const nested = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(60_000)}`
    for (const body of [`${nested}${']'.repeat(60_000)}}`, nested]) {
      const answer = await service.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          ...(await bearer()),
          accept: 'application/json',
          'content-type': 'application/json',
        },
        payload: body,
      })
      assert.equal(answer.statusCode, 400)
      assert.equal(answer.json().error, 'invalid_request')
      assert.match(answer.json().message, /nests deeper than 32 levels/)
    }
  })

  test('F39: brackets inside a string do not count as nesting', async () => {
    const call = toolCall('list_products', { app_slug: `"\\${'['.repeat(50)}` })
    assert.equal((await post(service, call, await bearer())).statusCode, 200)
  })

  test('S11: a list that is far too long is refused by its count, before its entries are read', async () => {
    const versions = Array.from({ length: 6000 }, () => ({ name: 7 }))
    const sections = Array.from({ length: 5000 }, () => 1)
    const features = [{ name: 'x', product_ids: Array.from({ length: 5000 }, () => 1) }]
    for (const [name, args, path] of [
      ['replace_versions', { versions }, 'versions'],
      ['replace_versions', { versions: [{ name: 'x', prices: sections }] }, 'versions[0].prices'],
      ['replace_detail_sections', { sections }, 'sections'],
      ['replace_feature_table', { features }, 'features[0].product_ids'],
      ['update_app_listing', { tags: sections }, 'tags'],
    ] as const) {
      const call = toolCall(name, { app_slug: 'tidepool', ...args })
      const answer = await post(service, call, await bearer())
      const { error, fields } = JSON.parse(answer.json().result.content[0].text)
      assert.equal(error, 'invalid_request')
      assert.deepEqual(
        fields.map((field: { path: string }) => field.path),
        [path],
      )
    }
  })
})

describe('pages of other origins', () => {
  const origin = 'http://localhost:6274'

  test('F45: an agent in a page of this computer may call and read the answer, without cookies', async () => {
    const preflight = await service.app.inject({
      method: 'OPTIONS',
      url: '/mcp',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, mcp-protocol-version',
      },
    })
    assert.equal(preflight.statusCode, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], origin)
    assert.equal(
      preflight.headers['access-control-allow-headers'],
      'authorization, mcp-protocol-version',
    )
    for (const headers of [{ origin }, { origin, ...(await bearer()) }]) {
      const answer = await post(service, PING, headers)
      assert.equal(answer.headers['access-control-allow-origin'], origin)
      assert.match(String(answer.headers['access-control-expose-headers']), /WWW-Authenticate/)
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
  })

  test('F45: refuses a preflight from a page of another origin', async () => {
    const answer = await service.app.inject({
      method: 'OPTIONS',
      url: '/mcp',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    assertRefused(answer, 403, 'origin_not_allowed')
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  })
})
