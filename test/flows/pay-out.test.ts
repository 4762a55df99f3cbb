import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payOut, payWeekly, readPayeeBalance, reconcilePayouts, settlePayout } from '#flows/pay-out'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { PayoutId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { openTestDatabase, SERVER_URL } from '../support/database.ts'
import { bankOf, decide, objectTo } from '../support/disputes.ts'
import { testId } from '../support/ids.ts'
import { assertInvariants } from '../support/invariants.ts'
import { mortalDatabase, untilKilled } from '../support/mortal.ts'
import { BANKS, payeeOf, sell, withBank } from '../support/payees.ts'
import { buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const NET = 17_050

let service: TestService
let seller: payouts.Payee
let fate: 'arrives' | 'is lost' | 'answer is lost' | 'is refused' = 'arrives'
/** How often the processor was asked to pay. */
let asked = 0
/** Payouts that the processor answers in an unknown format. */
let isBroken = (_key: string) => false
before(async () => {
  const db = mortalDatabase(await openTestDatabase())
  service = await openTestService({ db, processor: withFates })
  seller = await payeeOf(service, 'seller')
  await withBank(service, 'seller')
})
after(async () => {
  await handleEvents(service.world)
  await assertInvariants(service)
  await service.close()
})
beforeEach(() => {
  fate = 'arrives'
})

function withFates(sandbox: World['processor']): World['processor'] {
  return {
    ...sandbox,
    async payOut(now, request) {
      asked++
      if (fate === 'is refused') throw new payments.ProcessorRefused('Stripe refused a payout: no.')
      if (isBroken(request.key)) throw new Error('an answer in an unknown format')
      if (fate === 'is lost') throw new payments.ProcessorUnreachable(fate)
      const answer = await sandbox.payOut(now, request)
      if (fate === 'answer is lost') throw new payments.ProcessorUnreachable(fate)
      return answer
    },
  }
}

const request = () => payOut(service.world, { ...seller, cause: 'request' })
const balanceNow = () => readPayeeBalance(service.world, seller)
const balance = async () =>
  0 - (await ledger.balanceOf(service.world.db, 'seller_payable', seller.owner))
const paidOutside = () =>
  service.world.db.rows<{ key: string; amount: number }>(
    sql`select key, amount from sandbox.payouts where status = 'pending' order by created_at, key`,
  )
const listed = () => payouts.payoutsOf(service.world.db, seller, { limit: 50 })

/** Sells, and advances past the payout delay. */
async function earn(count = 1): Promise<void> {
  for (let each = 0; each < count; each++) await sell(service)
  service.clock.pass(7 * DAY)
}

/** Advances until pending payouts arrive. */
async function arrive(): Promise<void> {
  service.clock.pass(DAY)
  await handleEvents(service.world)
}

/** Requests a payout that the balance does not cover, and ends when it does and a retry is due. */
async function waitForFunds(): Promise<void> {
  await earn()
  const { world, clock } = service
  const { available } = await world.processor.readBalance(clock.now())
  const move = (amount: number) => bankOf(service).moveFunds(clock.now(), cents(amount))
  await move(0 - available)
  assert.equal((await request()).outcome, 'waiting')
  await move(available)
  clock.pass(3600)
}

const linesOf = (id: PayoutId) =>
  payouts.statementOf(service.world.db, id, { limit: 100, offset: 0 })

describe('a payout on request', () => {
  test('pays everything that is older than seven days, line by line, and nothing newer', async () => {
    await sell(service)
    assert.equal((await balanceNow()).total, 0)
    assert.equal((await request()).outcome, 'too_little')
    service.clock.pass(7 * DAY - 1)
    assert.equal((await request()).outcome, 'too_little')
    service.clock.pass(1)
    await sell(service)
    const { total, pending_total } = await balanceNow()
    assert.deepEqual([total, pending_total], [NET, NET])
    const paid = await request()
    assert.equal(paid.outcome, 'pending')
    const [payout] = await listed()
    assert.equal(payout!.amount, NET)
    const lines = await linesOf(payout!.id)
    assert.deepEqual(
      lines.map(({ event, gross, amount }) => [event, gross, amount]),
      [['sale', 18_000, NET]],
    )
    assert.equal(await balance(), NET)
    assert.equal((await request()).outcome, 'too_little')
    await arrive()
    assert.equal((await listed())[0]!.status, 'paid')
    const emails = await service.world.db.rows(
      sql`select kind, subject_id from emails where cause = ${`payout_paid:${payout!.id}`}`,
    )
    assert.deepEqual(emails, [{ kind: 'payout_paid', subject_id: payout!.id }])
  })

  test('is one payout for any number of concurrent requests', async (t) => {
    if (SERVER_URL === undefined) t.diagnostic('one connection: they queue')
    await earn()
    const before = (await paidOutside()).length
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => request()))
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'pending').length, 1)
    const rest = outcomes.filter(({ outcome }) => outcome !== 'pending')
    for (const { outcome } of rest) assert.match(outcome, /^(too_little|under_way)$/)
    assert.equal((await paidOutside()).length, before + 1)
    await arrive()
    assert.equal((await balanceNow()).total, 0)
  })
})

