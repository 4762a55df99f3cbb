import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { givePlan, setAutoRenew } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { checkedImport, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { lemonFileOf, runFile, stateOfKey } from '../support/lemon-squeezy.ts'
import { sellerActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { buyerActor, passDays, subscribe } from '../support/subscriber.ts'

// Nothing that is paid elsewhere is lost in silence: the report names it, and the file is imported
// again.

let service: TestService
let product_id: ProductId
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  product_id = (await paidProducts(service))[0]!
})
after(() => assertInvariantsAndClose(service))

type LemonRow = Parameters<typeof lemonFileOf>[1][number]

/** A file of Lemon Squeezy, and what an import of it does. */
function fileOf(...rows: LemonRow[]) {
  const file = lemonFileOf(service, rows)
  return async () => (await runFile(service, file)).counts
}

async function give(email: string, days: number): Promise<void> {
  const ends_at = addDays(service.clock.now(), days)
  const given = { email, email_normalized: email, product_id, ends_at, reason: 'A test' }
  const { client_id: app_id } = service.demo.app
  const { outcome } = await givePlan(service.world, await sellerActor(service), {
    app_id,
    ...given,
  })
  assert.equal(outcome, 'given')
}

/** Imports a purchase at Gumroad that is paid for good. */
async function importGumroad(email: string, key: string) {
  const heading = 'Item Name,Buyer Email,Purchase Date,License Key,Sale Price ($),Purchase ID'
  const file = `${heading}\nTides,${email},2026-01-02,${key},29,${key}`
  const { id } = await checkedImport(service, { source: 'gumroad', file, product_id })
  return (await runChecked(service, id)).counts
}

const statusOf = async (key: string) => (await stateOfKey(service, key))?.status

describe('a row that lasts longer than the license that its buyer has', () => {
  test('is named in the report, and creates a license once a given plan has ended', async () => {
    const email = 'given-before@example.com'
    await give(email, 10)
    const key = { email, key: 'GIVEN-BEFORE' }
    const run = fileOf({ id: 7001, email, days: 200 }, { id: 7002, ...key, days: 200 })
    assert.deepEqual(await run(), { ends_earlier: 1, add_key: 1 })
    assert.equal(await statusOf(key.key), 'active')
    assert.deepEqual(await run(), { ends_earlier: 1, duplicate: 1 })
    await passDays(service, 11)
    assert.equal(await statusOf(key.key), 'canceled')
    assert.deepEqual(await run(), { create: 1, add_key: 1 })
    assert.equal(await statusOf(key.key), 'active')
  })

  test('is named if another service’s file gave the license', async () => {
    const email = 'at-two-services@example.com'
    await fileOf({ id: 7101, email, days: 5 })()
    assert.deepEqual(await importGumroad(email, 'GUM-1'), { add_key_ends_earlier: 1 })
    await passDays(service, 7)
    assert.deepEqual(await importGumroad(email, 'GUM-1'), { create: 1 })
    assert.equal(await statusOf('GUM-1'), 'one_time_active')
  })

  test('is named for a purchase that does not renew, and not for one that does', async () => {
    const bought = await subscribe(service)
    const { email, license_id } = bought
    const run = fileOf({ id: 7201, email, days: 200 })
    assert.deepEqual(await run(), { owned: 1 })
    await setAutoRenew(service.world, buyerActor(bought), { license_id, to: 'off' })
    assert.deepEqual(await run(), { ends_earlier: 1 })
  })

  test('is not named if it ends on the same day or before', async () => {
    const email = 'ends-alike@example.com'
    await give(email, 10)
    assert.deepEqual(await fileOf({ id: 7301, email, days: 10 })(), { owned: 1 })
    assert.deepEqual(await fileOf({ id: 7301, email, days: 9 })(), { owned: 1 })
  })

  test('is not named for an order, which does not know its subscription’s end', async () => {
    const email = 'order-too@example.com'
    await fileOf({ id: 7401, email, days: 10 })()
    assert.deepEqual(await fileOf({ id: 7402, email, status: 'paid' })(), { owned: 1 })
  })
})

describe('a purchase that is paid once beside a subscription at the same service', () => {
  const polar = (heading: string, ...cells: string[]) => ({
    run: async () => {
      const file = `${heading}\n${cells.join(',')}`
      const { id } = await checkedImport(service, { source: 'polar', file, product_id })
      return (await runChecked(service, id)).counts
    },
    key: cells.at(-1)!,
  })
  const filesOf = (name: string) => {
    const email = `${name}@example.com`
    const end = isoDate(addDays(service.clock.now(), 10))
    const subscriptions = 'ID,Email,Product,Status,Current Period End,License Key'
    const orders = 'Invoice number,Email,Product,Status,License Key'
    return {
      subscription: polar(subscriptions, `sub-${name}`, email, 'Pro', 'active', end, `S-${name}`),
      order: polar(orders, `inv-${name}`, email, 'Forever', 'paid', `O-${name}`),
    }
  }

  test('is named in the report, and creates a license once the subscription ended', async () => {
    const { subscription, order } = filesOf('subscribed-first')
    assert.deepEqual(await subscription.run(), { create: 1 })
    assert.deepEqual(await order.run(), { add_key_ends_earlier: 1 })
    await passDays(service, 12)
    assert.deepEqual(await order.run(), { create: 1 })
    assert.equal(await statusOf(order.key), 'one_time_active')
  })

  test('keeps its license without an end when the subscription is imported', async () => {
    const { subscription, order } = filesOf('paid-once-first')
    assert.deepEqual(await order.run(), { create: 1 })
    assert.deepEqual(await subscription.run(), { add_key: 1 })
    assert.equal(await statusOf(order.key), 'one_time_active')
    assert.equal(await statusOf(subscription.key), 'one_time_active')
  })
})

test('the page of an import says what to do about such a row', async () => {
  const email = 'seen-on-page@example.com'
  await give(email, 10)
  const file = lemonFileOf(service, [{ id: 7501, email, days: 200, key: 'ON-PAGE' }])
  const { id } = await checkedImport(service, { source: 'lemon_squeezy', file, product_id })
  const seller = await signedIn(service, service.demo.seller)
  await seller.open(`/dashboard/apps/tidepool/import/${id}/`)
  assert.match(
    seller.text,
    /Key added to the buyer’s license, which ends earlier: import again after its end/,
  )
  assert.match(seller.text, /1 row would make a change/)
})
