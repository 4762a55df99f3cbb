import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { endNow } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import { sql } from '#platform/sql'
import { checkedImport, importer, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { checkFile, lemonFileOf, runFile, stateOfKey } from '../support/lemon-squeezy.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

/** Replaces the key of a license as the seller's server does; returns the new one. */
async function replaceKey(license_id: string): Promise<string> {
  const answer = await service.app.inject({
    method: 'POST',
    url: `/api/v1/licenses/${license_id}/regenerate-key`,
    headers: { ...basic(service) },
  })
  return answer.json().license_key
}

describe('a dry run', () => {
  test('counts a key once, and none of a buyer without a license', async () => {
    const ended = { id: 941, email: 'dry-ended@example.com', days: 20, key: 'dry-ended' }
    await runFile(service, lemonFileOf(service, [ended]))
    const { license_id } = (await stateOfKey(service, 'dry-ended'))!
    const reason = 'A test'
    await endNow(service.world, await importer(service), { license_id, reason })
    // Each payment of a subscription may be a row, with the same key.
    const paid = { email: 'dry-paid@example.com', key: 'dry-paid' }
    const file = lemonFileOf(service, [
      { ...paid, days: 40 },
      { ...paid, days: 10 },
      { ...paid, days: -20, status: 'expired' },
      { email: paid.email, days: 5, key: 'dry-second' },
      { email: paid.email, days: 4, key: 'dry-second' },
      ended,
      { email: ended.email, days: 10, key: 'dry-other' },
      { email: ended.email, days: -10, key: 'dry-former', status: 'expired' },
    ])
    const expected = { create: 1, duplicate: 2, over: 2, add_key: 1, ended_here: 2 }
    const { id, counts } = await checkFile(service, file)
    assert.deepEqual(counts, expected)
    assert.deepEqual((await runChecked(service, id)).counts, expected)
    assert.equal(await stateOfKey(service, 'dry-other'), undefined)
  })
})

describe('an import', () => {
  test('says of each row whether its key belongs to another buyer', async () => {
    const shared = { days: 20, key: 'shared-key' }
    const rows = [
      { ...shared, id: 971, email: 'shared-first@example.com' },
      { ...shared, id: 972, email: 'shared-second@example.com' },
      { ...shared, id: 973, email: 'shared-second@example.com', days: 10 },
    ]
    const { id, counts } = await checkFile(service, lemonFileOf(service, rows))
    const expected = { create: 1, create_key_taken: 1, key_taken: 1 }
    assert.deepEqual(counts, expected)
    assert.deepEqual((await runChecked(service, id)).counts, expected)
    const { license_id, status } = (await stateOfKey(service, 'shared-key'))!
    assert.equal(status, 'active')
    const owner = await service.world.db.one<{ email: string }>(sql`select u.email from licenses l
      join users u on u.id = l.user_id where l.id = ${license_id}`)
    assert.equal(owner.email, 'shared-first@example.com')
    // The same file again, and a later one for a third buyer.
    const again = await runFile(service, lemonFileOf(service, rows))
    assert.deepEqual(again.counts, { unchanged: 1, key_taken: 2 })
    const third = [{ ...shared, id: 974, email: 'shared-third@example.com' }]
    assert.deepEqual((await runFile(service, lemonFileOf(service, third))).counts, {
      create_key_taken: 1,
    })
    const later = [{ ...third[0]!, days: 50 }]
    assert.deepEqual((await runFile(service, lemonFileOf(service, later))).counts, {
      update_key_taken: 1,
    })
    assert.equal((await stateOfKey(service, 'shared-key'))!.license_id, license_id)
  })

  test('names a key of this service that is another buyer’s', async () => {
    const page = await purchase(service, buyer(service), { email: 'key-owner@example.com' })
    const key = licenseKey(page)
    const bought = await stateOfKey(service, key)
    const rows = [{ email: 'not-key-owner@example.com', days: 20, key }]
    const { counts } = await runFile(service, lemonFileOf(service, rows))
    assert.deepEqual(counts, { create_key_taken: 1 })
    assert.deepEqual(await stateOfKey(service, key), bought)
  })

  test('leaves a license that was bought here, and adds the old key to it', async () => {
    const email = 'bought-here@example.com'
    const page = await purchase(service, buyer(service), { email })
    const bought = await stateOfKey(service, licenseKey(page))
    const { counts } = await runFile(
      service,
      lemonFileOf(service, [{ email, days: 300, key: 'bought-elsewhere' }]),
    )
    assert.deepEqual(counts, { add_key: 1 })
    assert.deepEqual(await stateOfKey(service, 'bought-elsewhere'), bought)
  })

  test('does not return a key that was replaced since, however often it is imported', async () => {
    const email = 'leaked@example.com'
    const rows = [
      { id: 981, email, days: 20, key: 'leaked-1' },
      { id: 982, email, days: 5, key: 'leaked-2' },
    ]
    await runFile(service, lemonFileOf(service, rows))
    const { license_id } = (await stateOfKey(service, 'leaked-1'))!
    const first = await replaceKey(license_id)
    assert.deepEqual((await runFile(service, lemonFileOf(service, rows))).counts, {
      unchanged: 1,
      duplicate: 1,
    })
    // An archive with the keys of this service, from before another replacement.
    await replaceKey(license_id)
    const archive = [{ email, days: 20, key: first }]
    assert.deepEqual((await runFile(service, lemonFileOf(service, archive))).counts, { owned: 1 })
    const actor = await importer(service)
    await endNow(service.world, actor, { license_id, reason: 'A test' })
    rows[0]!.days = 50
    assert.deepEqual((await runFile(service, lemonFileOf(service, rows))).counts, {
      create_key_replaced: 1,
      duplicate: 1,
    })
    for (const key of ['leaked-1', 'leaked-2', first])
      assert.equal(await stateOfKey(service, key), undefined)
  })

  test('says of a replaced key that it was added to no license of another buyer', async () => {
    const first = { id: 983, email: 'replaced-first@example.com', days: 20, key: 'replaced-key' }
    await runFile(service, lemonFileOf(service, [first]))
    await replaceKey((await stateOfKey(service, first.key))!.license_id)
    const second = { ...first, id: 984, email: 'replaced-second@example.com' }
    for (const [days, outcome] of [
      [20, 'create_key_replaced'],
      [20, 'key_replaced'],
      [50, 'update_key_replaced'],
    ] as const) {
      const { id, counts } = await checkFile(service, lemonFileOf(service, [{ ...second, days }]))
      assert.deepEqual(counts, { [outcome]: 1 })
      assert.deepEqual((await runChecked(service, id)).counts, counts)
    }
    const end = isoDate(addDays(service.clock.now(), 50))
    const { period_end } = await service.world.db.one<{ period_end: Date }>(sql`
      select l.period_end from licenses l join users u on u.id = l.user_id
        where u.email = ${second.email}`)
    assert.equal(isoDate(period_end), end)
    assert.equal(await stateOfKey(service, first.key), undefined)
  })

  test('takes a key back that the other service has revoked since, until it is active again', async () => {
    const email = 'revoked-there@example.com'
    const subscription = { id: 991, email, days: 20 }
    const revoked = { id: 992, email, key: 'revoked-there' }
    await runFile(service, lemonFileOf(service, [subscription]))
    await runFile(service, lemonFileOf(service, [revoked]))
    const state = await stateOfKey(service, 'revoked-there')
    assert.equal(state!.status, 'active')
    const newer = lemonFileOf(service, [{ ...revoked, status: 'disabled' }])
    for (const _ of ['once', 'twice']) {
      assert.deepEqual((await runFile(service, newer)).counts, { over: 1 })
      assert.equal(await stateOfKey(service, 'revoked-there'), undefined)
    }
    assert.deepEqual((await runFile(service, lemonFileOf(service, [revoked]))).counts, {
      add_key: 1,
    })
    assert.deepEqual(await stateOfKey(service, 'revoked-there'), state)
    // Another row of the same file says that it is active.
    const both = [
      { ...revoked, status: 'disabled' },
      { ...revoked, id: 993 },
    ]
    assert.deepEqual((await runFile(service, lemonFileOf(service, both))).counts, {
      over: 1,
      owned: 1,
    })
    assert.deepEqual(await stateOfKey(service, 'revoked-there'), state)
  })

  test('takes no key back for a failed payment of its buyer, which repeats it', async () => {
    const end = isoDate(addDays(service.clock.now(), 20))
    const heading = 'id,Customer Email,Product,Status,Current Period End,license_key (metadata)'
    const rowOf = (id: string, status: string, until: string) =>
      [heading, `${id},repeated@example.com,Tides,${status},${until},repeated`].join('\n')
    const [product_id] = await paidProducts(service)
    for (const file of [rowOf('sub_repeated', 'active', end), rowOf('pi_repeated', 'Failed', '')]) {
      const facts = { source: 'stripe', file, product_id: product_id! } as const
      await runChecked(service, (await checkedImport(service, facts)).id)
    }
    assert.equal((await stateOfKey(service, 'repeated'))!.status, 'active')
  })
})
