/** Payouts that the processor does not make: without the funds, or for its own reasons. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as payouts from '#domain/payouts'
import { reconcilePayouts } from '#flows/pay-out'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { openAlarms } from '../support/alarms.ts'
import { bankSandbox } from '../support/disputes.ts'
import { NET, openPayoutTest, type PayoutTest } from '../support/payout-test.ts'
import { signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'

let setup: PayoutTest
let service: TestService
before(async () => {
  setup = await openPayoutTest()
  service = setup.service
})
after(() => setup.close())
beforeEach(() => {
  setup.fate = 'arrives'
})

/** Requests a payout that the balance does not cover, and ends when it does and a retry is due. */
async function waitForFunds(): Promise<void> {
  await setup.earn()
  const { world, clock } = service
  const { available } = await world.processor.readBalance(clock.now())
  const move = (amount: number) => bankSandbox(service).moveFunds(clock.now(), cents(amount))
  await move(0 - available)
  assert.equal((await setup.request()).outcome, 'waiting')
  await move(available)
  clock.pass(3600)
}

describe('a balance that does not cover a payout', () => {
  // M4
  test('postpones the payout, alerts staff, and pays automatically once it suffices', async () => {
    await setup.earn()
    const { world, clock } = service
    const { available } = await world.processor.readBalance(clock.now())
    const move = (amount: number) => bankSandbox(service).moveFunds(clock.now(), cents(amount))
    await move(0 - available)
    const before = await setup.balance()
    assert.equal((await setup.request()).outcome, 'waiting')
    assert.equal((await setup.listed())[0]!.status, 'open')
    assert.equal(await setup.balance(), before - NET)
    const [alarm] = await openAlarms(world.db)
    assert.match(alarm!.message, /1 payout is waiting for funds: \$170\.50 in total, and \$0\.00/)
    await reconcilePayouts(world)
    assert.equal((await setup.listed())[0]!.status, 'open')
    await move(available)
    clock.pass(3600)
    await reconcilePayouts(world)
    assert.equal((await setup.listed())[0]!.status, 'pending')
    assert.deepEqual(await openAlarms(world.db), [])
    await setup.arrive()
    const failed = await world.db.rows(sql`select id from emails where kind = 'payout_failed'`)
    assert.deepEqual(failed, [])
  })

  test('ends the alert once the payout is made, also after a lost answer', async () => {
    await waitForFunds()
    const { world, clock } = service
    setup.fate = 'is lost'
    await reconcilePayouts(world)
    setup.fate = 'arrives'
    clock.pass(5)
    await reconcilePayouts(world)
    assert.equal((await setup.listed())[0]!.status, 'pending')
    assert.deepEqual(await openAlarms(world.db), [])
    await setup.arrive()
  })
})

describe('a payout that the processor refuses to finish', () => {
  test('is retried every hour, says why, and does not count as short of funds', async () => {
    await setup.earn()
    const { world, clock } = service
    setup.fate = 'is refused'
    const before = setup.asked
    assert.equal((await setup.request()).outcome, 'processing')
    for (let polls = 0; polls < 10; polls++) {
      clock.pass(2)
      await reconcilePayouts(world)
    }
    assert.equal(setup.asked, before + 1)
    const [payout] = await setup.listed()
    assert.partialDeepStrictEqual(payout, {
      status: 'open',
      refusal: 'Stripe refused a payout: no.',
      retry_at: new Date(clock.now().getTime() + (3600 - 20) * 1000),
    })
    assert.equal((await payouts.waitingForFunds(world.db)).count, 0)
    const staff = await signedIn(service, service.demo.operator)
    await staff.open('/admin/payouts/?status=open')
    assert.match(staff.text, /Requested Stripe refused a payout: no\. Retried on \w+ \d+, \d{4}/)
    clock.pass(3600)
    await reconcilePayouts(world)
    assert.equal(setup.asked, before + 2)
    setup.fate = 'arrives'
    clock.pass(3600)
    await reconcilePayouts(world)
    assert.partialDeepStrictEqual((await setup.listed())[0], { status: 'pending', refusal: null })
    await setup.arrive()
  })

  test('ends the alert about its funds if it waited for them', async () => {
    await waitForFunds()
    const { world, clock } = service
    setup.fate = 'is refused'
    await reconcilePayouts(world)
    assert.deepEqual(await openAlarms(world.db), [])
    setup.fate = 'arrives'
    clock.pass(3600)
    await reconcilePayouts(world)
    await setup.arrive()
  })
})
