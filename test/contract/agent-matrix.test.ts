import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as catalog from '#domain/catalog'
import * as grants from '#domain/grants'
import type { ProductId } from '#platform/ids'
import { missingScope } from '../../src/surfaces/mcp/scopes.ts'
import { tools } from '../../src/surfaces/mcp/tools.ts'
import { type McpAgent, mcpAgent } from '../support/mcp.ts'
import { addSellerWithApp } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const APPS = { own: 'tidepool', "another seller's": 'lighthouse', unknown: 'nowhere' }

/** The scopes that allow each tool; the first is the requested one. */
const SCOPES: Record<string, readonly grants.AgentScope[]> = {
  list_apps: grants.AGENT_SCOPES,
  list_products: grants.AGENT_SCOPES,
  get_integration_settings: ['integrations.read', 'integrations.write'],
  update_integration_settings: ['integrations.write'],
  regenerate_client_secret: ['integrations.write'],
  get_app_listing: ['listing.read', 'listing.write'],
  update_app_listing: ['listing.write'],
  replace_detail_sections: ['listing.write'],
  replace_feature_table: ['listing.write'],
  replace_versions: ['listing.write'],
  update_product_description: ['listing.write'],
}

let service: TestService
let product_id: ProductId

before(async () => {
  service = await openTestService()
  const { demo, world } = service
  await addSellerWithApp(service, { email: demo.buyer.email, slug: APPS["another seller's"] })
  const [product] = await catalog.products(world.db, demo.app.client_id)
  product_id = product!.id
})
after(async () => {
  await service.close()
})

const agentWith = (...scopes: grants.AgentScope[]) =>
  mcpAgent(service, { email: service.demo.seller.email, scopes })

/** Valid arguments for the own app, as a dry run if the tool writes. */
function argsOf(name: string): object {
  const args: Record<string, object> = {
    replace_detail_sections: { sections: [] },
    replace_feature_table: { features: [] },
    replace_versions: { versions: [{ product_id, name: 'Free', is_free: true }] },
    update_product_description: { product_id, description: 'For one beach.' },
  }
  const { writes } = tools.find((each) => each.name === name)!
  return { ...args[name], ...(writes ? { dry_run: true } : {}) }
}

/** Calls a tool for each kind of app, and asserts the results of a token that may use it. */
async function assertAllowed(agent: McpAgent, name: string): Promise<void> {
  if (name === 'list_apps') {
    assert.equal((await agent.call(name)).is_error, false)
    return
  }
  const call = (app_slug: string) => agent.call(name, { app_slug, ...argsOf(name) })
  const own = await call(APPS.own)
  assert.equal(own.is_error, false, JSON.stringify(own.json))
  const theirs = await call(APPS["another seller's"])
  assert.equal(theirs.json.error, 'unknown_app')
  assert.deepEqual(theirs, await call(APPS.unknown))
}

test('there is a row for every tool', () => {
  assert.deepEqual(
    Object.keys(SCOPES),
    tools.map(({ name }) => name),
  )
})

for (const [name, enough] of Object.entries(SCOPES)) {
  test(`${name} takes ${enough.length === 4 ? 'any scope' : enough.join(' or ')}, and the own app`, async () => {
    for (const scope of grants.AGENT_SCOPES) {
      const agent = await agentWith(scope)
      if (enough.includes(scope)) await assertAllowed(agent, name)
      else await assertRefused(agent, name, enough[0]!)
    }
    await assertRefused(await agentWith(), name, enough[0]!)
  })
}

/** Without the scope, the result does not depend on whose app it is. */
async function assertRefused(agent: McpAgent, name: string, scope: string): Promise<void> {
  for (const app_slug of Object.values(APPS)) {
    const { status, json } = await agent.call(name, { app_slug, ...argsOf(name) })
    assert.equal(status, 403, name)
    assert.equal(json.data.required_scope, scope, name)
  }
}

test('a scope of one family grants nothing in the other', () => {
  for (const tool of tools.filter(({ scope }) => scope !== 'any')) {
    const family = tool.scope.split('.')[0]
    const others = grants.AGENT_SCOPES.filter((scope) => !scope.startsWith(`${family}.`))
    assert.equal(missingScope(tool, [...others, 'openid', 'entitlements']), tool.scope)
  }
})
