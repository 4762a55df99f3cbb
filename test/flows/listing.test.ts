import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import type { LicenseStatus } from '#domain/licensing'
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
import type { PriceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { announced } from '../support/announced.ts'
import { addApp } from '../support/apps.ts'
import { forceStatus } from '../support/licenses.ts'
import { again, faultPaths, ownApp, sellersTables, written } from '../support/listing.ts'
import { buyer, enterCard, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

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
const prices = async () =>
  (await service.app.inject(`/api/v1/public/apps/${app.id}/prices/`)).json() as {
    prices: { public_id: PriceId; amount: string; product_name: string }[]
  }

const MONTHLY = [{ amount: '9.00', frequency: 'month' }]

async function buy(price_id: PriceId, email: string, card?: string) {
  const agent = buyer(service)
  await agent.open(`/buy/${price_id}/`)
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent, card)
  return await agent.submit(/^Pay /)
}

describe('the texts and names of a listing', () => {
  test('changes given fields, keeps omitted ones, and records the change', async () => {
    const earlier = await listing()
    const { state, change_id, changed, removed } = written(
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
    written(await update({ tagline: 'Low water' }))
    const ask = async () => (await service.app.inject(url)).json()
    await announced(ask, ({ tagline }) => tagline === 'Low water')
  })

  test('the same values again change nothing and record nothing', async () => {
    const { tagline, tags } = await listing()
    const digest = await sellersTables(service.world)
    const { change_id, changed } = written(await update({ tagline, tags }))
    assert.deepEqual([change_id, changed], [null, []])
    assert.equal(await sellersTables(service.world), digest)
  })

  test('an empty list clears its kind and no other', async () => {
    const { categories } = await listing()
    const { state } = written(await update({ tags: [] }))
    assert.deepEqual([state.tags, state.categories], [[], categories])
  })

  test('a name is shared by all apps in the spelling of its first use', async () => {
    const other = await addApp(service, { slug: 'sharing' })
    const { app: sharing } = await ownApp(service, 'sharing')
    assert.equal(sharing.id, other.client_id)
    const changes = { categories: ['OUTDOORS'], industries: ['outdoors'] }
    const facts = { app: sharing, changes, dry_run: false }
    const { state } = written(await updateListing(service.world, actor, facts))
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
    assert.equal(written(await set('external')).state.listing_mode, 'external')
    const [warning] = written(await set('marketplace', true)).warnings
    assert.match(warning!, /only support can change it back to external/)
    assert.equal(written(await set('marketplace')).state.listing_mode, 'marketplace')
    assert.deepEqual(faultPaths(await set('external')), ['listing_mode'])
    assert.deepEqual(written(await update({ listing_mode: 'external' })).warnings, [])
    assert.equal(written(await update({ listing_mode: 'marketplace' })).warnings.length, 0)
  })
})

describe('detail sections and the feature table', () => {
  test('sections are sanitized, and removed sections are listed in the result', async () => {
    const { sections } = await listing()
    const body = '<p onclick=x>Now <script>y</script><a href="javascript:z">here</a></p>'
    const facts = { app, sections: [{ title: sections[0]!.title, body }], dry_run: false }
    const { state, removed } = written(await replaceSections(service.world, actor, facts))
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
    const { state, removed } = written(await set([free!.product_public_id, legacy_id]))
    const product_ids = [free!.product_public_id, pro!.product_public_id]
    assert.deepEqual(state.features, [{ name: 'Tides', description: '', product_ids }])
    assert.equal(removed.length, 3)
    assert.deepEqual([...new Set(removed.map(({ kind }) => kind))], ['feature'])
    const none = { app, features: [], dry_run: false }
    assert.deepEqual(written(await replaceFeatures(service.world, actor, none)).state.features, [])
  })
})

describe('versions and prices', () => {
  test('a new amount applies immediately, under the same ID', async () => {
    const [free, pro, lifetime] = await active()
    await prices()
    const dearer = again(pro!)
    dearer.prices[0]!.amount = '15.00'
    const { state, removed, dead_buy_links, changed } = written(
      await replace([again(free!), dearer, again(lifetime!)]),
    )
    assert.deepEqual([removed, dead_buy_links], [[], []])
    const place = 'versions[1].prices[0].amount'
    assert.deepEqual(changed, [{ path: place, before: '12.00', after: '15.00' }])
    const { public_id } = pro!.prices[0]!
    assert.deepEqual(state[1]!.prices[0], { ...pro!.prices[0], amount: '15.00' })
    await announced(prices, ({ prices }) =>
      prices.some((price) => price.public_id === public_id && price.amount === '15.00'),
    )
    const page = await service.app.inject(`/buy/${public_id}/`)
    assert.match(page.body, /\$15\.00/)
  })

  test('omitted products and prices are deleted and listed, their links stop working, and others keep their IDs', async () => {
    const [free, pro, lifetime] = await active()
    const monthly = { ...again(pro!), name: 'Plus', prices: again(pro!).prices.slice(0, 1) }
    const { state, removed, dead_buy_links, changed } = written(
      await replace([monthly, again(free!)]),
    )
    const year = pro!.prices[1]!.public_id
    const once = lifetime!.prices[0]!.public_id
    assert.deepEqual(removed, [
      { kind: 'price', id: year, name: 'Pro, 96.00 USD per year' },
      { kind: 'version', id: lifetime!.product_public_id, name: 'Lifetime' },
      { kind: 'price', id: once, name: 'Lifetime, 180.00 USD once' },
    ])
    assert.deepEqual(dead_buy_links, [year, once])
    // What was added, removed or moved is not reported as if one version had become another.
    const [was_first, was_second] = [free!.product_public_id, pro!.product_public_id]
    assert.deepEqual(changed, [
      { path: 'versions', before: [was_first, was_second], after: [was_second, was_first] },
      { path: 'versions[2]', before: lifetime, after: null },
      { path: 'versions[0].name', before: 'Pro', after: 'Plus' },
      { path: 'versions[0].prices[1]', before: pro!.prices[1], after: null },
    ])
    assert.deepEqual(
      state.map(({ name, is_active }) => [name, is_active]),
      [
        ['Plus', true],
        ['Free', true],
        ['Lifetime', false],
      ],
    )
    assert.equal(state[0]!.product_public_id, pro!.product_public_id)
    assert.equal(state[0]!.description, pro!.description)
    for (const id of dead_buy_links) {
      assert.equal((await service.app.inject(`/buy/${id}/`)).statusCode, 404)
    }
    const reported = await announced(prices, (answer) => answer.prices.length === 1)
    const { public_id, product_name } = reported.prices[0]!
    assert.deepEqual([public_id, product_name], [pro!.prices[0]!.public_id, 'Plus'])
  })

  test('a new version gets IDs, and another version can be the free one', async () => {
    const [plus, free] = await active()
    const weekly = { ...again(plus!), prices: [...again(plus!).prices] }
    weekly.prices.push({ amount: '4.00', frequency: 'week' })
    const basic = { name: 'Basic', is_free: true, prices: [] }
    const { state, removed } = written(await replace([basic, weekly]))
    assert.match(state[0]!.product_public_id, /^prod_[0-9A-Za-z]{22}$/)
    assert.match(state[1]!.prices[0]!.public_id, /^prc_[0-9A-Za-z]{22}$/)
    assert.deepEqual(removed, [{ kind: 'version', id: free!.product_public_id, name: 'Free' }])
    await announced(prices, (answer) => answer.prices.length === 2)
  })

  test('a free and a paid version can be swapped at once', async () => {
    const other = await addApp(service, { slug: 'swap' })
    const { app: swap } = await ownApp(service, 'swap')
    const set = async (given: Parameters<typeof replaceVersions>[2]['versions']) =>
      written(
        await replaceVersions(service.world, actor, {
          app: swap,
          versions: given,
          dry_run: false,
        }),
      ).state
    const price = [{ amount: '5.00', frequency: 'month' }]
    const paid = { product_id: other.product_id, name: 'Harbor Pro', prices: price }
    const [, free] = await set([paid, { name: 'Free', is_free: true, prices: [] }])
    const turned = await set([
      { ...paid, is_free: true, prices: [] },
      { product_id: free!.product_public_id, name: 'Free', is_free: false, prices: price },
    ])
    assert.deepEqual(
      turned.map(({ is_free, prices }) => [is_free, prices.length]),
      [
        [true, 0],
        [false, 1],
      ],
    )
  })

  test('a product of another app is unknown', async () => {
    const other = await addApp(service, { slug: 'not-yours' })
    const foreign = { name: 'X', product_id: other.product_id, prices: MONTHLY }
    const outcome = await replace([...(await active()).map(again), foreign])
    assert.deepEqual(faultPaths(outcome), ['versions[2].product_id'])
  })

  test('a version with an active subscription is kept, and nothing is saved', async () => {
    const bought = await addApp(service, { slug: 'bought' })
    const { app: own } = await ownApp(service, 'bought')
    await buy(bought.price_id, 'keeps@example.com')
    const digest = await sellersTables(service.world)
    const only = { name: 'Other', prices: MONTHLY }
    const left = async (status: LicenseStatus) => {
      await forceStatus(service, status, { email: 'keeps@example.com' })
      const facts = { app: own, versions: [only], dry_run: true }
      return await replaceVersions(service.world, actor, facts)
    }
    for (const status of ['active', 'trialing', 'past_due', 'unpaid', 'paused'] as const) {
      const outcome = await left(status)
      assert.deepEqual(faultPaths(outcome), ['versions'], status)
    }
    assert.equal(await sellersTables(service.world), digest)
    const { removed } = written(await left('canceled'))
    assert.equal(removed[0]!.id, bought.product_id)
    assert.equal(await sellersTables(service.world), digest)
  })

  test('buyers of a one-time price keep their purchase when its version is deleted', async () => {
    const once = await addApp(service, { slug: 'once', frequency: null })
    const { app: own } = await ownApp(service, 'once')
    const page = await buy(once.price_id, 'once@example.com')
    const key = /key_[0-9A-Za-z]{33}/.exec(page.body)![0]
    const only = { name: 'Other', prices: MONTHLY }
    written(
      await replaceVersions(service.world, actor, { app: own, versions: [only], dry_run: false }),
    )
    const pair = Buffer.from(`${once.client_id}:${once.client_secret}`).toString('base64')
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: { authorization: `Basic ${pair}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ key }),
    })
    const { entitled, status, product_id } = answer.json()
    assert.deepEqual([entitled, status, product_id], [true, 'one_time_active', once.product_id])
  })

  test('a version with a pending purchase cannot be deleted', async () => {
    const waiting = await addApp(service, { slug: 'waiting' })
    const { app: own } = await ownApp(service, 'waiting')
    await buy(waiting.price_id, 'waits@example.com', '4000002500003155')
    const only = { name: 'Other', prices: MONTHLY }
    const outcome = await replaceVersions(service.world, actor, {
      app: own,
      versions: [only],
      dry_run: false,
    })
    assert.ok('faults' in outcome)
    assert.match(outcome.faults[0]!.message, /a purchase of it is being confirmed/)
  })

  test('a description changes one version and no other', async () => {
    const [first, second] = await active()
    const facts = { app, product_id: second!.product_public_id, dry_run: false }
    const describe = async (description: string) =>
      await describeProduct(service.world, actor, { ...facts, description })
    const { state, changed } = written(await describe(' Two\r\nlines '))
    assert.deepEqual(changed, [
      { path: 'description', before: second!.description, after: 'Two\nlines' },
    ])
    assert.equal(state[0]!.description, first!.description)
    assert.deepEqual(faultPaths(await describe('x'.repeat(1001))), ['description'])
    const unknown = { ...facts, product_id: 'prod_x', description: 'x'.repeat(1001) }
    assert.deepEqual(faultPaths(await describeProduct(service.world, actor, unknown)), [
      'product_id',
      'description',
    ])
  })
})

describe('a dry run', () => {
  test('returns what the write returns, and saves nothing', async () => {
    const [, second] = await active()
    const changes = { tagline: 'Rehearsed', tags: ['one', 'two'], categories: [] }
    const given = [{ ...again(second!), name: 'Renamed' }]
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
      const rehearsed = written<unknown>(await action(true))
      assert.equal(await sellersTables(service.world), digest)
      const done = written<unknown>(await action(false))
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
