import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as imports from '#domain/imports'
import { endNow, setAutoRenew } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import type { LicenseId, ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { continueWithCard, importedBuyer } from '../support/imported-buyer.ts'
import { checkedImport, importer, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { lemonFileOf, runFile, stateOfKey } from '../support/lemon-squeezy.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { buyerActor, passDays } from '../support/subscriber.ts'

let service: TestService
let products: ProductId[]
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  products = await paidProducts(service)
})
after(() => assertInvariantsAndClose(service))

type LemonRow = Parameters<typeof lemonFileOf>[1][number]

/** What an import of these rows of Lemon Squeezy does. */
const countsOf = async (...rows: LemonRow[]) =>
  (await runFile(service, lemonFileOf(service, rows))).counts

let buyers = 0
/** The rows of one purchase of a buyer in the three files of Lemon Squeezy. */
function purchaseRows() {
  const id = ++buyers
  const email = `ended-${id}@example.com`
  const of = { id, email }
  return {
    email,
    subscription: { ...of, days: 20 },
    license_key: { ...of, key: `ended-${id}` },
    order: { ...of, status: 'paid' },
  }
}

async function endLicenseOf(email: string): Promise<void> {
  const { id: license_id } = await service.world.db.one<{ id: LicenseId }>(sql`select l.id
    from licenses l join users u on u.id = l.user_id
    where u.email = ${email} and l.status <> 'canceled'`)
  await endNow(service.world, await importer(service), { license_id, reason: 'A test' })
}

const KINDS = ['subscription', 'license_key', 'order'] as const

describe('a license that ended here', () => {
  test('is not returned by the same file', async () => {
    const { email, license_key } = purchaseRows()
    await countsOf(license_key)
    await endLicenseOf(email)
    assert.deepEqual(await countsOf(license_key), { ended_here: 1 })
    assert.equal((await stateOfKey(service, license_key.key))!.status, 'canceled')
  })

  for (const first of KINDS) {
    const others = KINDS.filter((kind) => kind !== first)
    test(`is not returned by a file of another kind, after one of ${first} rows`, async () => {
      const { email, ...rows } = purchaseRows()
      assert.deepEqual(await countsOf(rows[first]), { create: 1 })
      await endLicenseOf(email)
      for (const kind of others) {
        assert.deepEqual(await countsOf(rows[kind]), { ended_here: 1 }, kind)
      }
    })
  }

  test('is not returned, whenever it ended, once its buyer had continued it here', async () => {
    const bought = await importedBuyer(service, { days: 20 })
    const { license_id, app, product_id, email } = bought
    assert.equal(product_id, products[0])
    const record = { source: 'lemon_squeezy', external_id: 'subscription:5000' } as const
    const { db } = service.world
    await db.tx((tx) => imports.saveRecord(tx, { app_id: app.client_id, ...record, license_id }))
    await continueWithCard(bought)
    await setAutoRenew(service.world, buyerActor(bought), { license_id, to: 'off' })
    await passDays(service, 21)
    const { license_key } = purchaseRows()
    assert.deepEqual(await countsOf({ ...license_key, email }), { ended_here: 1 })
  })

  test('is returned if what was paid there now lasts longer', async () => {
    const { email, license_key, subscription } = purchaseRows()
    await countsOf({ ...license_key, days: 20, status: 'active' })
    await endLicenseOf(email)
    assert.deepEqual(await countsOf({ ...subscription, id: 5_001, days: 50 }), { create: 1 })
  })

  test('leaves a new purchase, and one of another plan', async () => {
    const { email, order, license_key } = purchaseRows()
    await countsOf(order)
    await endLicenseOf(email)
    assert.deepEqual(await countsOf({ ...order, id: 5_002 }), { create: 1 })
    await endLicenseOf(email)
    const file = lemonFileOf(service, [license_key])
    const facts = { source: 'lemon_squeezy', file, product_id: products[1]! } as const
    const { id } = await checkedImport(service, facts)
    assert.deepEqual((await runChecked(service, id)).counts, { create: 1 })
  })
})

test('a license that ended with its time, or by a file, leaves rows of other kinds', async () => {
  const timed = purchaseRows()
  await countsOf(timed.subscription)
  await passDays(service, 21)
  assert.deepEqual(await countsOf(timed.order), { create: 1 })
  const refunded = purchaseRows()
  await countsOf(refunded.order)
  assert.deepEqual(await countsOf({ ...refunded.order, status: 'refunded' }), { end: 1 })
  assert.deepEqual(await countsOf(refunded.license_key), { create: 1 })
})

describe('at a service whose kinds of rows are purchases of their own', () => {
  const dayIn = (days: number) => isoDate(addDays(service.clock.now(), days))

  async function importLines(source: imports.ImportSource, ...lines: string[]) {
    const file = lines.join('\n')
    const { id } = await checkedImport(service, { source, file, product_id: products[0]! })
    return (await runChecked(service, id)).counts
  }

  test('Paddle: a transaction of the ended period returns nothing, another purchase does', async () => {
    const email = 'paddle@example.com'
    const heading = 'id,customer_email,status,product_name,next_billed_at,billing_period_ends_at'
    const subscription = `sub_1,${email},active,Tides,${dayIn(20)},`
    await importLines('paddle', heading, subscription)
    await endLicenseOf(email)
    const renewal = `txn_1,${email},completed,Tides,,${dayIn(20)}`
    assert.deepEqual(await importLines('paddle', heading, renewal), { ended_here: 1 })
    const lifetime = `txn_2,${email},completed,Tides,,`
    assert.deepEqual(await importLines('paddle', heading, lifetime), { create: 1 })
    await endLicenseOf(email)
    assert.deepEqual(await importLines('paddle', heading, subscription), { ended_here: 1 })
  })

  test('Polar and Stripe: a one-time purchase beside an ended subscription is imported', async () => {
    const email = 'polar@example.com'
    const polar = 'ID,Email,Product,Status,Current Period End,Billing Reason'
    await importLines('polar', polar, `1,${email},Tides,active,${dayIn(20)},`)
    await endLicenseOf(email)
    const order = `2,${email},Tides,paid,,purchase`
    assert.deepEqual(await importLines('polar', polar, order), { create: 1 })
    const other = 'stripe@example.com'
    const stripe = 'id,Customer Email,Product,Status,Current Period End'
    await importLines('stripe', stripe, `sub_1,${other},Tides,active,${dayIn(20)}`)
    await endLicenseOf(other)
    const payment = `pi_1,${other},Tides,Paid,`
    assert.deepEqual(await importLines('stripe', stripe, payment), { create: 1 })
  })
})
