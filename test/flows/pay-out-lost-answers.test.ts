/** Payouts whose answer is lost, to the network or with the process. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { reconcilePayouts, settlePayout } from '#flows/pay-out'
import { decideAboutSeller } from '#flows/staff-actions'
import type { World } from '#flows/world'
import { parseId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { KILL_STRIDE } from '../support/budget.ts'
import { bankSandbox } from '../support/disputes.ts'
import { testId } from '../support/ids.ts'
import { untilKilled } from '../support/killable-database.ts'
import { openPayoutTest, type PayoutTest } from '../support/payout-test.ts'
import { staffActor } from '../support/refunds.ts'
import type { TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

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

describe('a lost answer', () => {
  /** Does something while other payouts get answers in an unknown format. */
  const withBroken = async (count: number, work: () => Promise<void>) => {
    const { db } = service.world
    const many = sql`generate_series(1, ${count}::int) n`
    await db.run(sql`insert into payout_accounts
        (owner, processor, processor_account_id, created_at, updated_at)
      select 'sel_broken_' || n, 'sandbox', 'acct_broken_' || n, now(), now() from ${many}`)
    await db.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
      select 'po_broken_' || n, 'sel_broken_' || n, 'seller_payable', 1, 'request', 'open',
        ${service.clock.now()} from ${many}`)
    setup.isBroken = (key) => key.startsWith('po_broken_')
    await work()
    setup.isBroken = () => false
    await db.run(sql`delete from payouts where id like 'po_broken_%'`)
    await db.run(sql`delete from payout_accounts where owner like 'sel_broken_%'`)
  }

  for (const lost of ['is lost', 'answer is lost'] as const) {
    test(`where the request ${lost}, is requested again under the same key`, async () => {
      await setup.earn()
      const before = (await setup.paidOutside()).length
      setup.fate = lost
      const { outcome } = await setup.request()
      assert.equal(outcome, 'processing')
      assert.equal((await setup.request()).outcome, 'in_progress')
      await reconcilePayouts(service.world)
      setup.fate = 'arrives'
      await reconcilePayouts(service.world)
      assert.equal(
        (await setup.listed())[0]!.status,
        'open',
        'an answer that is merely late is awaited',
      )
      service.clock.pass(3)
      await Promise.all([reconcilePayouts(service.world), reconcilePayouts(service.world)])
      assert.equal((await setup.listed())[0]!.status, 'pending')
      assert.equal((await setup.paidOutside()).length, before + 1)
      await setup.arrive()
      assert.equal((await setup.listed())[0]!.status, 'paid')
    })
  }

  test('is requested again however many earlier payouts fail', async () => {
    await withBroken(1000, async () => {
      await setup.earn()
      setup.fate = 'is lost'
      assert.equal((await setup.request()).outcome, 'processing')
      setup.fate = 'arrives'
      service.clock.pass(5)
      await reconcilePayouts(service.world)
    })
    assert.equal((await setup.listed())[0]!.status, 'pending')
    await setup.arrive()
  })

  // Two processes read the same page of open payouts.
  for (const read of ['before the balance was short', 'when it was due'] as const) {
    test(`is not requested again while payouts are paused, if read ${read}`, async () => {
      const { world, clock } = service
      const move = (amount: number) => bankSandbox(service).moveFunds(clock.now(), cents(amount))
      const decide = async (what: 'payouts_paused' | 'payouts_resumed') => {
        const staff = { ...(await staffActor(service)), reason: 'a reason' }
        await decideAboutSeller(world, staff, {
          seller_id: parseId('sel', setup.seller.owner),
          what,
        })
      }
      await withBroken(1, async () => {
        await setup.earn()
        const { available } = await world.processor.readBalance(clock.now())
        setup.fate = 'is lost'
        await setup.request()
        setup.fate = 'arrives'
        clock.pass(5)
        const becomeShort = async () => {
          await move(0 - available)
          await reconcilePayouts(world)
          await move(available)
          clock.pass(3600)
        }
        if (read === 'when it was due') await becomeShort()
        const payOut: World['processor']['payOut'] = async (now, request) => {
          if (setup.isBroken(request.key)) {
            if (read !== 'when it was due') await becomeShort()
            await decide('payouts_paused')
          }
          return await world.processor.payOut(now, request)
        }
        await reconcilePayouts({ ...world, processor: { ...world.processor, payOut } })
      })
      const [paused] = await setup.listed()
      await decide('payouts_resumed')
      await reconcilePayouts(world)
      const [resumed] = await setup.listed()
      assert.deepEqual([paused?.status, resumed?.status], ['open', 'pending'])
      await setup.arrive()
    })
  }

  test('of a payout that an event is about is requested again, and no other one', async () => {
    await withBroken(10, async () => {
      await setup.earn()
      setup.fate = 'answer is lost'
      await setup.request()
      setup.fate = 'arrives'
      service.clock.pass(DAY)
      const before = setup.asked
      await handleEvents(service.world)
      assert.equal(setup.asked, before + 1)
    })
    assert.equal((await setup.listed())[0]!.status, 'paid')
  })

  test('an event that arrives before the answer finds its payout', async () => {
    await setup.earn()
    setup.fate = 'answer is lost'
    await setup.request()
    setup.fate = 'arrives'
    service.clock.pass(DAY)
    await handleEvents(service.world)
    assert.equal((await setup.listed())[0]!.status, 'paid')
  })

  test('an event about an unknown payout changes nothing', async () => {
    const at = service.clock.now()
    const event = { kind: 'payout_settled', payout_id: 'po_foreign', outcome: 'paid' } as const
    for (const key of ['po_foreign', testId('po_foreign')]) {
      assert.equal(await settlePayout(service.world, { ...event, key, id: 'evt_1', at }), 'done')
    }
  })
})

test('an event is handled behind a thousand that wait, and no read is larger', async () => {
  const { world, clock } = service
  await setup.earn()
  assert.equal((await setup.request()).outcome, 'pending')
  await world.db.run(sql`insert into sandbox.events (id, subject, content, due_at)
    select 'evt_waits_' || n, 'dp_waits', ${JSON.stringify({
      kind: 'dispute_closed',
      dispute_id: 'dp_waits',
      outcome: 'won',
    })}, ${clock.now()} from generate_series(1, 1000) n`)
  clock.pass(DAY)
  const sizes: number[] = []
  const { processor } = world
  const events: World['processor']['events'] = async (...page) => {
    const read = await processor.events(...page)
    sizes.push(read.length)
    return read
  }
  assert.equal(await handleEvents({ ...world, processor: { ...processor, events } }), 1)
  assert.deepEqual(sizes, [1000, 1])
  assert.equal((await setup.listed())[0]!.status, 'paid')
  await world.db.run(sql`delete from sandbox.events where subject = 'dp_waits'`)
})

test('a process that is killed at any step pays once, or later', async () => {
  for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
    await setup.earn()
    const before = (await setup.paidOutside()).length
    const due = (await setup.balanceNow()).total
    killed = (await untilKilled(last, setup.request)).killed
    service.clock.pass(5)
    await reconcilePayouts(service.world)
    if ((await setup.balanceNow()).total > 0) await setup.request()
    assert.equal((await setup.paidOutside()).length, before + 1, `killed at step ${last}`)
    assert.deepEqual(
      [(await setup.balanceNow()).total, (await setup.listed())[0]!.amount],
      [0, due],
    )
    await setup.arrive()
    assert.equal((await setup.listed())[0]!.status, 'paid')
    assert.ok(killed || last > 12, `it took only ${last} steps`)
  }
})
