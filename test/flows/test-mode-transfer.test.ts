import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as sellers from '#domain/sellers'
import { followLive, mirror } from '#flows/test-mode'
import { mintId, type SellerId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { basic } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import {
  type BothModes,
  enterTestMode,
  openBothModes,
  sellerId,
  testSecret,
} from '../support/test-mode.ts'

// Guards decisions 100 and 105: an app that is transferred in live mode, in test mode.

let modes: BothModes
let live: TestService
let there: TestService
let count = 0
before(async () => {
  modes = await openBothModes()
  live = modes.live
  there = modes.test
})
after(() => modes.close())

/** An app of the cast's seller in both modes, with a secret of test mode. */
async function newApp(): Promise<OtherApp & { slug: string; secret: string; former: Agent }> {
  const slug = `moving-${++count}`
  const app = await addApp(live, { slug, name: `Moving ${count}` })
  const agent = await signedIn(live, live.demo.seller)
  await agent.open(`/dashboard/apps/${slug}/plans/`)
  const former = await enterTestMode(modes, agent)
  assert.equal(former.page.status, 200)
  const secret = await testSecret(former, slug)
  assert.notEqual((await validate(app, secret)).error, 'invalid_client')
  return { slug, ...app, secret, former }
}

/** The answer of test mode to the server of an app. */
async function validate({ client_id }: OtherApp, client_secret: string) {
  const answer = await there.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(there, { client_id, client_secret }),
    payload: { key: 'none' },
  })
  return answer.json()
}

/** Another seller of live mode. */
async function otherSeller(): Promise<SellerId> {
  const { db, clock, random } = live.world
  const email = `receiver-${++count}@example.com`
  const facts = { email, email_normalized: email, created_via: 'signup' as const }
  const id = mintId(random, 'usr')
  await identity.findOrAddUser(db, clock.now(), { id, ...facts })
  await identity.proveMailbox(db, clock.now(), id)
  await addSellerWithApp(live, { email, slug: `other-${count}` })
  return (await sellers.membershipsOf(db, id))[0]!.seller_id
}

async function assertMoved(app: Awaited<ReturnType<typeof newApp>>, seller_id: SellerId) {
  const { slug, client_id, former, secret } = app
  assert.equal((await apps.get(there.world.db, client_id)).seller_id, seller_id)
  assert.equal((await former.open(`/dashboard/apps/${slug}/plans/`)).status, 404)
  assert.equal((await validate(app, secret)).error, 'invalid_client')
}

test('the former seller loses a transferred app when the new one enters', async () => {
  const app = await newApp()
  const to = await otherSeller()
  await apps.setSeller(live.world.db, app.client_id, to)
  await mirror(there.world, there.world.live!, to)
  await assertMoved(app, to)
})

test('the former seller loses a transferred app when only its own members use test mode', async () => {
  const app = await newApp()
  const to = await otherSeller()
  await apps.setSeller(live.world.db, app.client_id, to)
  await followLive(there.world, there.world.live!)
  await assertMoved(app, to)
})

test('two sellers that exchanged apps each have their own', async () => {
  const app = await newApp()
  const to = await otherSeller()
  const from = await sellerId(live)
  await mirror(there.world, there.world.live!, to)
  const [other] = await apps.idsOf(live.world.db, to)
  await apps.setSeller(live.world.db, app.client_id, to)
  await apps.setSeller(live.world.db, other!, from)
  await mirror(there.world, there.world.live!, from)
  await assertMoved(app, to)
  assert.equal((await apps.get(there.world.db, other!)).seller_id, from)
})

test('the new seller does not see the files that the former one imported in test mode', async () => {
  const app = await newApp()
  const { db, clock, random } = there.world
  const { user_id, seller_id } = await db.one<{ user_id: UserId; seller_id: SellerId }>(sql`
    select m.user_id, m.seller_id from apps a join seller_members m on m.seller_id = a.seller_id where a.id = ${app.client_id} limit 1`)
  const id = mintId(random, 'imp')
  const file = { file_name: 'a.csv', file_bytes: 10, columns: ['Email'], matched: {}, rows: 0 }
  const own = { id, app_id: app.client_id, seller_id, user_id, ...file } as const
  await imports.addImport(db, clock.now(), { ...own, source: 'gumroad' })
  assert.notEqual(await imports.findImport(db, { id, app_id: app.client_id }), undefined)
  const to = await otherSeller()
  await apps.setSeller(live.world.db, app.client_id, to)
  await mirror(there.world, there.world.live!, to)
  assert.equal(await imports.findImport(db, { id, app_id: app.client_id }), undefined)
  assert.equal(await imports.countImports(db, app.client_id), 0)
})
