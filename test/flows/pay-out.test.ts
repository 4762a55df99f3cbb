import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as payouts from '#domain/payouts'
import { payWeekly, refreshAccount, settlePayout } from '#flows/pay-out'
import type { PayoutId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { textOf } from '../support/agent.ts'
import { SERVER_URL } from '../support/database.ts'
import { bankSandbox, decideDispute, disputeCharge } from '../support/disputes.ts'
import { BANKS, enterBankAccount, HOMES, sell, withBank } from '../support/payees.ts'
import { NET, openPayoutTest, type PayoutTest } from '../support/payout-test.ts'
import { buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

let setup: PayoutTest
let service: TestService
before(async () => {
  setup = await openPayoutTest()
  service = setup.service
})
after(() => setup.close())

describe('a payout on request', () => {
  test('pays everything that is older than seven days, line by line, and nothing newer', async () => {
    await sell(service)
    assert.equal((await setup.balanceNow()).total, 0)
    assert.equal((await setup.request()).outcome, 'too_little')
    service.clock.pass(7 * DAY - 1)
    assert.equal((await setup.request()).outcome, 'too_little')
    service.clock.pass(1)
    await sell(service)
    const { total, pending_total } = await setup.balanceNow()
    assert.deepEqual([total, pending_total], [NET, NET])
    const paid = await setup.request()
    assert.equal(paid.outcome, 'pending')
    const [payout] = await setup.listed()
    assert.equal(payout!.amount, NET)
    const lines = await setup.linesOf(payout!.id)
    assert.deepEqual(
      lines.map(({ event, gross, amount }) => [event, gross, amount]),
      [['sale', 18_000, NET]],
    )
    assert.equal(await setup.balance(), NET)
    assert.equal((await setup.request()).outcome, 'too_little')
    await setup.arrive()
    assert.equal((await setup.listed())[0]!.status, 'paid')
    const emails = await service.world.db.rows(
      sql`select kind, subject_id from emails where cause = ${`payout_paid:${payout!.id}`}`,
    )
    assert.deepEqual(emails, [{ kind: 'payout_paid', subject_id: payout!.id }])
  })

  test('is one payout for any number of concurrent requests', async (t) => {
    if (SERVER_URL === undefined) t.diagnostic('one connection: they queue')
    await setup.earn()
    const before = (await setup.paidOutside()).length
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => setup.request()))
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'pending').length, 1)
    const rest = outcomes.filter(({ outcome }) => outcome !== 'pending')
    for (const { outcome } of rest) assert.match(outcome, /^(too_little|in_progress)$/)
    assert.equal((await setup.paidOutside()).length, before + 1)
    await setup.arrive()
    assert.equal((await setup.balanceNow()).total, 0)
  })
})

