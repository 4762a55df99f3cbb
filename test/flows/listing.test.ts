import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import {
  describeProduct,
  readListing,
  readVersions,
  replaceFeatures,
  replaceSections,
  replaceVersions,
  updateListing,
} from '#flows/listing'
import type { ActorOf } from '#platform/audit'
import { sql } from '#platform/sql'
import { addApp } from '../support/apps.ts'
import {
  asVersionInput,
  faultPaths,
  ownApp,
  requireWritten,
  sellersTables,
} from '../support/listing.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { untilAnnounced } from '../support/until-announced.ts'

let service: TestService
let app: apps.App
let actor: ActorOf<'seller'>
before(async () => {
  service = await openTestService()
  ;({ app, actor } = await ownApp(service))
})
after(() => service.close())

const listing = async () => await readListing(service.world.db, (await ownApp(service)).app)
const versions = async () => await readVersions(service.world.db, app.id)
const active = async () => (await versions()).filter(({ is_active }) => is_active)

const update = (changes: Parameters<typeof updateListing>[2]['changes'], dry_run = false) =>
  updateListing(service.world, actor, { app, changes, dry_run })

const replace = (given: Parameters<typeof replaceVersions>[2]['versions'], dry_run = false) =>
  replaceVersions(service.world, actor, { app, versions: given, dry_run })

describe('the texts and names of a listing', () => {
  test('changes given fields, keeps omitted ones, and records the change', async () => {
    const earlier = await listing()
    const { state, change_id, changed, removed } = requireWritten(
      await update({ tagline: ' Tides, simply put ', tags: ['Tides', 'Rock pools'] }),
    )
    const tags = ['tides', 'Rock pools']
    assert.deepEqual(state, { ...earlier, tagline: 'Tides, simply put', tags })
    assert.deepEqual(await listing(), state)
    assert.deepEqual(changed, [
      { path: 'tagline', before: earlier.tagline, after: state.tagline },
      { path: 'tags', before: earlier.tags, after: state.tags },
    ])
    assert.deepEqual(removed, [
      { kind: 'tag', id: null, name: 'beaches' },
      { kind: 'tag', id: null, name: 'field notes' },
    ])
    const change = await apps.findChange(service.world.db, { app_id: app.id, id: change_id! })
    const { sections: _, features: __, ...before } = earlier
    assert.deepEqual(change?.before, before)
    assert.deepEqual(change?.after, { ...before, tagline: state.tagline, tags: state.tags })
    assert.deepEqual(
      [change?.action, change?.user_id, change?.request_id, change?.agent],
      ['listing.updated', actor.user_id, 'req_test', null],
    )
  })

  test('the public profile changes immediately', async () => {
    const url = `/api/v1/public/apps/${app.id}/`
    await service.app.inject(url)
    requireWritten(await update({ tagline: 'Low water' }))
    const ask = async () => (await service.app.inject(url)).json()
    await untilAnnounced(ask, ({ tagline }) => tagline === 'Low water')
  })

  test('the same values again change nothing and record nothing', async () => {
    const { tagline, tags } = await listing()
    const digest = await sellersTables(service.world)
    const { change_id, changed } = requireWritten(await update({ tagline, tags }))
    assert.deepEqual([change_id, changed], [null, []])
    assert.equal(await sellersTables(service.world), digest)
  })

  test('an empty list clears its kind and no other', async () => {
    const { categories } = await listing()
    const { state } = requireWritten(await update({ tags: [] }))
    assert.deepEqual([state.tags, state.categories], [[], categories])
  })

  test('a name is shared by all apps in the spelling of its first use', async () => {
    const other = await addApp(service, { slug: 'sharing' })
    const { app: sharing } = await ownApp(service, 'sharing')
    assert.equal(sharing.id, other.client_id)
    const changes = { categories: ['OUTDOORS'], industries: ['outdoors'] }
    const facts = { app: sharing, changes, dry_run: false }
    const { state } = requireWritten(await updateListing(service.world, actor, facts))
    assert.deepEqual([state.categories, state.industries], [['Outdoors'], ['outdoors']])
  })

  test('reports every error and writes nothing', async () => {
    const digest = await sellersTables(service.world)
    const outcome = await update({
      tagline: 'x'.repeat(121),
      description: 'x'.repeat(1001),
      categories: ['fine', ''],
      tags: ['a', 'A'],
    })
    const at = ['tagline', 'description', 'categories[1]', 'tags[1]']
    assert.deepEqual(faultPaths(outcome), at)
    assert.equal(await sellersTables(service.world), digest)
  })

  test('external mode needs the approval for external sales', async () => {
    await addApp(service, { slug: 'unapproved', external_sales_enabled: false })
    const { app: unapproved } = await ownApp(service, 'unapproved')
    const set = async (listing_mode: apps.ListingMode, dry_run = false) =>
      await updateListing(service.world, actor, {
        app: unapproved,
        changes: { listing_mode, tagline: 'x' },
        dry_run,
      })
    // It has been external since before there were approvals, and may stay so.
    assert.equal(requireWritten(await set('external')).state.listing_mode, 'external')
    const [warning] = requireWritten(await set('marketplace', true)).warnings
    assert.match(warning!, /only support can change it back to external/)
    assert.equal(requireWritten(await set('marketplace')).state.listing_mode, 'marketplace')
    assert.deepEqual(faultPaths(await set('external')), ['listing_mode'])
    assert.deepEqual(requireWritten(await update({ listing_mode: 'external' })).warnings, [])
    assert.equal(requireWritten(await update({ listing_mode: 'marketplace' })).warnings.length, 0)
  })
})