describe('a balance that does not cover a payout', () => {
  // M4
  test('postpones the payout, alerts staff, and pays automatically once it suffices', async () => {
    await earn()
    const { world, clock } = service
    const { available } = await world.processor.readBalance(clock.now())
    const move = (amount: number) => bankOf(service).moveFunds(clock.now(), cents(amount))
    await move(0 - available)
    const before = await balance()
    assert.equal((await request()).outcome, 'waiting')
    assert.equal((await listed())[0]!.status, 'open')
    assert.equal(await balance(), before - NET)
    const [alarm] = await openAlarms(world.db)
    assert.match(alarm!.message, /1 payout is waiting for funds: \$170\.50 in total, and \$0\.00/)
    await reconcilePayouts(world)
    assert.equal((await listed())[0]!.status, 'open')
    await move(available)
    clock.pass(3600)
    await reconcilePayouts(world)
    assert.equal((await listed())[0]!.status, 'pending')
    assert.deepEqual(await openAlarms(world.db), [])
    await arrive()
    const failed = await world.db.rows(sql`select id from emails where kind = 'payout_failed'`)
    assert.deepEqual(failed, [])
  })

  test('ends the alert once the payout is made, also after a lost answer', async () => {
    await waitForFunds()
    const { world, clock } = service
    fate = 'is lost'
    await reconcilePayouts(world)
    fate = 'arrives'
    clock.pass(5)
    await reconcilePayouts(world)
    assert.equal((await listed())[0]!.status, 'pending')
    assert.deepEqual(await openAlarms(world.db), [])
    await arrive()
  })
})

describe('a payout that the processor refuses to finish', () => {
  test('is retried every hour, says why, and does not count as short of funds', async () => {
    await earn()
    const { world, clock } = service
    fate = 'is refused'
    const before = asked
    assert.equal((await request()).outcome, 'processing')
    for (let polls = 0; polls < 10; polls++) {
      clock.pass(2)
      await reconcilePayouts(world)
    }
    assert.equal(asked, before + 1)
    const [payout] = await listed()
    assert.partialDeepStrictEqual(payout, {
      status: 'open',
      refusal: 'Stripe refused a payout: no.',
      retry_at: new Date(clock.now().getTime() + (3600 - 20) * 1000),
    })
    assert.equal((await payouts.postponedTotal(world.db)).count, 0)
    const staff = await signedIn(service, service.demo.operator)
    await staff.open('/admin/payouts/?status=open')
    assert.match(staff.text, /Requested Stripe refused a payout: no\. Retried on \w+ \d+, \d{4}/)
    clock.pass(3600)
    await reconcilePayouts(world)
    assert.equal(asked, before + 2)
    fate = 'arrives'
    clock.pass(3600)
    await reconcilePayouts(world)
    assert.partialDeepStrictEqual((await listed())[0], { status: 'pending', refusal: null })
    await arrive()
  })

  test('ends the alert about its funds if it waited for them', async () => {
    await waitForFunds()
    const { world, clock } = service
    fate = 'is refused'
    await reconcilePayouts(world)
    assert.deepEqual(await openAlarms(world.db), [])
    fate = 'arrives'
    clock.pass(3600)
    await reconcilePayouts(world)
    await arrive()
  })
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
    isBroken = (key) => key.startsWith('po_broken_')
    await work()
    isBroken = () => false
    await db.run(sql`delete from payouts where id like 'po_broken_%'`)
    await db.run(sql`delete from payout_accounts where owner like 'sel_broken_%'`)
  }

  for (const lost of ['is lost', 'answer is lost'] as const) {
    test(`where the request ${lost}, is requested again under the same key`, async () => {
      await earn()
      const before = (await paidOutside()).length
      fate = lost
      const { outcome } = await request()
      assert.equal(outcome, 'processing')
      assert.equal((await request()).outcome, 'under_way')
      await reconcilePayouts(service.world)
      fate = 'arrives'
      await reconcilePayouts(service.world)
      assert.equal((await listed())[0]!.status, 'open', 'an answer that is merely late is awaited')
      service.clock.pass(3)
      await Promise.all([reconcilePayouts(service.world), reconcilePayouts(service.world)])
      assert.equal((await listed())[0]!.status, 'pending')
      assert.equal((await paidOutside()).length, before + 1)
      await arrive()
      assert.equal((await listed())[0]!.status, 'paid')
    })
  }

  test('is requested again however many earlier payouts fail', async () => {
    await withBroken(1000, async () => {
      await earn()
      fate = 'is lost'
      assert.equal((await request()).outcome, 'processing')
      fate = 'arrives'
      service.clock.pass(5)
      await reconcilePayouts(service.world)
    })
    assert.equal((await listed())[0]!.status, 'pending')
    await arrive()
  })

  test('of a payout that an event is about is requested again, and no other one', async () => {
    await withBroken(10, async () => {
      await earn()
      fate = 'answer is lost'
      await request()
      fate = 'arrives'
      service.clock.pass(DAY)
      const before = asked
      await handleEvents(service.world)
      assert.equal(asked, before + 1)
    })
    assert.equal((await listed())[0]!.status, 'paid')
  })

  test('an event that arrives before the answer finds its payout', async () => {
    await earn()
    fate = 'answer is lost'
    await request()
    fate = 'arrives'
    service.clock.pass(DAY)
    await handleEvents(service.world)
    assert.equal((await listed())[0]!.status, 'paid')
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
  await earn()
  assert.equal((await request()).outcome, 'pending')
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
  assert.equal((await listed())[0]!.status, 'paid')
  await world.db.run(sql`delete from sandbox.events where subject = 'dp_waits'`)
})

test('a process that is killed at any step pays once, or later', async () => {
  for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
    await earn()
    const before = (await paidOutside()).length
    const due = (await balanceNow()).total
    killed = (await untilKilled(last, request)).killed
    service.clock.pass(5)
    await reconcilePayouts(service.world)
    if ((await balanceNow()).total > 0) await request()
    assert.equal((await paidOutside()).length, before + 1, `killed at step ${last}`)
    assert.deepEqual([(await balanceNow()).total, (await listed())[0]!.amount], [0, due])
    await arrive()
    assert.equal((await listed())[0]!.status, 'paid')
    assert.ok(killed || last > 12, `it took only ${last} steps`)
  }
})

