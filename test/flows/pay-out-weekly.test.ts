/** Weekly payouts, and payouts of sellers whose test clock is ahead. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as payouts from '#domain/payouts'
import { payWeekly, reconcilePayouts } from '#flows/pay-out'
import { addDays } from '#platform/calendar'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { KILL_STRIDE } from '../support/budget.ts'
import { untilKilled } from '../support/killable-database.ts'
import { sell } from '../support/payees.ts'
import { NET, openPayoutTest, type PayoutTest } from '../support/payout-test.ts'
import type { TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

let setup: PayoutTest
let service: TestService
before(async () => {
  setup = await openPayoutTest()
  service = setup.service
})
after(() => setup.close())

describe('weekly payouts', () => {
  const toMonday = () => {
    const monday = payouts.mondayOf(new Date(service.clock.now().getTime() + 7 * DAY * 1000))
    service.clock.pass((monday.getTime() - service.clock.now().getTime()) / 1000)
  }

  test('pay each payee on Monday at 00:00 UTC, once a week, with any number of workers', async () => {
    toMonday()
    await payWeekly(service.world)
    service.clock.pass(1)
    await setup.earn()
    assert.equal(new Date(service.clock.now()).getUTCDay(), 1)
    await payWeekly(service.world)
    assert.equal(
      (await setup.balanceNow()).total,
      NET,
      'it became available after the Monday had begun',
    )
    toMonday()
    service.clock.pass(-1)
    assert.equal(await payWeekly(service.world), 0)
    service.clock.pass(1)
    const before = (await setup.paidOutside()).length
    const paid = await Promise.all(Array.from({ length: 6 }, () => payWeekly(service.world)))
    assert.equal(
      paid.reduce((sum, count) => sum + count, 0),
      1,
    )
    assert.equal((await setup.paidOutside()).length, before + 1)
    const [payout] = await setup.listed()
    assert.deepEqual([payout!.cause, payout!.amount], ['weekly', NET])
    await setup.arrive()
    await setup.earn()
    assert.equal(await payWeekly(service.world), 0, 'what came since waits for the next Monday')
    toMonday()
    assert.equal(await payWeekly(service.world), 1)
    await setup.arrive()
  })

  test('continue with the next worker if one is killed at any step', async () => {
    for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
      await setup.earn()
      toMonday()
      const before = (await setup.paidOutside()).length
      killed = (await untilKilled(last, () => payWeekly(service.world))).killed
      service.clock.pass(5)
      await reconcilePayouts(service.world)
      await payWeekly(service.world)
      assert.equal((await setup.paidOutside()).length, before + 1, `killed at step ${last}`)
      await setup.arrive()
      assert.equal((await setup.balanceNow()).total, 0)
    }
  })
})

test('follow the test clock of an app that is ahead', async () => {
  const { world, demo } = service
  const sold = await sell(service)
  assert.ok(sold)
  assert.equal((await setup.balanceNow()).total, 0)
  await world.db.run(sql`update apps set clock_ahead = ${8 * DAY} where id = ${demo.app.client_id}`)
  assert.equal((await setup.balanceNow()).total, NET)
  assert.equal((await setup.request()).outcome, 'pending')
  const [payout] = await setup.listed()
  assert.equal(payout!.created_at.getTime() - service.clock.now().getTime(), 8 * DAY * 1000)
  service.clock.pass(9 * DAY)
  await handleEvents(service.world)
  assert.equal((await setup.listed())[0]!.status, 'paid')
})

test('reach a payee whose test clock is ahead, and no other, among a thousand', async () => {
  const { world, demo, clock } = service
  const monday = payouts.mondayOf(clock.now())
  await world.db.run(sql`insert into payout_accounts
      (owner, processor, processor_account_id, weekly_at, created_at, updated_at)
    select 'sel_' || n, 'sandbox', 'acct_' || n, ${monday}, ${monday}, ${monday}
    from generate_series(1, 1000) n`)
  await payWeekly(world)
  await world.db.run(sql`update apps set clock_ahead = ${15 * DAY}
    where id = ${demo.app.client_id}`)
  await world.db.run(sql`update payout_accounts set weekly_at = ${addDays(monday, 7)}
    where owner = ${setup.seller.owner}`)
  assert.deepEqual(await payouts.dueByCalendar(world.db, clock.now()), [setup.seller.owner])
  await payWeekly(world)
  assert.deepEqual(await payouts.dueByCalendar(world.db, clock.now()), [])
})
