import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { LicenseStatus } from '#domain/licensing'
import {
  addVersions,
  describeProduct,
  highlightPlan,
  readVersions,
  replaceVersions,
} from '#flows/listing'
import type { ActorOf } from '#platform/audit'
import type { PriceId } from '#platform/ids'
import { addApp } from '../support/apps.ts'
import { forceStatus } from '../support/licenses.ts'
import {
  asVersionInput,
  faultPaths,
  ownApp,
  requireWritten,
  sellersTables,
} from '../support/listing.ts'
import { buyer, enterCard, TEXAS } from '../support/purchase.ts'
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

const versions = async () => await readVersions(service.world.db, app.id)
const active = async () => (await versions()).filter(({ is_active }) => is_active)

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

describe('versions and prices', () => {
  test('a new amount applies immediately, under the same ID', async () => {
    const [free, pro, lifetime] = await active()
    await prices()
    const dearer = asVersionInput(pro!)
    dearer.prices[0]!.amount = '15.00'
    const { state, removed, dead_buy_links, changed } = requireWritten(
      await replace([asVersionInput(free!), dearer, asVersionInput(lifetime!)]),
    )
    assert.deepEqual([removed, dead_buy_links], [[], []])
    const place = 'versions[1].prices[0].amount'
    assert.deepEqual(changed, [{ path: place, before: '12.00', after: '15.00' }])
    const { public_id } = pro!.prices[0]!
    assert.deepEqual(state[1]!.prices[0], { ...pro!.prices[0], amount: '15.00' })
    await untilAnnounced(prices, ({ prices }) =>
      prices.some((price) => price.public_id === public_id && price.amount === '15.00'),
    )
    const page = await service.app.inject(`/buy/${public_id}/`)
    assert.match(page.body, /\$15\.00/)
  })

  test('omitted products and prices are deleted and listed, their links stop working, and others keep their IDs', async () => {
    const [free, pro, lifetime] = await active()
    const monthly = {
      ...asVersionInput(pro!),
      name: 'Plus',
      prices: asVersionInput(pro!).prices.slice(0, 1),
    }
    const { state, removed, dead_buy_links, changed } = requireWritten(
      await replace([monthly, asVersionInput(free!)]),
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
    const reported = await untilAnnounced(prices, (answer) => answer.prices.length === 1)
    const { public_id, product_name } = reported.prices[0]!
    assert.deepEqual([public_id, product_name], [pro!.prices[0]!.public_id, 'Plus'])
  })

  test('a new version gets IDs, and another version can be the free one', async () => {
    const [plus, free] = await active()
    const weekly = { ...asVersionInput(plus!), prices: [...asVersionInput(plus!).prices] }
    weekly.prices.push({ amount: '4.00', frequency: 'week' })
    const basic = { name: 'Basic', is_free: true, prices: [] }
    const { state, removed } = requireWritten(await replace([basic, weekly]))
    assert.match(state[0]!.product_public_id, /^prod_[0-9A-Za-z]{22}$/)
    assert.match(state[1]!.prices[0]!.public_id, /^prc_[0-9A-Za-z]{22}$/)
    assert.deepEqual(removed, [{ kind: 'version', id: free!.product_public_id, name: 'Free' }])
    await untilAnnounced(prices, (answer) => answer.prices.length === 2)
  })

  test('a free and a paid version can be swapped at once', async () => {
    const other = await addApp(service, { slug: 'swap' })
    const { app: swap } = await ownApp(service, 'swap')
    const set = async (given: Parameters<typeof replaceVersions>[2]['versions']) =>
      requireWritten(
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
    const outcome = await replace([...(await active()).map(asVersionInput), foreign])
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
    const { removed } = requireWritten(await left('canceled'))
    assert.equal(removed[0]!.id, bought.product_id)
    assert.equal(await sellersTables(service.world), digest)
  })

  test('buyers of a one-time price keep their purchase when its version is deleted', async () => {
    const once = await addApp(service, { slug: 'once', frequency: null })
    const { app: own } = await ownApp(service, 'once')
    const page = await buy(once.price_id, 'once@example.com')
    const key = /key_[0-9A-Za-z]{33}/.exec(page.body)![0]
    const only = { name: 'Other', prices: MONTHLY }
    requireWritten(
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
    const { state, changed } = requireWritten(await describe(' Two\r\nlines '))
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

test('plans that are added at the same time are all added, and delete none', async () => {
  await addApp(service, { slug: 'additions' })
  const own = await ownApp(service, 'additions')
  const namesNow = async () => {
    const all = await readVersions(service.world.db, own.app.id)
    return all.filter(({ is_active }) => is_active).map(({ name }) => name)
  }
  const before_it = await namesNow()
  const names = ['Added 1', 'Added 2', 'Added 3', 'Added 4']
  await Promise.all(
    names.map(async (name) => {
      const order = { app: own.app, added: [{ name, prices: MONTHLY }], dry_run: false }
      requireWritten(await addVersions(service.world, own.actor, order))
    }),
  )
  assert.deepEqual((await namesNow()).sort(), [...before_it, ...names].sort())
})

test('a change that was reviewed against former plans is refused', async () => {
  const { world } = service
  await addApp(service, { slug: 'reviewed' })
  const own = await ownApp(service, 'reviewed')
  const basis = (await readVersions(world.db, own.app.id)).filter(({ is_active }) => is_active)
  const order = { app: own.app, dry_run: false }
  const added = [{ name: 'Of another member', prices: MONTHLY }]
  const { state } = requireWritten(await addVersions(world, own.actor, { ...order, added }))
  const versions = basis.map(asVersionInput)
  const change = { ...order, versions, basis: { versions: basis } }
  const refused = await replaceVersions(world, own.actor, change)
  assert.deepEqual(faultPaths(refused), ['versions'])
  assert.deepEqual(await readVersions(world.db, own.app.id), state)
  requireWritten(await replaceVersions(world, own.actor, { ...change, basis: { versions: state } }))
})

test('of two plans recommended at the same moment, one is', async () => {
  const { world } = service
  const other = await addApp(service, { slug: 'recommended' })
  const own = await ownApp(service, 'recommended')
  const added = [{ name: 'Second', prices: MONTHLY }]
  const order = { app: own.app, added, dry_run: false }
  const { state } = requireWritten(await addVersions(world, own.actor, order))
  const ids = state.flatMap(({ is_active, product_public_id: id }) => (is_active ? [id] : []))
  assert.ok(ids.includes(other.product_id) && ids.length > 1)
  for (let round = 0; round < 10; round++) {
    const done = await Promise.all(
      ids.map((product_id) => highlightPlan(world, own.actor, { app_id: own.app.id, product_id })),
    )
    assert.deepEqual(
      done,
      ids.map(() => true),
    )
    assert.ok(await catalog.highlighted(world.db, own.app.id))
  }
})
