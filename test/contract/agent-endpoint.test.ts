import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  Client,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as grants from '#domain/grants'
import { agentToken } from '../support/agent-token.ts'
import { assertLimited, assertRefused } from '../support/answers.ts'
import { MODERN, post, toolCall } from '../support/mcp.ts'
import { openTestService, type TestService } from '../support/service.ts'

const TOOLS = [
  'list_apps',
  'list_products',
  'get_integration_settings',
  'update_integration_settings',
  'regenerate_client_secret',
  'get_app_listing',
  'update_app_listing',
  'replace_detail_sections',
  'replace_feature_table',
  'replace_versions',
  'update_product_description',
]
const READS = ['list_apps', 'list_products', 'get_integration_settings', 'get_app_listing']
const ALL = grants.AGENT_SCOPES.join(' ')
const READING = 'integrations.read listing.read'

let service: TestService
let base_url: string

before(async () => {
  service = await openTestService()
  await service.listen()
  base_url = service.world.config.base_url
})
after(async () => {
  await service.close()
})

const token = async (...scopes: grants.AgentScope[]) =>
  await agentToken(service, {
    email: service.demo.seller.email,
    ...(scopes.length > 0 ? { scopes } : {}),
  })
const bearer = async (...scopes: grants.AgentScope[]) => ({
  authorization: `Bearer ${await token(...scopes)}`,
})
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

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

  test('what is too large, no JSON or not readable is refused in our own words', async () => {
    const authorized = await bearer()
    const big = { ...PING, params: { text: 'x'.repeat(256 * 1024) } }
    assertRefused(await post(service, big, authorized), 413, 'payload_too_large')
    const roomy = { ...PING, params: { text: 'x'.repeat(250 * 1024) } }
    assert.equal((await post(service, roomy, authorized)).statusCode, 200)
    const text = await post(service, 'hello', { ...authorized, 'content-type': 'text/plain' })
    assertRefused(text, 415, 'unsupported_media_type')
    const broken = await post(service, '{"jsonrpc":', authorized)
    assertRefused(broken, 400, 'invalid_request', 'fields')
  })

  test('a token asks sixty times a minute; each message of a batch is one', async () => {
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

describe('tokens', () => {
  const challengeOf = (answer: { headers: Record<string, unknown> }) =>
    String(answer.headers['www-authenticate'])
  const metadata = () => `resource_metadata="${base_url}/.well-known/oauth-protected-resource/mcp"`

  // F44: an agent that only reads does not ask for permission to write.
  test('without a token the answer is 401, asks for reading, and says where to learn how to get one', async () => {
    const answer = await post(service, PING)
    assertRefused(answer, 401, 'invalid_token')
    assert.equal(challengeOf(answer), `Bearer realm="agent", scope="${READING}", ${metadata()}`)
  })

  test('returns 401 for a token that is unknown, expired, revoked or for another audience', async () => {
    const { db, clock, random } = service.world
    const give = async (audience: string | undefined) => {
      const name = random.bytes(32).toString('base64url')
      const { user_id } = (await grants.findBearer(db, clock.now(), {
        token: await token(),
        audience: grants.agentAudience(base_url),
      }))!
      await grants.keepRecord(
        db,
        clock.now(),
        { kind: 'AccessToken', name },
        {
          payload: {},
          grant: undefined,
          session_uid: undefined,
          client_id: service.demo.app.client_id,
          user_id,
          scope: `openid entitlements ${ALL}`,
          audience,
          life: 3600,
        },
      )
      return name
    }
    const revoked = await token()
    await grants.dropRecord(db, { kind: 'AccessToken', name: revoked })
    const bad = [
      'nonsense',
      await give(undefined),
      await give(`${base_url}/licensing/entitlement/`),
      revoked,
    ]
    for (const each of bad) {
      const answer = await post(service, PING, { authorization: `Bearer ${each}` })
      assertRefused(answer, 401, 'invalid_token')
      const expected = `Bearer realm="agent", error="invalid_token", scope="${READING}", ${metadata()}`
      assert.equal(challengeOf(answer), expected)
    }
    const basic = await post(service, PING, { authorization: 'Basic YTpi' })
    assertRefused(basic, 401, 'invalid_token')
    const late = await bearer()
    service.clock.pass(3600)
    assertRefused(await post(service, PING, late), 401, 'invalid_token')
  })

  test('a token for an agent opens nothing else', async () => {
    const answer = await service.app.inject({
      url: '/licensing/entitlement/',
      headers: await bearer(),
    })
    assertRefused(answer, 401, 'invalid_token')
  })

  test('a missing scope is 403, and both the challenge and the JSON-RPC error name it', async () => {
    const call = toolCall('update_app_listing', { app_slug: 'tidepool' }, 'seven')
    const answer = await post(service, call, await bearer('listing.read', 'integrations.write'))
    assert.equal(answer.statusCode, 403)
    const expected = `Bearer realm="agent", error="insufficient_scope", scope="listing.write", ${metadata()}`
    assert.equal(challengeOf(answer), expected)
    const { jsonrpc, id, error } = answer.json()
    assert.deepEqual({ jsonrpc, id }, { jsonrpc: '2.0', id: 'seven' })
    assert.equal(error.data.error, 'insufficient_scope')
    assert.equal(error.data.required_scope, 'listing.write')
    assert.match(error.message, /listing\.write/)
    // It is found in a batch too.
    const batch = await post(service, [PING, call], await bearer('listing.read'))
    assert.equal(batch.statusCode, 403)
  })

  test('the metadata say who gives tokens, for what, at both addresses and to every page', async () => {
    for (const path of ['', '/mcp', '/mcp/']) {
      const answer = await service.app.inject(`/.well-known/oauth-protected-resource${path}`)
      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), {
        resource: `${base_url}/mcp`,
        authorization_servers: [`${base_url}/o`],
        scopes_supported: [...grants.AGENT_SCOPES],
        bearer_methods_supported: ['header'],
        resource_name: 'Purser agent endpoint',
        resource_documentation: `${base_url}/docs/agents`,
      })
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.equal(answer.headers['cache-control'], 'public, max-age=3600')
    }
  })
})

