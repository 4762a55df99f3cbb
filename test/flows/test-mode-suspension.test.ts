import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import { decideAboutApp, decideAboutSeller } from '#flows/staff-actions'
import { followLive } from '#flows/test-mode'
import type { AppId, SellerId } from '#platform/ids'
import { Agent } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { mcpAgent } from '../support/mcp.ts'
import { staffActor } from '../support/refunds.ts'
import { type BothModes, openBothModes, sellerInTestMode } from '../support/test-mode.ts'

let modes: BothModes
let seller: Agent
let app_id: AppId
let seller_id: SellerId
before(async () => {
  modes = await openBothModes()
  seller = await sellerInTestMode(modes)
  app_id = modes.live.demo.app.client_id
  seller_id = (await apps.get(modes.live.world.db, app_id)).seller_id
})
after(() => modes.close())

const staff = async () => ({ ...(await staffActor(modes.live)), reason: 'Stolen content.' })

/** Suspends the cast's seller in live mode, or reinstates it, and lets test mode follow. */
async function decide(what: 'suspended' | 'reinstated'): Promise<void> {
  assert.ok(await decideAboutSeller(modes.live.world, await staff(), { seller_id, what }))
  await follow()
}

async function follow(): Promise<void> {
  const { world } = modes.test
  await followLive(world, world.live!)
}

/** What the public gets of the cast's app in test mode: its buy link and its product page. */
async function publicView(): Promise<number[]> {
  const [price] = modes.live.demo.app.prices
  const anyone = new Agent(modes.test.app, modes.test_url)
  const paths = [`/buy/${price!.public_id}/`, '/apps/tidepool/']
  const statuses: number[] = []
  for (const path of paths) statuses.push((await anyone.open(path)).status)
  return statuses
}

test('a seller that staff suspend sells and changes nothing in test mode until it is reinstated', async () => {
  assert.deepEqual(await publicView(), [200, 200])
  await decide('suspended')
  assert.deepEqual(await publicView(), [404, 404])
  const { email } = modes.live.demo.seller
  const agent = await mcpAgent(modes.test, { email })
  const change = { app_slug: 'tidepool', tagline: 'Another one' }
  const refused = await agent.call('update_app_listing', change)
  assert.equal(refused.json.error, 'seller_suspended')
  await decide('reinstated')
  assert.deepEqual(await publicView(), [200, 200])
  assert.equal((await agent.call('update_app_listing', change)).is_error, false)
})

test('a suspension reaches test mode while no member of the seller uses it', async () => {
  await seller.open('/dashboard/')
  await seller.submit('Sign out')
  await decide('suspended')
  assert.deepEqual(await publicView(), [404, 404])
  await decide('reinstated')
  assert.deepEqual(await publicView(), [200, 200])
})

test('an app that staff suspend is not for sale in test mode, and its seller’s others are', async () => {
  const { world } = modes.live
  assert.ok(await decideAboutApp(world, await staff(), { app_id, what: 'suspended' }))
  await follow()
  assert.deepEqual(await publicView(), [404, 404])
  const { db } = modes.test.world
  const other = await apps.get(db, modes.live.demo.sign_in_app.client_id)
  assert.equal(other.is_suspended, false)
  assert.ok(await decideAboutApp(world, await staff(), { app_id, what: 'reinstated' }))
  await follow()
  assert.deepEqual(await publicView(), [200, 200])
})

test('an app that is copied to test mode while its seller is suspended is suspended too', async () => {
  await sellerInTestMode(modes)
  await decide('suspended')
  const { client_id: late } = await addApp(modes.live, { slug: 'late' })
  await follow()
  const { is_suspended, suspended_at } = await apps.get(modes.test.world.db, late)
  assert.deepEqual({ is_suspended, suspended_at }, { is_suspended: true, suspended_at: null })
  await decide('reinstated')
  assert.equal((await apps.get(modes.test.world.db, late)).is_suspended, false)
})
