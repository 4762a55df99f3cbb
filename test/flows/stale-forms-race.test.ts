import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { readListing, updateListing } from '#flows/listing'
import type { Db } from '#platform/db'
import type { Agent, Seen } from '../support/agent.ts'
import { untilBlocked } from '../support/blocked.ts'
import { SERVER_URL } from '../support/database.ts'
import { ownApp, requireWritten } from '../support/listing.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// The embedded database has one connection, on which transactions queue: nothing races there.
const skip =
  SERVER_URL === undefined && 'only PostgreSQL runs transactions side by side (TEST_DATABASE_URL)'

const APP = '/dashboard/apps/tidepool/'

describe('of two forms that are sent at once', { skip }, () => {
  let service: TestService
  let agent: Agent
  before(async () => {
    service = await openTestService()
    agent = await signedIn(service, service.demo.seller)
  })
  after(() => service.close())

  /** Sends forms one after the other, so that each reads what is saved before one can write. */
  async function atOnce(
    lock: (tx: Db) => Promise<unknown>,
    ...sends: (() => Promise<Seen>)[]
  ): Promise<Seen[]> {
    const [locked, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = service.world.db.tx(async (tx) => {
      await lock(tx)
      locked.resolve()
      await all.promise
    })
    await locked.promise
    const { db } = service.world
    const sent: Promise<Seen>[] = []
    for (const send of sends) {
      sent.push(send())
      await untilBlocked(db, db, sent.length)
    }
    all.resolve()
    await holding
    return await Promise.all(sent)
  }

  const editingLock = (tx: Db) => apps.lockForEditing(tx, service.demo.app.client_id)

  const lists = {
    sections: { label: 'Save sections', field: 'sections.0.title' },
    features: { label: 'Save table', field: 'features.0.name' },
  }
  for (const [list, { label, field }] of Object.entries(lists)) {
    test(`one asks before it replaces the ${list} of the other`, async () => {
      await agent.open(`${APP}listing/${list}/`)
      const tabs = [agent.tab(), agent.tab()]
      const rows = Object.keys(agent.form(label)).filter((name) => name.endsWith('.title'))
      const bodies = rows.map((name) => [name.replace(/title$/, 'body'), 'Text'])
      const texts = Object.fromEntries(bodies)
      const send = (tab: Agent, at: number) => () =>
        tab.submit(label, { ...texts, [field]: `Tab ${at}` })
      const seen = await atOnce(editingLock, ...tabs.map(send))
      assert.deepEqual(seen.map(({ status }) => status).sort(), [200, 409])
      const asked = tabs[seen.findIndex(({ status }) => status === 409)]!
      const saved = JSON.stringify(await readListing(service.world.db, (await ownApp(service)).app))
      const first = /Tab (\d)/.exec(saved)![0]
      assert.ok(asked.text.includes(first), 'it shows what the other saved')
      assert.ok((await asked.submit(label, texts)).url.includes(`done=${list}`))
    })
  }

  test('one undo shows again what it would change', async () => {
    const { world } = service
    const { app, actor } = await ownApp(service)
    const save = async (tagline: string) =>
      requireWritten(
        await updateListing(world, actor, { app, changes: { tagline }, dry_run: false }),
      )
    await save('First')
    await save('Second')
    const tab = await agent.openTab(`${APP}changes/`)
    await tab.press('Undo this change')
    const form = await agent.openTab(`${APP}listing/`)
    const [saved, undone] = await atOnce(
      editingLock,
      () => form.submit('Save listing', { tagline: 'Third' }),
      () => tab.submit('Undo this change'),
    )
    assert.match(saved!.url, /done=listing/)
    assert.equal(undone!.status, 409)
    assert.equal((await ownApp(service)).app.tagline, 'Third')
  })

  test('each saves only the seller’s details that it changed', async () => {
    const { seller_id } = (await ownApp(service)).app
    const tabs = [
      await agent.openTab('/dashboard/seller/'),
      await agent.openTab('/dashboard/seller/'),
    ]
    await atOnce(
      (tx) => sellers.lockSeller(tx, seller_id),
      () => tabs[0]!.submit('Save', { legal_name: 'Tidepool Labs LLC' }),
      () => tabs[1]!.submit('Save', { address: '9 Harbor Road' }),
    )
    const { legal_name, address } = (await sellers.findSeller(service.world.db, seller_id))!
    assert.deepEqual([legal_name, address], ['Tidepool Labs LLC', '9 Harbor Road'])
  })
})
