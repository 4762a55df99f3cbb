import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import { checkAndRecord, checkBooks, checkNightly } from '#flows/check-books'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { declareSchedules } from '../../src/background.ts'
import { openAlarms } from '../support/alarms.ts'
import { buy } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { otherApp, subscribe } from '../support/subscriber.ts'

// Guards R15: the books are checked every night without an operator's cron.

const HOUR = 3600
const DAY = 24 * HOUR

describe('the check of the ledger every night', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
    await buy(service)
  })
  after(() => service.close())

  const checkedAt = async () => (await ledger.lastCheck(service.world.db))?.at.toISOString()
  const alarms = async () =>
    (await openAlarms(service.world.db)).map(({ kind, count }) => [kind, count])
  const changeFee = async (by: number) => {
    const id = sql`(select subject from ledger_transactions where event = 'sale' limit 1)`
    const { db } = service.world
    const changed = sql`update invoices set fee = fee + ${by} where id = ${id} returning id`
    return (await db.one<{ id: InvoiceId }>(changed)).id
  }

  test('is due at 03:50 UTC', () => {
    const schedules: [string, string][] = []
    const jobs = {
      ...service.world.jobs,
      schedule: (name: string, cron: string) => void schedules.push([name, cron]),
    }
    declareSchedules({ ...service.world, jobs })
    const found = schedules.filter(([name]) => name === 'check-ledger')
    assert.deepEqual(found, [['check-ledger', '50 3 * * *']])
  })

  test('runs once for each night, whenever a node starts', async () => {
    const { world, clock } = service
    clock.reset('2026-03-10T12:00:00Z')
    await world.db.run(sql`update schema_migrations set applied_at = ${clock.now()}`)
    await checkNightly(world)
    assert.equal(await checkedAt(), undefined)
    for (const [now, checked] of [
      ['2026-03-11T03:50:05Z', '2026-03-11T03:50:05.000Z'],
      ['2026-03-11T09:00:00Z', '2026-03-11T03:50:05.000Z'],
      ['2026-03-12T02:59:00Z', '2026-03-11T03:50:05.000Z'],
      ['2026-03-12T08:00:00Z', '2026-03-12T08:00:00.000Z'],
      ['2026-03-13T03:50:00Z', '2026-03-13T03:50:00.000Z'],
    ] as const) {
      clock.reset(now)
      await checkNightly(world)
      assert.equal(await checkedAt(), checked, now)
    }
    assert.deepEqual(await alarms(), [])
  })

  test('raises one alarm for a difference of several nights, which names the first', async () => {
    const { world, clock } = service
    const id = await changeFee(1)
    for (const nights of [1, 2, 3]) {
      clock.pass(DAY)
      await checkNightly(world)
      assert.deepEqual(await alarms(), [['ledger_differs', nights]])
    }
    const [alarm] = await openAlarms(world.db)
    assert.equal(alarm!.href, '/admin/checks/')
    assert.match(alarm!.message, new RegExp(`found \\d+ differences. The first: ${id}: `))
    assert.ok((await ledger.lastCheck(world.db))!.differences > 0)
  })

  test('resolves the alarm when the books agree again, as any check does', async () => {
    const { world } = service
    await changeFee(-1)
    await checkAndRecord(world, { is_whole: true })
    assert.deepEqual(await alarms(), [])
    assert.equal((await ledger.lastCheck(world.db))!.differences, 0)
  })

  test('reports no difference for an app that is created and sells during the check', async () => {
    const { world } = service
    let sold = 0
    const rows: Db['rows'] = async (statement) => {
      if (statement.text.includes('i.fixed_fee') && sold++ === 0) {
        await subscribe(service, await otherApp(service, { amount: cents(1000) }))
      }
      return await world.db.rows(statement)
    }
    const db = { ...world.db, rows }
    assert.deepEqual((await checkBooks({ ...world, db })).differences, [])
    assert.ok(sold > 0)
  })

  test('is of the whole books once a week, also if another check ran or no node was up on Sunday', async () => {
    const { world, clock } = service
    const wholeAt = async () => (await ledger.lastCheck(world.db))!.whole_at?.toISOString()
    clock.reset('2026-03-22T03:10:00Z')
    await checkAndRecord(world, { is_whole: true })
    for (const [now, whole] of [
      ['2026-03-22T03:50:00Z', '2026-03-22T03:10:00.000Z'],
      ['2026-03-28T03:50:00Z', '2026-03-22T03:10:00.000Z'],
      ['2026-03-31T03:50:00Z', '2026-03-31T03:50:00.000Z'],
      ['2026-04-04T03:50:00Z', '2026-03-31T03:50:00.000Z'],
    ] as const) {
      clock.reset(now)
      await checkNightly(world)
      assert.equal(await wholeAt(), whole, now)
    }
    clock.reset('2026-04-05T03:20:00Z')
    await checkAndRecord(world, { is_whole: false })
    clock.reset('2026-04-05T03:50:00Z')
    await checkNightly(world)
    assert.equal(await wholeAt(), '2026-04-05T03:50:00.000Z')
  })

  test('ends without a result where the node stops', async () => {
    const { world, clock } = service
    const before = await checkedAt()
    clock.pass(DAY)
    const stopping = AbortSignal.abort(new Error('the node stops'))
    await assert.rejects(checkNightly({ ...world, stopping }), /the node stops/)
    assert.equal(await checkedAt(), before)
  })

  test('lists ten thousand differences and counts the others', async () => {
    const { world, clock } = service
    // Each has too few lines, and no payout that failed.
    await world.db.run(sql`insert into ledger_transactions (id, at, event, subject)
      select 'txn_' || n, ${clock.now()}, 'payout_failed', 'po_' || n
      from generate_series(1, 5500) n`)
    const { counts, differences } = await checkBooks(world)
    assert.equal(differences.length, 10_000)
    assert.equal(counts['differences that are not listed'], 1_000)
  })
})