describe('detail sections and the feature table', () => {
  test('sections are sanitized, and removed sections are listed in the result', async () => {
    const { sections } = await listing()
    const body = '<p onclick=x>Now <script>y</script><a href="javascript:z">here</a></p>'
    const facts = { app, sections: [{ title: sections[0]!.title, body }], dry_run: false }
    const { state, removed } = requireWritten(await replaceSections(service.world, actor, facts))
    const clean = { title: sections[0]!.title, body: '<p>Now here</p>' }
    assert.deepEqual(state.sections, [clean])
    assert.deepEqual(removed, [{ kind: 'section', id: null, name: sections[1]!.title }])
    const rows = await service.world.db.rows(
      sql`select title, body from listing_sections where app_id = ${app.id}`,
    )
    assert.deepEqual(rows, [clean])
  })

  test('a body that was stored unsanitized is sanitized before it is shown', async () => {
    await service.world.db.run(
      sql`update listing_sections set body = '<p>a<img src=x onerror=y></p>' where app_id = ${app.id}`,
    )
    assert.equal((await listing()).sections[0]!.body, '<p>a</p>')
  })

  test("the feature table accepts only this app's products on sale, by either ID", async () => {
    const other = await addApp(service, { slug: 'unrelated' })
    const [free, pro] = await active()
    const legacy_id = '0b8b2f8e-51a5-4a53-9d19-2f1c2a6b7c11'
    await service.world.db.run(
      sql`update products set legacy_id = ${legacy_id} where id = ${pro!.product_public_id}`,
    )
    const set = async (product_ids: string[]) =>
      await replaceFeatures(service.world, actor, {
        app,
        features: [{ name: 'Tides', description: '', product_ids }],
        dry_run: false,
      })
    assert.deepEqual(faultPaths(await set([other.product_id, 'prod_x\0', legacy_id])), [
      'features[0].product_ids[0]',
      'features[0].product_ids[1]',
    ])
    const { state, removed } = requireWritten(await set([free!.product_public_id, legacy_id]))
    const product_ids = [free!.product_public_id, pro!.product_public_id]
    assert.deepEqual(state.features, [{ name: 'Tides', description: '', product_ids }])
    assert.equal(removed.length, 3)
    assert.deepEqual([...new Set(removed.map(({ kind }) => kind))], ['feature'])
    const none = { app, features: [], dry_run: false }
    assert.deepEqual(
      requireWritten(await replaceFeatures(service.world, actor, none)).state.features,
      [],
    )
  })
})

describe('a dry run', () => {
  test('returns what the write returns, and saves nothing', async () => {
    const [, second] = await active()
    const changes = { tagline: 'Rehearsed', tags: ['one', 'two'], categories: [] }
    const given = [{ ...asVersionInput(second!), name: 'Renamed' }]
    const actions = [
      (dry_run: boolean) => update(changes, dry_run),
      (dry_run: boolean) => replace(given, dry_run),
      (dry_run: boolean) => replaceSections(service.world, actor, { app, sections: [], dry_run }),
      (dry_run: boolean) =>
        describeProduct(service.world, actor, {
          app,
          product_id: second!.product_public_id,
          description: 'Rehearsed',
          dry_run,
        }),
    ]
    for (const action of actions) {
      const digest = await sellersTables(service.world)
      const rehearsed = requireWritten<unknown>(await action(true))
      assert.equal(await sellersTables(service.world), digest)
      const done = requireWritten<unknown>(await action(false))
      assert.notEqual(await sellersTables(service.world), digest)
      assert.equal(rehearsed.change_id, null)
      assert.match(done.change_id!, /^chg_/)
      assert.deepEqual({ ...rehearsed, change_id: null }, { ...done, change_id: null })
    }
  })
})

describe('the log of changes', () => {
  test('lists the changes of an app newest first, page by page', async () => {
    const { db } = service.world
    const all = await apps.changesOf(db, app.id, { limit: 100 })
    const first = await apps.changesOf(db, app.id, { limit: 2 })
    const rest = await apps.changesOf(db, app.id, { before_id: first[1]!.id, limit: 100 })
    assert.deepEqual([...first, ...rest], all)
    assert.ok(all.length > 8)
    const foreign = await addApp(service, { slug: 'no-changes' })
    assert.deepEqual(await apps.changesOf(db, foreign.client_id, { limit: 9 }), [])
    const own = { app_id: foreign.client_id, id: all[0]!.id }
    assert.equal(await apps.findChange(db, own), undefined)
  })

  test('a recorded change can be neither altered nor deleted', async () => {
    const { db } = service.world
    await assert.rejects(db.run(sql`update app_changes set agent = 'x'`), /append only/)
    await assert.rejects(db.run(sql`delete from app_changes`), /append only/)
  })
})
