import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import { renewDue } from '#flows/subscription'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import type { LicenseId, SubscriptionId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { OtherApp } from '../support/apps.ts'
import { openTestDatabase } from '../support/database.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, otherApp, subscribe } from '../support/subscriber.ts'

let service: TestService
let app: OtherApp
/** What happens while the processor is asked for a renewal. */
let whileCharging: () => Promise<void> = async () => {}

const slowly = (sandbox: World['processor']): World['processor'] => ({
  ...sandbox,
  async charge(now, request) {
    await whileCharging()
    return await sandbox.charge(now, request)
  },
})

before(async () => {
  service = await openTestService({ processor: slowly })
  app = await otherApp(service, { frequency: 'week' })
})
after(() => service.close())
beforeEach(async () => {
  await service.world.db.raw('update subscriptions set next_at = null')
})

async function dueSubscribers(count: number) {
  const subscribers = []
  for (let index = 0; index < count; index++) {
    subscribers.push(await subscribe(service, { app }))
    service.clock.pass(1)
  }
  service.clock.pass(7 * DAY)
  return subscribers
}

const claims = async () =>
  await service.world.db.rows<{ claimed_until: Date }>(sql`select claimed_until from subscriptions
    where claimed_until > ${service.clock.now()}`)

// R11
describe('claims of due subscriptions', () => {
  test('of a killed worker expire within a minute', async () => {
    await dueSubscribers(2)
    const now = service.clock.now()
    whileCharging = () => {
      whileCharging = async () => {}
      throw new Error('killed')
    }
    await renewDue(service.world)
    for (const { claimed_until } of await claims()) {
      assert.ok(claimed_until <= addSeconds(now, 60))
    }
    service.clock.pass(61)
    while ((await renewDue(service.world)) > 0);
  })

  test('are extended while the worker runs, so that no other takes them', async () => {
    const subscribers = await dueSubscribers(4)
    let charges = 0
    let stolen = 0
    whileCharging = async () => {
      charges++
      const { db, clock } = service.world
      // Two charges take longer than a claim lasts.
      service.clock.pass(40)
      const until = addSeconds(clock.now(), 60)
      const claimed = await billing.claimDue(db, clock.now(), { until, limit: 20 })
      stolen += claimed.length
      await billing.extendClaims(db, claimed, { claimed: until, until: null })
    }
    assert.equal(await renewDue(service.world), 4)
    whileCharging = async () => {}
    assert.deepEqual([charges, stolen], [4, 0])
    for (const { email } of subscribers) {
      assert.equal((await chargedAmounts(service, email)).length, 2)
    }
  })

  test('are taken several at a time, each once', { timeout: 30_000 }, async () => {
    const subscribers = await dueSubscribers(6)
    const together = Promise.withResolvers<void>()
    let charging = 0
    whileCharging = async () => {
      // Nothing is charged before three are.
      if (++charging === 3) together.resolve()
      await together.promise
    }
    assert.equal(await renewDue(service.world, { at_once: 3 }), 6)
    whileCharging = async () => {}
    for (const { email } of subscribers) {
      assert.equal((await chargedAmounts(service, email)).length, 2)
    }
  })

  // R3
  test('are made for apps whose clock is ahead too, the longest due first', async () => {
    const ahead = await otherApp(service, { frequency: 'week' })
    const later = await subscribe(service, { app: ahead })
    service.clock.pass(1)
    const [sooner] = await dueSubscribers(1)
    const { db, clock } = service.world
    const next = await subscribe(service, { app: ahead })
    await db.run(sql`update apps set clock_ahead = ${8 * DAY} where id = ${ahead.client_id}`)
    const until = addSeconds(clock.now(), 60)
    const claimed = await billing.claimDue(db, clock.now(), { until, limit: 20 })
    const licenses = await db.rows<{ id: SubscriptionId; license_id: LicenseId }>(
      sql`select id, license_id from subscriptions where id = any(${claimed})`,
    )
    assert.deepEqual(
      claimed.map((id) => licenses.find((each) => each.id === id)!.license_id),
      [later, sooner!, next].map(({ license_id }) => license_id),
    )
    const own = await billing.claimDue(db, clock.now(), { until, limit: 20 })
    assert.deepEqual(own, [])
    await billing.extendClaims(db, claimed, { claimed: until, until: null })
    const two = await billing.claimDue(db, clock.now(), { until, limit: 2 })
    assert.deepEqual(two, claimed.slice(0, 2))
    await billing.extendClaims(db, two, { claimed: until, until: null })
  })

  test('are released when the service stops, and the current renewal is finished', async () => {
    const db = await openTestDatabase()
    const own = await openTestService({ db: { ...db, close: async () => {} }, processor: slowly })
    const weekly = await otherApp(own, { frequency: 'week' })
    for (let index = 0; index < 3; index++) await subscribe(own, { app: weekly })
    own.clock.pass(7 * DAY)
    let charges = 0
    let stopped: Promise<void> | undefined
    whileCharging = async () => {
      charges++
      stopped ??= own.close()
    }
    assert.equal(await renewDue(own.world), 1)
    whileCharging = async () => {}
    await stopped
    assert.equal(charges, 1)
    assert.deepEqual(
      await db.one(sql`select count(*) filter (where claimed_until is not null) as claimed,
        count(*) filter (where period_index = 2) as renewed from subscriptions`),
      { claimed: 0, renewed: 1 },
    )
    await db.close()
  })
})
