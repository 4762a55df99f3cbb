import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import type { AppId } from '#platform/ids'
import { textOf } from '../support/agent.ts'
import { type McpAgent, MODERN, mcpAgent, post, toolCall } from '../support/mcp.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SLUG = 'tidepool'
const SITE = 'https://tidepool.example'
const GOOD = {
  oauth_login_url: `${SITE}/login`,
  redirect_uris: [`${SITE}/auth/callback`, 'http://localhost:3000/auth/callback'],
  post_logout_redirect_uris: [`${SITE}/`],
}

let service: TestService
let seller: string
let agent: McpAgent
let client_id: AppId

before(async () => {
  service = await openTestService()
  seller = service.demo.seller.email
  client_id = service.demo.app.client_id
  await addSellerWithApp(service, { email: service.demo.buyer.email, slug: 'lighthouse' })
})
after(async () => {
  await service.close()
})
beforeEach(async () => {
  agent = await mcpAgent(service, { email: seller })
})

const rows = async (text: string) => (await service.world.db.raw(text)).rows
const changes = async () => await apps.changesOf(service.world.db, client_id, { limit: 100 })

/** Everything that the tools of this file could write. */
async function everything() {
  const tables = ['apps', 'clients', 'sellers', 'app_changes', 'secret_claims']
  const all = await Promise.all(tables.map((table) => rows(`select * from ${table} order by 1`)))
  return JSON.stringify(all)
}

const settings = async () =>
  (await agent.call('get_integration_settings', { app_slug: SLUG })).json.settings

describe('finding things', () => {
  test('list_apps returns only the apps of the person', async () => {
    const { json, is_error } = await agent.call('list_apps')
    assert.equal(is_error, false)
    assert.deepEqual(
      json.apps.map(({ slug }: { slug: string }) => slug),
      ['driftlog', SLUG],
    )
    assert.deepEqual(json.apps[1], {
      slug: SLUG,
      name: 'Tidepool',
      client_id,
      url: SITE,
      listing_mode: 'marketplace',
      is_published: true,
      external_sales_enabled: true,
    })
    const other = await mcpAgent(service, { email: service.demo.buyer.email })
    assert.deepEqual(
      (await other.call('list_apps')).json.apps.map(({ slug }: { slug: string }) => slug),
      ['lighthouse'],
    )
    const outsider = await mcpAgent(service, { email: service.demo.affiliate.email })
    assert.deepEqual((await outsider.call('list_apps')).json, { apps: [] })
  })

  test('list_products has every product with its prices, and flags those no longer sold', async () => {
    await rows(`update products set deleted_at = created_at where name = 'Lifetime'`)
    const { json } = await agent.call('list_products', { app_slug: SLUG })
    await rows(`update products set deleted_at = null where name = 'Lifetime'`)
    assert.deepEqual(json.app, { slug: SLUG, name: 'Tidepool' })
    const [free, pro, lifetime] = json.products
    assert.deepEqual([free.name, free.is_free, free.prices], ['Free', true, []])
    assert.match(pro.product_public_id, /^prod_/)
    const known = service.demo.app.prices.filter(({ frequency }) => frequency !== null)
    assert.deepEqual(
      pro.prices,
      known.map(({ public_id, amount, frequency }) => ({
        public_id,
        amount,
        currency: 'usd',
        frequency,
      })),
    )
    assert.deepEqual([lifetime.name, lifetime.is_active], ['Lifetime', false])
    assert.deepEqual([free.is_active, pro.is_active], [true, true])
  })

  test('an app of another seller answers exactly like an unknown one', async () => {
    const tools = {
      list_products: {},
      get_integration_settings: {},
      update_integration_settings: GOOD,
      regenerate_client_secret: {},
    }
    const before = await everything()
    for (const [name, args] of Object.entries(tools)) {
      const theirs = await agent.call(name, { ...args, app_slug: 'lighthouse' })
      const none = await agent.call(name, { ...args, app_slug: 'nowhere' })
      assert.deepEqual(theirs, none)
      assert.equal(theirs.is_error, true)
      assert.equal(theirs.json.error, 'unknown_app')
    }
    assert.equal(await everything(), before)
  })
})

describe('get_integration_settings', () => {
  test('returns what the dashboard shows, and never the secret', async () => {
    const answer = await agent.call('get_integration_settings', { app_slug: SLUG })
    assert.deepEqual(answer.json, {
      app: { slug: SLUG, name: 'Tidepool' },
      settings: {
        client_id,
        oauth_login_url: `${service.demo.sample_site_url}/login`,
        redirect_uris: [],
        post_logout_redirect_uris: [],
        is_published: true,
        external_sales_enabled: true,
        oauth_client_provisioned: true,
        buy_link_preconditions: {
          is_published: true,
          external_sales_enabled: true,
          has_price: true,
          are_met: true,
        },
        hosted_sign_in: {
          is_on: false,
          is_charged: false,
          trial_ends_at: null,
          dashboard_url: `${service.world.config.base_url}/dashboard/apps/${SLUG}/integration/`,
        },
        integration_mode: 'standard',
      },
    })
    assert.ok(!JSON.stringify(answer).includes(service.demo.app.client_secret))
  })

  test('returns when the free months of the add-on end, and why buy links are closed', async () => {
    await apps.enableAddOn(service.world.db, service.clock.now(), client_id)
    await rows(`update apps set is_published = false where slug = '${SLUG}'`)
    const { hosted_sign_in, buy_link_preconditions } = await settings()
    await rows(
      `update apps set is_published = true, addon_enabled_at = null where slug = '${SLUG}'`,
    )
    assert.equal(hosted_sign_in.is_on, true)
    assert.equal(hosted_sign_in.trial_ends_at, '2026-06-10T12:00:00Z')
    assert.deepEqual(buy_link_preconditions, {
      is_published: false,
      external_sales_enabled: true,
      has_price: true,
      are_met: false,
    })
  })
})