describe('the protocol', () => {
  const schemaFaults = (schema: Record<string, unknown>) => {
    const { $schema, type, additionalProperties } = schema
    return { $schema, type, additionalProperties }
  }
  const closed = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
  }

  test('the tools come in one order, each with schemas, a description and hints', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { tools } = (await post(service, list, await bearer('listing.read'))).json().result
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      TOOLS,
    )
    for (const tool of tools) {
      assert.deepEqual(schemaFaults(tool.inputSchema), closed, tool.name)
      // F20: an agent that checks answers must let them grow.
      const open = { ...closed, additionalProperties: undefined }
      assert.deepEqual(schemaFaults(tool.outputSchema), open, tool.name)
      assert.doesNotMatch(JSON.stringify(tool.outputSchema), /"additionalProperties":false/)
      assert.ok(tool.title.length > 5 && tool.description.length > 100, tool.name)
      assert.match(tool.description, /\.$/, tool.name)
      const writes = !READS.includes(tool.name)
      assert.equal(tool.annotations.readOnlyHint, !writes, tool.name)
      assert.equal(tool.annotations.destructiveHint, writes, tool.name)
      assert.equal(tool.annotations.openWorldHint, false)
      assert.equal(typeof tool.annotations.idempotentHint, 'boolean')
      assert.equal('dry_run' in tool.inputSchema.properties, writes, tool.name)
      assert.equal('app_slug' in tool.inputSchema.properties, tool.name !== 'list_apps')
      if (!writes) continue
      for (const each of ['changed', 'removed', 'audit_id', 'dry_run']) {
        assert.ok(tool.outputSchema.required.includes(each), `${tool.name} answers ${each}`)
      }
    }
  })

  test('an unknown tool and an unknown method are errors of the protocol', async () => {
    const authorized = await bearer()
    const tool = (await post(service, toolCall('drop_everything'), authorized)).json()
    assert.equal(tool.error.code, -32602)
    const method = { jsonrpc: '2.0', id: 1, method: 'resources/list' }
    assert.equal((await post(service, method, authorized)).json().error.code, -32601)
  })

  test('offers no event stream and keeps none open', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const method = 'subscriptions/listen'
    const listen = { jsonrpc: '2.0', id: 1, method, params: { notifications: {}, _meta } }
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(await bearer()) }
    const answer = await post(service, listen, headers)
    assert.match(String(answer.headers['content-type']), /^application\/json\b/)
    assert.ok(answer.json().error)
  })

  test('a client of the older protocol version completes every step', async () => {
    const client = new OldClient({ name: 'old', version: '1' })
    const requestInit = { headers: await bearer() }
    await client.connect(new OldTransport(new URL(`${base_url}/mcp`), { requestInit }) as never)
    assert.equal(client.getServerVersion()?.name, 'purser')
    assert.match(client.getInstructions() ?? '', /list_apps/)
    await client.ping()
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS,
    )
    await assertTools((name, args) => client.callTool({ name, arguments: args }))
    await client.close()
  })

  for (const [era, mode, version] of [
    ['2025', 'legacy', '2025-11-25'],
    ['2026', { pin: MODERN }, MODERN],
    ['the newest that both know', 'auto', MODERN],
  ] as const) {
    test(`the newer client goes all the way in the era of ${era}`, async () => {
      const client = await connect(await token(), mode)
      assert.equal(client.getNegotiatedProtocolVersion(), version)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS,
      )
      await assertTools((name, args) => client.callTool({ name, arguments: args }))
      await client.close()
    })
  }

  test('names the missing scope in both versions of the protocol', async () => {
    for (const mode of ['legacy', { pin: MODERN }] as const) {
      const client = await connect(await token('integrations.read'), mode)
      const name = 'get_app_listing'
      await assert.rejects(
        client.callTool({ name, arguments: { app_slug: 'tidepool' } }),
        (error) =>
          error instanceof InsufficientScopeError && error.requiredScope === 'listing.read',
      )
      await client.close()
    }
  })

  async function connect(
    access_token: string,
    mode: 'legacy' | 'auto' | { pin: string },
  ): Promise<Client> {
    const client = new Client({ name: 'new', version: '1' }, { versionNegotiation: { mode } })
    const requestInit = { headers: { authorization: `Bearer ${access_token}` } }
    const url = new URL(`${base_url}/mcp`)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return client
  }

  let port = 5000
  type CallTool = (name: string, args: Record<string, unknown>) => Promise<unknown>

  /** The official clients validate every result against the tool's output schema. */
  async function assertTools(call: CallTool): Promise<void> {
    const answers = async (name: string, args: Record<string, unknown> = {}) =>
      (await call(name, args)) as {
        isError?: boolean
        structuredContent?: Record<string, unknown>
        content: { text: string }[]
      }
    const { structuredContent, content } = await answers('list_apps')
    assert.deepEqual(JSON.parse(content[0]!.text), structuredContent)
    const app_slug = 'tidepool'
    for (const name of READS.slice(1)) {
      const answer = await answers(name, { app_slug })
      assert.ok(!answer.isError && answer.structuredContent, name)
    }
    const redirect_uris = [`http://localhost:${++port}/callback`]
    const saved = await answers('update_integration_settings', { app_slug, redirect_uris })
    assert.ok(saved.structuredContent, JSON.stringify(saved))
    const rotated = await answers('regenerate_client_secret', { app_slug, dry_run: true })
    assert.equal(rotated.structuredContent?.claim_url, null)
    const refused = await answers('update_integration_settings', { app_slug, redirect_uris: 'x' })
    assert.equal(refused.isError, true)
    assert.equal(JSON.parse(refused.content[0]!.text).fields[0].path, 'redirect_uris')
  }
})
