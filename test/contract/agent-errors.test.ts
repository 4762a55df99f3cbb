import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import * as apps from '#domain/apps'
import { addSeconds } from '#platform/calendar'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { callTool } from '../../src/surfaces/mcp/call.ts'
import type { Tool } from '../../src/surfaces/mcp/tool.ts'
import { addApp } from '../support/apps.ts'
import { type McpAgent, mcpAgent, post, toolCall } from '../support/mcp.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SLUG = 'tidepool'

let service: TestService
let agent: McpAgent
before(async () => {
  service = await openTestService()
  agent = await mcpAgent(service, { email: service.demo.seller.email })
})
after(() => service.close())

test('a call that fails after it saved does not say that nothing was saved', async () => {
  const { db } = service.world
  const oauth_login_url = 'https://tidepool.example/other-login'
  const call = toolCall('update_integration_settings', { app_slug: SLUG, oauth_login_url })
  // Read for the answer, once the change is saved.
  await db.raw('alter table prices rename to prices_away')
  const answer = await post(service, call, { authorization: `Bearer ${agent.token}` })
  await db.raw('alter table prices_away rename to prices')
  const { error } = answer.json()
  assert.match(error.message, /The change may have been saved: read the current state/)
  const app = await apps.find(db, service.demo.app.client_id)
  assert.equal(app?.oauth_login_url, oauth_login_url)
})

test('a call during an outage of the database says when to retry', async () => {
  const { db, clock } = service.world
  const { user_id } = await db.one<{ user_id: UserId }>(sql`select id as user_id from users
    where email_normalized = ${service.demo.seller.email}`)
  const scopes = ['integrations.write']
  const bearer = { user_id, client_id: 'c', scopes, expires_at: addSeconds(clock.now(), 60) }
  const caller = { bearer, request_id: 'req_1', agent: 'a' }
  const callOf = (writes: boolean): Tool => ({
    name: 'interrupted',
    title: '',
    description: '',
    scope: 'integrations.write',
    writes,
    destructive: false,
    idempotent: true,
    input: z.strictObject({}),
    output: z.strictObject({}),
    run: () => Promise.reject(Object.assign(new Error('terminated'), { code: '57P01' })),
  })
  const messageOf = async (writes: boolean) => {
    const { content, isError } = await callTool(service.world, caller, {
      tool: callOf(writes),
      args: {},
    })
    assert.equal(isError, true)
    const [part] = content
    assert.ok(part?.type === 'text')
    const { error, message } = JSON.parse(part.text)
    assert.equal(error, 'service_unavailable')
    return message as string
  }
  assert.match(await messageOf(false), /Try again in a few seconds\.$/)
  assert.match(await messageOf(true), /Try again in a few seconds\. The change may have been saved/)
})

test('a NUL in one argument hides no other fault of a call', async () => {
  const pathsOf = async (tool: string, args: object) => {
    const { is_error, json } = await agent.call(tool, args)
    assert.ok(is_error, JSON.stringify(json))
    return json.fields.map(({ path }: { path: string }) => path).toSorted()
  }
  const features = [{ name: 'a\0b' }, { name: '' }, { name: 'c', product_ids: 'prod_\0' }]
  for (const [tool, args, paths] of [
    [
      'update_app_listing',
      { tagline: 'a\0b', description: 'x'.repeat(1001), tags: 3, color: '\0' },
      ['color', 'description', 'tagline', 'tags'],
    ],
    [
      'replace_feature_table',
      { features },
      ['features[0].name', 'features[1].name', 'features[2].product_ids'],
    ],
    ['get_app_listing', { app_slug: `${SLUG}\0`, '\0': 1 }, ['', '\0', 'app_slug']],
    ['update_app_listing', { tagline: '\0', dry_run: false }, ['tagline']],
  ] as const) {
    assert.deepEqual(await pathsOf(tool, { app_slug: SLUG, ...args }), paths)
  }
})

test('a field of the wrong type is listed once, whatever its length', async () => {
  for (const app_slug of [[], ['x'.repeat(80)], 7]) {
    const { json } = await agent.call('list_products', { app_slug })
    assert.match(json.message, /^1 invalid field\./)
    assert.match(json.fields[0].message, /must be a string, not an? (array|number)/)
  }
})

test('a NUL outside of the arguments of a call is refused before the call', async () => {
  for (const message of [
    { ...toolCall('list_apps', {}), id: '\0' },
    [toolCall('list_apps', { app_slug: '\0' }), toolCall('list_apps\0', {})],
  ]) {
    const answer = await post(service, message, { authorization: `Bearer ${agent.token}` })
    assert.equal(answer.statusCode, 400)
    assert.match(answer.json().fields.at(-1).message, /U\+0000/)
  }
})

test('the first client secret of an app removes none', async () => {
  await addApp(service, { slug: 'harbor' })
  await service.world.db.run(sql`update clients set secret_hash = null
    where app_id = (select id from apps where slug = 'harbor')`)
  const removed = async (more = {}) => {
    const { json } = await agent.call('regenerate_client_secret', { app_slug: 'harbor', ...more })
    return json.removed.length
  }
  assert.deepEqual(
    [await removed({ dry_run: true }), await removed(), await removed({ dry_run: true })],
    [0, 0, 1],
  )
})

test('an unknown app is listed with the other invalid fields of a call', async () => {
  const fields = async (name: string, args: Record<string, unknown>) => {
    const { json } = await agent.call(name, args)
    assert.equal(json.error, 'invalid_request')
    return json.fields.map(({ path }: { path: string }) => path)
  }
  const unknown = { app_slug: 'nowhere', tags: 'none' }
  assert.deepEqual(await fields('update_app_listing', unknown), ['tags', 'app_slug'])
  assert.deepEqual(await fields('update_app_listing', { ...unknown, app_slug: SLUG }), ['tags'])
  assert.deepEqual(await fields('get_app_listing', { app_slug: 'nowhere', more: 1 }), [
    'more',
    'app_slug',
  ])
})