interface ListSchemas {
  properties: Record<string, { maxItems: number }>
}

describe('update_integration_settings', () => {
  const update = (args: object) =>
    agent.call('update_integration_settings', { app_slug: SLUG, ...args })

  test('saves what is given, leaves the rest, and says what changed and by whom', async () => {
    const all = await update(GOOD)
    assert.equal(all.is_error, false)
    assert.equal(all.json.settings.oauth_login_url, GOOD.oauth_login_url)
    assert.deepEqual(all.json.removed, [])
    const { json } = await update({ redirect_uris: [`${SITE}/auth/callback`] })
    const kept = await settings()
    assert.deepEqual(json.settings, kept)
    assert.deepEqual(kept.redirect_uris, [`${SITE}/auth/callback`])
    assert.deepEqual(kept.post_logout_redirect_uris, GOOD.post_logout_redirect_uris)
    assert.equal(kept.oauth_login_url, GOOD.oauth_login_url)
    assert.deepEqual(json.removed, [
      { kind: 'redirect_uri', id: null, name: 'http://localhost:3000/auth/callback' },
    ])
    assert.deepEqual(json.changed, [
      { path: 'redirect_uris', before: GOOD.redirect_uris, after: [`${SITE}/auth/callback`] },
    ])
    const [last] = await changes()
    assert.equal(json.audit_id, last!.id)
    assert.equal(last!.action, 'integration.updated')
    assert.equal(last!.agent, 'test-agent')
    assert.equal(last!.email, seller)
    assert.deepEqual(last!.before, GOOD)
    assert.deepEqual(last!.after, { ...GOOD, redirect_uris: [`${SITE}/auth/callback`] })
  })

  test('its schema says how many URLs a list may have, and no list may have more', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const answer = await post(service, request, { authorization: `Bearer ${agent.token}` })
    const tools: { name: string; inputSchema: ListSchemas }[] = answer.json().result.tools
    const { inputSchema } = tools.find(({ name }) => name === 'update_integration_settings')!
    for (const list of ['redirect_uris', 'post_logout_redirect_uris']) {
      const { maxItems } = inputSchema.properties[list]!
      const urls = Array.from({ length: maxItems + 1 }, (_, index) => `${SITE}/${index}`)
      const { json } = await update({ [list]: urls })
      assert.deepEqual(json.fields, [{ path: list, message: `Enter at most ${maxItems} URLs.` }])
      const { is_error } = await update({ [list]: urls.slice(1), dry_run: true })
      assert.equal(is_error, false)
    }
  })

  test('saves an address once that a list names twice', async () => {
    const address = `${SITE}/auth/callback`
    const { json } = await update({ ...GOOD, redirect_uris: [address, address] })
    assert.deepEqual(json.settings.redirect_uris, [address])
    assert.deepEqual((await settings()).redirect_uris, [address])
  })

  test('an empty list removes all, and a call that changes nothing is not recorded', async () => {
    await update(GOOD)
    const cleared = await update({ redirect_uris: [], post_logout_redirect_uris: [] })
    assert.equal(cleared.json.removed.length, 3)
    assert.deepEqual((await settings()).redirect_uris, [])
    const before = await everything()
    for (const args of [{}, { redirect_uris: [] }, { oauth_login_url: GOOD.oauth_login_url }]) {
      const { json, is_error } = await update(args)
      assert.equal(is_error, false)
      assert.deepEqual([json.changed, json.removed, json.audit_id], [[], [], null])
    }
    assert.equal(await everything(), before)
  })

  test('every fault is listed with its place, and nothing is saved', async () => {
    const before = await everything()
    const { json, is_error } = await update({
      oauth_login_url: 'https://evil.example/login',
      redirect_uris: [GOOD.redirect_uris[0], 'http://tidepool.example/cb', `${SITE}/cb#x`, 7],
      post_logout_redirect_uris: 'https://tidepool.example/',
      client_secret: 'mine',
      is_published: true,
    })
    assert.equal(is_error, true)
    assert.equal(json.error, 'invalid_request')
    assert.match(json.message, /^7 invalid fields\. Nothing was saved\.$/)
    assert.deepEqual(json.fields.map(({ path }: { path: string }) => path).sort(), [
      'client_secret',
      'is_published',
      'oauth_login_url',
      'post_logout_redirect_uris',
      'redirect_uris[1]',
      'redirect_uris[2]',
      'redirect_uris[3]',
    ])
    assert.equal(await everything(), before)
    const many = await update({ redirect_uris: Array.from({ length: 51 }, () => `${SITE}/cb`) })
    assert.deepEqual(
      many.json.fields.map(({ path }: { path: string }) => path),
      ['redirect_uris'],
    )
  })

  test('a URL that is too long is not called one on another domain', async () => {
    const { json } = await update({ oauth_login_url: `${SITE}/${'x'.repeat(2048)}` })
    assert.match(json.fields[0].message, /^https:\S+… has 2073 characters\. Use at most 2048\.$/)
  })

  test('truncates a long list of errors', async () => {
    const { json } = await update({ redirect_uris: Array.from({ length: 5000 }, () => 1) })
    assert.equal(json.fields.length, 200)
    assert.match(json.message, /^5,000 invalid fields, the first 200 are listed/)
  })

  test('a dry run answers as the call does, and saves nothing', async () => {
    await update(GOOD)
    const change = { oauth_login_url: `${SITE}/start`, redirect_uris: [] }
    const before = await everything()
    const rehearsed = await update({ ...change, dry_run: true })
    assert.equal(await everything(), before)
    const done = await update(change)
    assert.deepEqual({ ...rehearsed.json, audit_id: done.json.audit_id, dry_run: false }, done.json)
    assert.equal(rehearsed.json.audit_id, null)
    assert.equal(rehearsed.json.dry_run, true)
    assert.equal(rehearsed.json.removed.length, 2)
  })

  test('in the newer era the log has the name that the program gives itself', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': {
        name: 'shore-bot',
        title: 'Shore\u202e bot',
        version: '1',
      },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const name = 'update_integration_settings'
    const call = toolCall(name, { app_slug: SLUG, oauth_login_url: `${SITE}/modern` })
    const answer = await post(
      service,
      { ...call, params: { ...call.params, _meta } },
      {
        authorization: `Bearer ${agent.token}`,
        'mcp-protocol-version': MODERN,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
    )
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal((await changes())[0]!.agent, 'Shore bot')
  })
})

