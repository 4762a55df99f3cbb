import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import {
  type AppListing,
  describeProduct,
  type ListedVersion,
  type ListingWriteResult,
  readListing,
  readVersions,
  replaceFeatures,
  replaceSections,
  replaceVersions,
  revertChange,
  updateListing,
} from '#flows/listing'
import type { ActorOf } from '#platform/audit'
import type { ChangeId } from '#platform/ids'
import { sql } from '#platform/sql'
import { addApp } from '../support/apps.ts'
import { testId } from '../support/ids.ts'
import {
  asVersionInput,
  faultPaths,
  ownApp,
  requireWritten,
  sellersTables,
} from '../support/listing.ts'
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
const active = async (app_id = app.id) =>
  (await readVersions(service.world.db, app_id)).filter(({ is_active }) => is_active)
const revert = async (change_id: ChangeId | null) =>
  await revertChange(service.world, actor, { app, change_id: change_id! })
const update = async (changes: Parameters<typeof updateListing>[2]['changes']) =>
  requireWritten(await updateListing(service.world, actor, { app, changes, dry_run: false }))
const replace = async (given: Parameters<typeof replaceVersions>[2]['versions']) =>
  requireWritten(
    await replaceVersions(service.world, actor, { app, versions: given, dry_run: false }),
  )
const listed = (outcome: Awaited<ReturnType<typeof revert>>) =>
  requireWritten<AppListing | ListedVersion[]>(
    outcome as ListingWriteResult<AppListing | ListedVersion[]>,
  )

describe('undoing', () => {
  test('restores texts and names, and keeps later changes', async () => {
    const earlier = await listing()
    const { change_id } = await update({ tagline: 'Mistaken', tags: [] })
    await update({ description: 'Written later' })
    const undone = listed(await revert(change_id))
    assert.deepEqual(undone.state, { ...earlier, description: 'Written later' })
    const { db } = service.world
    const change = await apps.findChange(db, { app_id: app.id, id: undone.change_id! })
    assert.deepEqual([change?.action, change?.reverts], ['listing.updated', change_id])
    assert.deepEqual(
      listed(await revert(undone.change_id)).changed.map(({ path }) => path),
      ['tagline', 'tags'],
    )
    await update({ description: earlier.description, tagline: earlier.tagline, tags: earlier.tags })
  })

  test('restores sections, features and descriptions', async () => {
    const earlier = await listing()
    const [first] = await active()
    const { world } = service
    const order = { app, dry_run: false }
    const product_id = first!.product_public_id
    const changes = [
      requireWritten(await replaceSections(world, actor, { ...order, sections: [] })),
      requireWritten(await replaceFeatures(world, actor, { ...order, features: [] })),
      requireWritten(
        await describeProduct(world, actor, { ...order, product_id, description: 'x' }),
      ),
    ]
    for (const { change_id } of changes) listed(await revert(change_id))
    assert.deepEqual(await listing(), earlier)
    assert.deepEqual((await active())[0], first)
  })

  test('restores deleted versions and prices under their ids, with their buy links', async () => {
    const earlier = await active()
    await service.world.db.run(sql`update products set trial_days = 14
      where id = ${earlier[1]!.product_public_id}`)
    const before = await active()
    const { change_id, dead_buy_links } = await replace([
      { name: 'Only', is_free: false, prices: [{ amount: '3.00', frequency: 'week' }] },
    ])
    assert.equal(dead_buy_links.length, 3)
    const undone = listed(await revert(change_id))
    assert.deepEqual(await active(), before)
    for (const id of dead_buy_links) {
      assert.equal((await service.app.inject(`/buy/${id}/`)).statusCode, 200)
    }
    assert.deepEqual(
      undone.removed.map(({ kind }) => kind),
      ['version', 'price'],
    )
  })

  test('restores a price that another one replaced', async () => {
    const before = await active()
    const [free, pro, lifetime] = before.map(asVersionInput)
    const { change_id } = await replace([free!, { ...pro!, prices: [pro!.prices[0]!] }, lifetime!])
    const { state } = await replace([free!, pro!, lifetime!])
    const later = state[1]!.prices[1]!.public_id
    assert.notEqual(later, before[1]!.prices[1]!.public_id)
    const { dead_buy_links } = listed(await revert(change_id))
    assert.deepEqual(dead_buy_links, [later])
    assert.deepEqual(await active(), before)
  })

  test('a version that turned free gets its prices and its trial back', async () => {
    const [free, pro, lifetime] = await active()
    const { change_id } = await replace([
      { ...asVersionInput(pro!), is_free: true, prices: [] },
      asVersionInput(lifetime!),
    ])
    assert.equal((await active())[0]!.trial_days, 0)
    listed(await revert(change_id))
    assert.deepEqual(await active(), [free, pro, lifetime])
  })

  test('a repeated undo changes nothing', async () => {
    const { change_id } = await update({ tagline: 'Mistaken again' })
    listed(await revert(change_id))
    const digest = await sellersTables(service.world)
    assert.equal(listed(await revert(change_id)).change_id, null)
    assert.equal(await sellersTables(service.world), digest)
  })
})

describe('what cannot be undone', () => {
  test('keeps a version that has a subscription', async () => {
    const given = (await active()).map(asVersionInput)
    const fresh = { name: 'Team', prices: [{ amount: '30.00', frequency: 'month' }] }
    const { change_id, state } = await replace([...given, fresh])
    const agent = buyer(service)
    await agent.open(`/buy/${state[3]!.prices[0]!.public_id}/`)
    await agent.submit('Continue', { email: 'team@example.com', ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    const digest = await sellersTables(service.world)
    assert.deepEqual(faultPaths(await revert(change_id)), ['versions'])
    assert.equal(await sellersTables(service.world), digest)
  })

  test('a feature of a version that was deleted since', async () => {
    const [free, ...others] = await active()
    const order = { app, features: [], dry_run: false }
    const { change_id } = requireWritten(await replaceFeatures(service.world, actor, order))
    const deletion = await replace(others.map(asVersionInput))
    assert.deepEqual(faultPaths(await revert(change_id)), ['features[0].product_ids[0]'])
    listed(await revert(deletion.change_id))
    assert.equal((await active())[0]!.product_public_id, free!.product_public_id)
    listed(await revert(change_id))
  })

  test('the way back to external of an app without the approval', async () => {
    await addApp(service, { slug: 'one-way', external_sales_enabled: false })
    const { app: own } = await ownApp(service, 'one-way')
    const changes = { listing_mode: 'marketplace' as const }
    const { change_id } = requireWritten(
      await updateListing(service.world, actor, { app: own, changes, dry_run: false }),
    )
    const facts = { app: own, change_id: change_id! }
    assert.deepEqual(faultPaths(await revertChange(service.world, actor, facts)), ['listing_mode'])
  })

  test('a change of settings, of another app, or none', async () => {
    await addApp(service, { slug: 'another' })
    const { app: another } = await ownApp(service, 'another')
    const { change_id } = await update({ tagline: 'Once more' })
    const foreign = { app: another, change_id: change_id! }
    assert.equal(await revertChange(service.world, actor, foreign), 'not_revertible')
    const id = testId('chg_0000000000000000000000')
    await apps.recordChange(service.world.db, service.clock.now(), {
      id,
      app_id: app.id,
      actor,
      action: 'integration.updated',
      before: {},
      after: {},
    })
    for (const each of [id, testId('chg_none')]) {
      assert.equal(await revert(each), 'not_revertible')
    }
  })
})
