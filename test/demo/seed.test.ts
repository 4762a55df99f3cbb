import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { type DemoFacts, seedCast } from '../../src/demo/seed.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let demo: DemoFacts

/** Starts the demo again, with what the first start wrote to `demo.json` unless told otherwise. */
async function restart(changes: { kept?: DemoFacts | undefined; site?: string } = {}) {
  const { site = demo.sample_site_url } = changes
  const kept = 'kept' in changes ? changes.kept : demo
  const { sign_in_site_url } = demo
  return await seedCast(service.world, { sample_site_url: site, sign_in_site_url, kept })
}

const appNow = async () => (await apps.find(service.world.db, demo.app.client_id))!

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
})