describe('a payout that the bank returns', () => {
  test('keeps its lines, and becomes a line of the next payout', async () => {
    await earn()
    await withBank(service, 'seller', BANKS.closed)
    const failed = (await request()) as { payout_id: PayoutId }
    await arrive()
    const [payout] = await listed()
    assert.deepEqual([payout!.id, payout!.status], [failed.payout_id, 'failed'])
    assert.match(payout!.failure!, /closed/)
    assert.equal((await linesOf(payout!.id)).length, 1)
    assert.equal((await balanceNow()).total, NET)
    const unpaid = await service.world.db.rows(
      sql`select event from unpaid_lines where owner = ${seller.owner}`,
    )
    assert.deepEqual(unpaid, [{ event: 'payout_failed' }])
    assert.equal(await balance(), NET)
    await withBank(service, 'seller')
    assert.equal((await request()).outcome, 'pending')
    await arrive()
    const [next] = await listed()
    assert.equal(next!.status, 'paid')
    const [line, ...more] = await linesOf(next!.id)
    assert.deepEqual([line!.event, line!.returned_number], ['payout_failed', payout!.number])
    assert.deepEqual(more, [])
    assert.equal(await balance(), 0)
  })

  test('is returned once, even after it was paid, and however often it is reported', async () => {
    await earn()
    const { payout_id } = (await request()) as { payout_id: PayoutId }
    await arrive()
    const { processor_payout_id } = (await payouts.findPayout(service.world.db, payout_id))!
    const event = { key: payout_id, payout_id: processor_payout_id!, reason: 'Account closed.' }
    for (const outcome of ['failed', 'failed', 'paid'] as const) {
      const at = service.clock.now()
      await settlePayout(service.world, {
        ...event,
        kind: 'payout_settled',
        outcome,
        id: 'evt_2',
        at,
      })
    }
    assert.equal((await payouts.findPayout(service.world.db, payout_id))!.status, 'failed')
    assert.equal(await balance(), NET)
    // The sandbox's bank has the money: corrected, so that the books match it again.
    await service.world.db.run(sql`update sandbox.payouts set status = 'failed', reason = 'closed'
      where id = ${processor_payout_id}`)
    await request()
    await arrive()
  })
})

// R14
test('a balance is the same before and after its entries are summed, by any number of processes', async () => {
  const { db } = service.world
  await Promise.all(Array.from({ length: 6 }, () => sell(service)))
  const before = await balanceNow()
  assert.equal(before.total + before.pending_total, await balance())
  const taken = await Promise.all(Array.from({ length: 4 }, () => payouts.sumBalances(db, 2)))
  assert.ok(taken.reduce((all, one) => all + one, 0) > 2)
  assert.deepEqual(await balanceNow(), before)
  while ((await payouts.sumBalances(db, 100)) > 0);
  assert.deepEqual(await balanceNow(), before)
  assert.deepEqual(await payouts.wrongBalances(db), [])
  service.clock.pass(7 * DAY)
  await request()
  await arrive()
})

