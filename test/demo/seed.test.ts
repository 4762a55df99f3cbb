import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { appsWithFormerSecret, type DemoFacts, seedCast } from '../../src/demo/seed.ts'
import { demoText } from '../../src/demo/start.ts'
import { textOf } from '../support/agent.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let demo: DemoFacts

/** Starts the demo again, by default with what the first start wrote to `demo.json`. */
async function restart(
  changes: { kept?: DemoFacts | undefined; site?: string; sign_in_site?: string } = {},
) {
  const { site = demo.sample_site_url, sign_in_site = demo.sign_in_site_url } = changes
  const kept = 'kept' in changes ? changes.kept : demo
  const urls = { sample_site_url: site, sign_in_site_url: sign_in_site }
  return await seedCast(service.world, { ...urls, kept })
}

const appNow = async () => await apps.get(service.world.db, demo.app.client_id)

test('the product page of the demo recommends a plan', async (t) => {
  const fresh = await openTestService()
  t.after(() => fresh.close())
  const { body } = await fresh.app.inject({ url: `/apps/${fresh.demo.app.slug}/` })
  assert.match(textOf(body), /Pro Recommended/)
})

describe('a restart of the demo', () => {
  beforeEach(async () => {
    await service?.close()
    service = await openTestService()
    demo = service.demo
  })
  after(() => service?.close())

  test('keeps an app that its seller unpublished', async () => {
    const { db } = service.world
    await apps.setOnSale(db, demo.app.client_id, { ...(await appNow()), is_published: false })
    assert.deepEqual(await restart(), demo)
    assert.equal((await appNow()).is_published, false)
  })

  test('keeps an app that its seller archived, or that staff suspended', async () => {
    const { db, clock } = service.world
    await apps.setArchived(db, demo.app.client_id, clock.now())
    await apps.setSuspended(db, demo.sign_in_app.client_id, clock.now())
    assert.deepEqual(await restart(), demo)
  })

  test('finds an app under the slug that its seller gave it', async () => {
    const { db } = service.world
    await apps.setDetails(db, demo.app.client_id, { ...(await appNow()), slug: 'rockpool' })
    const { app } = await restart()
    assert.deepEqual(app, { ...demo.app, slug: 'rockpool' })
  })

  test('finds an unpublished app without the file of the first start', async () => {
    const { db } = service.world
    await apps.setOnSale(db, demo.app.client_id, { ...(await appNow()), is_published: false })
    const { app } = await restart({ kept: undefined })
    assert.equal(app.client_id, demo.app.client_id)
  })

  test('keeps the URLs that their seller entered', async () => {
    const { db } = service.world
    const { client_id } = demo.sign_in_app
    const oauth_login_url = 'http://localhost:3000/login'
    await apps.setLoginUrl(db, demo.app.client_id, oauth_login_url)
    const client = await apps.getClientOf(db, client_id)
    const redirect_uris = ['http://localhost:3000/callback', ...client.redirect_uris]
    await apps.setRedirectLists(db, client_id, { ...client, redirect_uris })
    await restart()
    assert.equal((await appNow()).oauth_login_url, oauth_login_url)
    const lists = await apps.getClientOf(db, client_id)
    assert.deepEqual(lists.redirect_uris.toSorted(), redirect_uris.toSorted())
  })

  test('keeps a client secret that its seller replaced or revoked, and says so', async () => {
    const { db } = service.world
    const ids = [demo.app.client_id, demo.sign_in_app.client_id]
    assert.deepEqual(await appsWithFormerSecret(db, demo), [])
    await apps.replaceSecret(db, ids[0]!, 'another secret')
    await apps.revokeSecret(db, ids[1]!)
    const hashes = async () =>
      await Promise.all(ids.map(async (id) => (await apps.getClientOf(db, id)).secret_hash))
    const before = await hashes()
    assert.deepEqual(await restart(), demo)
    assert.deepEqual(await hashes(), before)
    const former = await appsWithFormerSecret(db, demo)
    assert.deepEqual(former, [demo.app, demo.sign_in_app])
    assert.match(demoText(demo, { file: 'demo.json', former }), /client secret of tidepool was/)
  })

  test('creates the client secrets that its file lacks', async () => {
    const { client_secret: _, ...app } = demo.app
    const facts = await restart({ kept: { ...demo, app } as DemoFacts })
    assert.notEqual(facts.app.client_secret, demo.app.client_secret)
    assert.deepEqual(await appsWithFormerSecret(service.world.db, facts), [])
    assert.deepEqual(await appsWithFormerSecret(service.world.db, demo), [demo.app])
  })

  test('moves the URLs of its sites to other ports', async () => {
    const { db } = service.world
    const { client_id } = demo.sign_in_app
    const [site, sign_in_site] = ['http://localhost:5001', 'http://localhost:5002']
    await restart({ site, sign_in_site })
    assert.equal((await appNow()).oauth_login_url, `${site}/login`)
    const { redirect_uris, post_logout_redirect_uris } = await apps.getClientOf(db, client_id)
    assert.deepEqual(redirect_uris, [`${sign_in_site}/auth/callback`])
    assert.deepEqual(post_logout_redirect_uris, [`${sign_in_site}/`])
  })
})
