import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  Client,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sellerToken } from '../support/agent-token.ts'
import {
  type AgentEndpointTest,
  MODERN,
  openAgentEndpointTest,
  post,
  toolCall,
} from '../support/mcp.ts'
import type { TestService } from '../support/service.ts'

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
let service: TestService
let base_url: string
let bearer: AgentEndpointTest['bearer']
before(async () => {
  ;({ service, base_url, bearer } = await openAgentEndpointTest())
})
after(async () => {
  await service.close()
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

  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
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

  test('a cursor is refused, as the list of tools has one page', async () => {
    const authorized = await bearer()
    const method = 'tools/list'
    for (const cursor of ['', 'after:list_apps']) {
      const list = { jsonrpc: '2.0', id: 1, method, params: { cursor } }
      const { error } = (await post(service, list, authorized)).json()
      assert.equal(error.code, -32602)
      assert.match(error.message, /cursor/)
      const modern = { ...list, params: { cursor, _meta } }
      const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...authorized }
      assert.equal((await post(service, modern, headers)).json().error.code, -32602)
    }
  })

  test('offers no event stream and keeps none open', async () => {
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
      const client = await connect(await sellerToken(service), mode)
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
      const client = await connect(await sellerToken(service, 'integrations.read'), mode)
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