describe('a payout that the bank returns', () => {
  test('keeps its lines, and becomes a line of the next payout', async () => {
    await setup.earn()
    await withBank(service, 'seller', BANKS.closed)
    const failed = (await setup.request()) as { payout_id: PayoutId }
    await setup.arrive()
    const [payout] = await setup.listed()
    assert.deepEqual([payout!.id, payout!.status], [failed.payout_id, 'failed'])
    assert.match(payout!.failure!, /closed/)
    assert.equal((await setup.linesOf(payout!.id)).length, 1)
    assert.equal((await setup.balanceNow()).total, NET)
    const unpaid = await service.world.db.rows(
      sql`select event from unpaid_lines where owner = ${setup.seller.owner}`,
    )
    assert.deepEqual(unpaid, [{ event: 'payout_failed' }])
    assert.equal(await setup.balance(), NET)
    await withBank(service, 'seller')
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
    const [next] = await setup.listed()
    assert.equal(next!.status, 'paid')
    const [line, ...more] = await setup.linesOf(next!.id)
    assert.deepEqual([line!.event, line!.returned_number], ['payout_failed', payout!.number])
    assert.deepEqual(more, [])
    assert.equal(await setup.balance(), 0)
  })

  test('is returned once, even after it was paid, and however often it is reported', async () => {
    await setup.earn()
    const { payout_id } = (await setup.request()) as { payout_id: PayoutId }
    await setup.arrive()
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
    assert.equal(await setup.balance(), NET)
    // The sandbox's bank has the money: corrected, so that the books match it again.
    await service.world.db.run(sql`update sandbox.payouts set status = 'failed', reason = 'closed'
      where id = ${processor_payout_id}`)
    await withBank(service, 'seller')
    await setup.request()
    await setup.arrive()
  })

  test('goes to the bank that returned one only once the payee confirmed its details', async () => {
    const { world } = service
    await withBank(service, 'seller', BANKS.closed)
    await setup.earn()
    await setup.request()
    await setup.arrive()
    const known = (await setup.listed()).length
    assert.equal((await setup.request()).outcome, 'no_bank')
    // The processor reports the account again, as it is.
    await refreshAccount(world, setup.seller.owner, { is_confirmed: false })
    service.clock.pass(7 * DAY)
    await payWeekly(world)
    assert.equal((await setup.listed()).length, known)
    const agent = await signedIn(service, service.demo.seller)
    const { body } = await agent.open(HOMES.seller)
    assert.match(
      textOf(body),
      /ending in 1113 returned a payout\. Change it, or confirm that its details are right\./,
    )
    assert.doesNotMatch(body, /Pay out now/)
    // Back from the processor's page without a change, and with the same number.
    await agent.submit('Change bank account')
    await agent.open(`${HOMES.seller}bank`)
    assert.match(agent.text, /still the one that returned a payout/)
    await enterBankAccount(agent, HOMES.seller, BANKS.closed)
    assert.match(agent.text, /still the one that returned a payout/)
    assert.equal((await setup.request()).outcome, 'no_bank')
    await agent.submit('Its details are right')
    assert.match(agent.text, /Your bank account is ready for payouts/)
    assert.equal((await setup.request()).outcome, 'pending')
    // Another bank was entered before the return was reported.
    await enterBankAccount(agent, HOMES.seller, BANKS.works)
    await setup.arrive()
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
  })

  test('goes to another account with the same last digits, entered before or after', async () => {
    await setup.earn()
    const agent = await withBank(service, 'seller', BANKS.closed)
    // A digit before the last four was wrong.
    const correct = async (bank_fingerprint: string, bank_failure: string | null) => {
      await service.world.db.run(sql`update sandbox.accounts
        set bank_fingerprint = ${bank_fingerprint}, bank_failure = ${bank_failure}`)
      await agent.open(`${HOMES.seller}bank`)
      assert.match(agent.text, /Your bank account is ready for payouts/)
    }
    await setup.request()
    await correct('corrected once', 'closed')
    await setup.arrive()
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
    assert.equal((await setup.request()).outcome, 'no_bank')
    await correct('corrected twice', null)
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
  })

  test('goes to the same bank after one that was canceled at the processor', async () => {
    await setup.earn()
    const { payout_id } = (await setup.request()) as { payout_id: PayoutId }
    const { processor_payout_id } = (await payouts.findPayout(service.world.db, payout_id))!
    await bankSandbox(service).cancelPayout(service.clock.now(), processor_payout_id!)
    await handleEvents(service.world)
    assert.equal((await payouts.findPayout(service.world.db, payout_id))!.status, 'failed')
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
  })
})

// R14
test('a balance is the same before and after its entries are summed, by any number of processes', async () => {
  const { db } = service.world
  await Promise.all(Array.from({ length: 6 }, () => sell(service)))
  const before = await setup.balanceNow()
  assert.equal(before.total + before.pending_total, await setup.balance())
  const taken = await Promise.all(Array.from({ length: 4 }, () => payouts.sumBalances(db, 2)))
  assert.ok(taken.reduce((all, one) => all + one, 0) > 2)
  assert.deepEqual(await setup.balanceNow(), before)
  while ((await payouts.sumBalances(db, 100)) > 0);
  assert.deepEqual(await setup.balanceNow(), before)
  assert.deepEqual(await payouts.wrongBalances(db), [])
  service.clock.pass(7 * DAY)
  await setup.request()
  await setup.arrive()
})

// M10
test('a refund of a pending sale does not stop a payout of other money', async () => {
  await sell(service)
  service.clock.pass(7 * DAY)
  const bought = await buy(service, { price: 2 })
  const { total, pending_total } = await setup.balanceNow()
  await refund(service, bought)
  const after = await setup.balanceNow()
  // Of the pending sale the fixed 50 cents are lost, and only they count.
  assert.deepEqual([after.total, after.pending_total], [total - 50, 0])
  assert.ok(total >= NET && pending_total > 0)
  assert.equal((await setup.request()).outcome, 'pending')
  await setup.arrive()
})

describe('a debt of a payee', () => {
  test('is carried over, blocks payouts, and is deducted from later earnings', async () => {
    const { charge } = await buy(service, { price: 2 })
    service.clock.pass(7 * DAY)
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
    const dispute = await disputeCharge(service, charge)
    assert.equal((await setup.balanceNow()).total, -19_500)
    assert.equal((await setup.request()).outcome, 'too_little')
    service.clock.pass(1)
    const later = await sell(service)
    assert.ok(later)
    await decideDispute(service, dispute, 'won')
    assert.equal(
      (await setup.balanceNow()).total,
      0,
      'what is won is in reserve, and so is what was taken with it',
    )
    service.clock.pass(7 * DAY)
    assert.equal((await setup.balanceNow()).total, NET)
    assert.equal((await setup.request()).outcome, 'pending')
    await setup.arrive()
    const [payout] = await setup.listed()
    assert.equal(payout!.amount, NET)
    const lines = await setup.linesOf(payout!.id)
    assert.deepEqual(lines.map(({ event, gross, amount }) => [event, gross, amount]).sort(), [
      ['dispute_opened', -18_000, -19_500],
      ['dispute_won', 18_000, 19_500],
      ['sale', 18_000, NET],
    ])
  })
})