describe('every write tool', () => {
  const WRITES = {
    update_integration_settings: {},
    regenerate_client_secret: {},
    update_app_listing: {},
    replace_detail_sections: { sections: [] },
    replace_feature_table: { features: [] },
    replace_versions: { versions: [] },
    update_product_description: { product_id: 'prod_x', description: '' },
  }

  test('saves nothing without accepted terms, and names the page to accept them', async () => {
    await rows('update sellers set terms_accepted_at = null')
    const before = await everything()
    try {
      const acceptance_url = `${service.world.config.base_url}/dashboard/terms/`
      for (const [name, args] of Object.entries(WRITES)) {
        for (const more of [{}, { dry_run: true }, { nonsense: 1 }]) {
          const { json, is_error } = await agent.call(name, { app_slug: SLUG, ...args, ...more })
          assert.equal(is_error, true)
          assert.equal(json.error, 'terms_not_accepted', name)
          assert.equal(json.acceptance_url, acceptance_url)
          assert.ok(json.message.includes(acceptance_url))
        }
      }
      assert.equal((await agent.call('list_apps')).is_error, false)
      assert.equal(await everything(), before)
    } finally {
      await rows(`update sellers set terms_accepted_at = '2026-01-01T00:00:00Z'`)
    }
  })

  test('names the page to become a seller to a person without one', async () => {
    const { affiliate } = service.demo
    const other = await mcpAgent(service, affiliate)
    const { json } = await other.call('update_app_listing', { app_slug: SLUG, tagline: 'Tides' })
    assert.equal(json.error, 'terms_not_accepted')
    const browser = await signedIn(service, affiliate)
    const { status, body } = await browser.open(json.acceptance_url)
    assert.equal(status, 200)
    assert.match(textOf(body), /By saving, you accept the seller terms/)
  })

  test('refuses an unknown argument, and a missing required one', async () => {
    const before = await everything()
    for (const [name, args] of Object.entries(WRITES)) {
      const { json } = await agent.call(name, { ...args, app_slug: SLUG, nonsense: 1 })
      const paths = json.fields.map(({ path }: { path: string }) => path)
      assert.ok(paths.includes('nonsense'), name)
      const none = await agent.call(name, args)
      assert.equal(none.json.fields[0].path, 'app_slug')
    }
    assert.equal(await everything(), before)
  })

  test('an internal error returns the request id and nothing else', async () => {
    await rows('alter table clients rename to clients_away')
    const answer = await post(service, toolCall('get_integration_settings', { app_slug: SLUG }), {
      authorization: `Bearer ${agent.token}`,
    })
    await rows('alter table clients_away rename to clients')
    const { error } = answer.json()
    assert.equal(error.code, -32603)
    assert.equal(error.data.request_id, answer.headers['x-request-id'])
    assert.ok(!answer.body.includes('clients'))
  })
})
