/** What buyers received in excess of their payments, and how it is settled. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { personalData } from '#flows/account'
import { checkBooks } from '#flows/check-books'
import { payBuyerOtherwise } from '#flows/staff-actions'
import { cents } from '#platform/money'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase } from '../support/database.ts'
import { bankSandbox, decideDispute, disputeCharge, owedToSeller } from '../support/disputes.ts'
import {
  buyAndRefundTwice,
  disputedAfterRefund,
  refundOutside,
  repay,
  returnRefund,
  staffWithReason,
  writeOffSeen,
} from '../support/excess.ts'
import { testId } from '../support/ids.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import {
  advanceAndHandleEvents,
  type Bought,
  buy,
  postedTotals,
  refund,
} from '../support/refunds.ts'
import { auditOf } from '../support/seller-and-staff.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { runDue } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService({ db: killableDatabase(await openTestDatabase()) })
})
after(() => assertInvariantsAndClose(service))

async function assertBalance({ user_id }: Pick<Bought, 'user_id'>, amount: number): Promise<void> {
  assert.equal(await ledger.balanceOf(service.world.db, 'buyer_payable', user_id), amount)
  assert.deepEqual((await checkBooks(service.world)).differences, [])
}

async function receiptOf({ invoice_id }: Bought) {
  return (await billing.findReceipt(service.world.db, invoice_id))!
}

const listed = async ({ user_id }: Bought) =>
  (await ledger.listExcessBuyers(service.world.db, { limit: 100, offset: 0 })).find(
    (each) => each.user_id === user_id,
  )

const hasAlarm = async (subject: string) =>
  (await openAlarms(service.world.db)).some((alarm) => alarm.subject === subject)

describe('a repayment of an excess', () => {
  test('in parts arrives at the bank, until nothing is owed and the alarm ends', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const before = await owedToSeller(service)
    assert.deepEqual(await listed(bought), {
      user_id: bought.user_id,
      email: bought.email,
      amount: 500,
      disputed: 0,
    })
    assert.ok(await hasAlarm(bought.refund_id))
    const id = testId('exr_first')
    assert.deepEqual(await repay(service, bought, 200, { id }), { outcome: 'recorded' })
    assert.deepEqual(await postedTotals(service, [id]), { bank: 200, buyer_payable: -200 })
    await assertBalance(bought, 300)
    assert.ok(await hasAlarm(bought.refund_id))
    assert.deepEqual(await repay(service, bought, 300, { way: 'check', paid_on: '2026-03-12' }), {
      outcome: 'recorded',
    })
    await assertBalance(bought, 0)
    assert.equal(await listed(bought), undefined)
    assert.ok(!(await hasAlarm(bought.refund_id)))
    assert.equal(await owedToSeller(service), before)
    const entries = await auditOf(service, 'excess.repaid')
    assert.deepEqual(
      entries.map(({ subject }) => subject),
      [bought.user_id, bought.user_id],
    )
    assert.deepEqual(entries[0]!.detail, {
      repayment_id: id,
      amount: 200,
      way: 'bank_transfer',
      reference: 'WIRE 4711',
      paid_on: '2026-03-11',
    })
  })

  test('is on the receipt and in the personal data, and leaves the refunds as they were', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const before = await receiptOf(bought)
    assert.deepEqual(before.settled, [])
    await repay(service, bought, 200)
    const { settled, ...receipt } = await receiptOf(bought)
    assert.deepEqual(settled, [
      { how: 'repaid', amount: 200, at: new Date('2026-03-11T00:00:00Z') },
    ])
    assert.deepEqual({ ...receipt, settled: [] }, before)
    const page = { limit: 10, offset: 0 }
    const { user_id, app_id } = receipt
    const [line] = await billing.receiptsOf(service.world.db, { user_id, app_id }, page)
    assert.deepEqual([line?.refunded, line?.repaid], [1760, 200])
    const person = { user_id, email_normalized: bought.email }
    const { excess_repaid } = await personalData(service.world.db, person)
    assert.deepEqual(
      excess_repaid?.map(({ invoice_id, amount_in_cents }) => [invoice_id, amount_in_cents]),
      [[bought.invoice_id, 200]],
    )
  })

  test('is never more than is owed at that moment', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    assert.deepEqual(await repay(service, bought, 501), { outcome: 'too_much', owed: 500 })
    const both = await Promise.all([repay(service, bought, 300), repay(service, bought, 300)])
    assert.deepEqual(both.map(({ outcome }) => outcome).sort(), ['recorded', 'too_much'])
    await assertBalance(bought, 200)
    const never = await buy(service)
    assert.deepEqual(await repay(service, never, 1), { outcome: 'too_much', owed: 0 })
  })

  test('that is sent twice is booked once, and its form records no other one', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const form = { id: testId('exr_twice') }
    const both = await Promise.all([
      repay(service, bought, 100, form),
      repay(service, bought, 100, form),
    ])
    assert.deepEqual(both, [{ outcome: 'recorded' }, { outcome: 'recorded' }])
    await assertBalance(bought, 400)
    for (const other of [
      { amount: cents(200) },
      { reference: 'WIRE 4712' },
      { way: 'check' as const },
    ]) {
      const again = await repay(service, bought, 100, { ...form, ...other })
      assert.deepEqual(again, { outcome: 'other_recorded' })
    }
    await assertBalance(bought, 400)
  })

  test('is booked once or not at all when the process is killed at any step', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    for (let last = 1, owed = 500, was_killed = true; was_killed; last++) {
      const form = { id: testId(`exr_killed_${last}`) }
      const { killed } = await untilKilled(last, () => repay(service, bought, 10, form))
      const now = await ledger.balanceOf(service.world.db, 'buyer_payable', bought.user_id)
      assert.ok(now === owed || now === owed - 10, `${now} after step ${last}`)
      assert.deepEqual(await repay(service, bought, 10, form), { outcome: 'recorded' })
      owed -= 10
      await assertBalance(bought, owed)
      was_killed = killed
    }
  })

  test('settles the earliest charge first, less what the buyer is owed of another one', async () => {
    const { db } = service.world
    const first = await buy(service, { card: CARD.comes_back })
    await refund(service, first, 300)
    await advanceAndHandleEvents(service, 2)
    assert.equal(await payBuyerOtherwise(service.world, await staffWithReason(service), first), 300)
    await advanceAndHandleEvents(service, 31)
    await runDue(service)
    const { id: invoice_id } = (await billing.lastPaidInvoice(db, first.license_id))!
    const second = { ...first, invoice_id, charge: (await payments.chargeOf(db, invoice_id))! }
    await refundOutside(service, first, 1260)
    await assertBalance(first, 300)
    await refund(service, second, 100)
    await advanceAndHandleEvents(service, 2)
    await assertBalance(first, 200)
    assert.deepEqual(await repay(service, first, 201), { outcome: 'too_much', owed: 200 })
    await repay(service, first, 200)
    await assertBalance(first, 0)
    const settled = (await receiptOf(first)).settled.map(({ amount }) => amount)
    assert.deepEqual(settled, [200])
    assert.deepEqual((await receiptOf(second)).settled, [])
  })

  test('is owed to the buyer if the refund is returned after all', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    await repay(service, bought, 500)
    await returnRefund(service, bought)
    await assertBalance(bought, -500)
    assert.equal(
      await payBuyerOtherwise(service.world, await staffWithReason(service), bought),
      500,
    )
    await assertBalance(bought, 0)
  })

  test('of a refund and a lost dispute of one charge settles what both gave', async () => {
    const bought = await disputedAfterRefund(service)
    const before = await owedToSeller(service)
    await assertBalance(bought, 630)
    await repay(service, bought, 630)
    await assertBalance(bought, 0)
    assert.equal(await owedToSeller(service), before)
    const [stored] = await payments.disputesOf(service.world.db, bought.charge.id)
    assert.deepEqual([stored?.status, stored?.owed], ['lost', 630])
    assert.deepEqual(
      (await receiptOf(bought)).settled.map(({ amount }) => amount),
      [630],
    )
  })
})

describe('a write-off of an excess', () => {
  test('is of all that is owed as it was shown, is a loss, and ends the alarm', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const before = await owedToSeller(service)
    await repay(service, bought, 200)
    assert.equal(await writeOffSeen(service, bought, 500), 'changed')
    await assertBalance(bought, 300)
    const both = await Promise.all([
      writeOffSeen(service, bought, 300),
      writeOffSeen(service, bought, 300),
    ])
    assert.deepEqual(both.sort(), [300, undefined])
    await assertBalance(bought, 0)
    assert.equal(await listed(bought), undefined)
    assert.ok(!(await hasAlarm(bought.refund_id)))
    assert.equal(await owedToSeller(service), before)
    const settlements = await ledger.listSettlements(service.world.db, { ...bought, limit: 9 })
    assert.deepEqual(settlements.map(({ kind, amount, text }) => [kind, amount, text]).sort(), [
      ['repaid', 200, 'WIRE 4711'],
      ['written_off', 300, 'Agreed by phone.'],
    ])
    const written_off = settlements.find(({ kind }) => kind === 'written_off')!
    const moved = await postedTotals(service, [written_off.id])
    assert.deepEqual(moved, { buyer_payable: -300, losses: 300 })
    const [entry] = (await auditOf(service, 'debt.written_off')).slice(-1)
    assert.deepEqual(entry, {
      subject: bought.user_id,
      detail: { write_off_id: written_off.id, amount: 300, reason: 'Agreed by phone.' },
    })
    const settled = (await receiptOf(bought)).settled.map(({ how, amount }) => [how, amount])
    assert.deepEqual(settled.sort(), [
      ['repaid', 200],
      ['waived', 300],
    ])
    const { user_id, app_id } = await receiptOf(bought)
    const page = { limit: 10, offset: 0 }
    const [line] = await billing.receiptsOf(service.world.db, { user_id, app_id }, page)
    assert.deepEqual([line?.repaid, line?.waived], [200, 300])
    assert.equal(await writeOffSeen(service, await buy(service), 0), undefined)
  })

  test('is booked once or not at all when the process is killed at any step', async () => {
    for (let last = 1, was_killed = true; was_killed; last += KILL_STRIDE) {
      const bought = await disputedAfterRefund(service)
      const { killed } = await untilKilled(last, () => writeOffSeen(service, bought, 630))
      const now = await ledger.balanceOf(service.world.db, 'buyer_payable', bought.user_id)
      assert.ok(now === 0 || now === 630, `${now} after step ${last}`)
      await writeOffSeen(service, bought, 630)
      assert.equal((await receiptOf(bought)).settled.length, 1)
      was_killed = killed
    }
    assert.deepEqual((await checkBooks(service.world)).differences, [])
  })

  test('is reversed if the card returns the refund, so that the buyer is owed nothing', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    await repay(service, bought, 200)
    await writeOffSeen(service, bought, 300)
    await returnRefund(service, bought)
    // They are owed what they repaid, and no more.
    await assertBalance(bought, -200)
    const settled = (await receiptOf(bought)).settled.map(({ how, amount }) => [how, amount])
    assert.deepEqual(settled, [['repaid', 200]])
    const { db } = service.world
    const settlements = await ledger.listSettlements(db, { ...bought, limit: 9 })
    const reversed = settlements.find(({ kind }) => kind === 'reversed')!
    assert.deepEqual(await postedTotals(service, [reversed.id]), {
      buyer_payable: 300,
      losses: -300,
    })
    assert.equal(
      await payBuyerOtherwise(service.world, await staffWithReason(service), bought),
      200,
    )
    await assertBalance(bought, 0)
    const person = { user_id: bought.user_id, email_normalized: bought.email }
    const { excess_written_off: off } = await personalData(db, person)
    assert.deepEqual(
      off?.map(({ amount_in_cents }) => amount_in_cents),
      [300, -300],
    )
  })

  test('is reversed if it was of a dispute that was open, and is won', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    const dispute = await disputeCharge(service, bought.charge)
    const { amount, disputed } = (await listed(bought))!
    assert.deepEqual([amount, disputed], [1260, 1260])
    await repay(service, bought, 260)
    assert.equal(await writeOffSeen(service, bought, 1000), 1000)
    await decideDispute(service, dispute, 'won')
    await assertBalance(bought, -260)
    const settled = (await receiptOf(bought)).settled.map(({ how, amount }) => [how, amount])
    assert.deepEqual(settled, [['repaid', 260]])
  })

  test('is reversed as far as a refund that was counted is returned, and not beyond', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    const dispute = await disputeCharge(service, bought.charge)
    await decideDispute(service, dispute, 'won')
    await refund(service, bought, 630)
    await bankSandbox(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
    await handleEvents(service.world)
    await assertBalance(bought, 630)
    assert.equal(await writeOffSeen(service, bought, 630), 630)
    // The bank gave everything back, and the card returns the refund: they received no excess.
    await advanceAndHandleEvents(service, 2)
    await assertBalance(bought, 0)
    assert.deepEqual((await receiptOf(bought)).settled, [])
  })
})