// M10
test('a refund of a pending sale does not stop a payout of other money', async () => {
  await sell(service)
  service.clock.pass(7 * DAY)
  const bought = await buy(service, { price: 2 })
  const { total, pending_total } = await balanceNow()
  await refund(service, bought)
  const after = await balanceNow()
  // Of the pending sale the fixed 50 cents are lost, and only they count.
  assert.deepEqual([after.total, after.pending_total], [total - 50, 0])
  assert.ok(total >= NET && pending_total > 0)
  assert.equal((await request()).outcome, 'pending')
  await arrive()
})

describe('a debt of a payee', () => {
  test('is carried over, blocks payouts, and is deducted from later earnings', async () => {
    const { charge } = await buy(service, { price: 2 })
    service.clock.pass(7 * DAY)
    assert.equal((await request()).outcome, 'pending')
    await arrive()
    const dispute = await objectTo(service, charge)
    assert.equal((await balanceNow()).total, -19_500)
    assert.equal((await request()).outcome, 'too_little')
    service.clock.pass(1)
    const later = await sell(service)
    assert.ok(later)
    await decide(service, dispute, 'won')
    assert.equal(
      (await balanceNow()).total,
      0,
      'what is won is in reserve, and so is what was taken with it',
    )
    service.clock.pass(7 * DAY)
    assert.equal((await balanceNow()).total, NET)
    assert.equal((await request()).outcome, 'pending')
    await arrive()
    const [payout] = await listed()
    assert.equal(payout!.amount, NET)
    const lines = await linesOf(payout!.id)
    assert.deepEqual(lines.map(({ event, gross, amount }) => [event, gross, amount]).sort(), [
      ['dispute_opened', -18_000, -19_500],
      ['dispute_won', 18_000, 19_500],
      ['sale', 18_000, NET],
    ])
  })
})

describe('weekly payouts', () => {
  const toMonday = () => {
    const monday = payouts.mondayOf(new Date(service.clock.now().getTime() + 7 * DAY * 1000))
    service.clock.pass((monday.getTime() - service.clock.now().getTime()) / 1000)
  }

  test('pay each payee on Monday at 00:00 UTC, once a week, with any number of workers', async () => {
    toMonday()
    await payWeekly(service.world)
    service.clock.pass(1)
    await earn()
    assert.equal(new Date(service.clock.now()).getUTCDay(), 1)
    await payWeekly(service.world)
    assert.equal((await balanceNow()).total, NET, 'it became available after the Monday had begun')
    toMonday()
    service.clock.pass(-1)
    assert.equal(await payWeekly(service.world), 0)
    service.clock.pass(1)
    const before = (await paidOutside()).length
    const paid = await Promise.all(Array.from({ length: 6 }, () => payWeekly(service.world)))
    assert.equal(
      paid.reduce((sum, count) => sum + count, 0),
      1,
    )
    assert.equal((await paidOutside()).length, before + 1)
    const [payout] = await listed()
    assert.deepEqual([payout!.cause, payout!.amount], ['weekly', NET])
    await arrive()
    await earn()
    assert.equal(await payWeekly(service.world), 0, 'what came since waits for the next Monday')
    toMonday()
    assert.equal(await payWeekly(service.world), 1)
    await arrive()
  })

  test('continue with the next worker if one is killed at any step', async () => {
    for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
      await earn()
      toMonday()
      const before = (await paidOutside()).length
      killed = (await untilKilled(last, () => payWeekly(service.world))).killed
      service.clock.pass(5)
      await reconcilePayouts(service.world)
      await payWeekly(service.world)
      assert.equal((await paidOutside()).length, before + 1, `killed at step ${last}`)
      await arrive()
      assert.equal((await balanceNow()).total, 0)
    }
  })
})

test('follow the test clock of an app that is ahead', async () => {
  const { world, demo } = service
  const sold = await sell(service)
  assert.ok(sold)
  assert.equal((await balanceNow()).total, 0)
  await world.db.run(sql`update apps set clock_ahead = ${8 * DAY} where id = ${demo.app.client_id}`)
  assert.equal((await balanceNow()).total, NET)
  assert.equal((await request()).outcome, 'pending')
  const [payout] = await listed()
  assert.equal(payout!.created_at.getTime() - service.clock.now().getTime(), 8 * DAY * 1000)
  service.clock.pass(9 * DAY)
  await handleEvents(service.world)
  assert.equal((await listed())[0]!.status, 'paid')
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
    where owner = ${seller.owner}`)
  assert.deepEqual(await payouts.dueByCalendar(world.db, clock.now()), [seller.owner])
  await payWeekly(world)
  assert.deepEqual(await payouts.dueByCalendar(world.db, clock.now()), [])
})
