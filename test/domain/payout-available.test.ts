import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { accountOf, isPayable, MINIMUM, mondayOf } from '#domain/payouts'
import { addDays } from '#platform/calendar'
import type { Database } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { cents } from '#platform/money'
import { openTestDatabase } from '../support/database.ts'
import { testId } from '../support/ids.ts'
import { balanceInBooks, modelBalance, type PayeeLine } from '../support/payee-balance.ts'

const NOON = new Date('2026-03-10T12:00:00Z')
const SELLER = { account: 'seller_payable' } as const
const AFFILIATE = { account: 'affiliate_payable' } as const

let db: Database
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

/** The balance of a payee by the service's statements, which the model computes as well. */
async function checkBalance(now: Date, payee: typeof SELLER | typeof AFFILIATE, all: PayeeLine[]) {
  const model = modelBalance(now, payee, all)
  const found = await balanceInBooks(db, now, payee, all)
  assert.deepEqual(found, { ...model, lines: isPayable(model.total) ? model.lines : undefined })
  return model
}

let lines = 0
const line = (
  at: Date,
  event: string,
  amount: number,
  invoice_id: InvoiceId | null = null,
): PayeeLine => ({
  transaction_id: testId(`txn_${lines++}`),
  position: 1,
  at,
  event,
  amount: cents(amount),
  invoice_id,
})

describe('what is available', () => {
  test('a sale is available after seven days for a seller, and a commission after thirty', async () => {
    for (const [payee, days] of [
      [SELLER, 7],
      [AFFILIATE, 30],
    ] as const) {
      const sale = line(NOON, 'sale', -3000)
      const end = addDays(NOON, days)
      const before = await checkBalance(new Date(end.getTime() - 1), payee, [sale])
      assert.deepEqual([before.total, before.pending_total, before.lines], [0, 3000, []])
      assert.deepEqual(before.pending, [{ at: end, amount: 3000 }])
      const after = await checkBalance(end, payee, [sale])
      assert.deepEqual([after.total, after.pending_total, after.lines], [3000, 0, [sale]])
    }
  })

  test('refunds count at once, and so do returned payouts', async () => {
    const taken = [
      line(NOON, 'sale', -5000),
      line(NOON, 'refund', 2000),
      line(NOON, 'dispute_opened', 2500),
      line(NOON, 'payout_failed', -3000),
      line(NOON, 'write_off', -700),
    ]
    const { total, pending_total } = await checkBalance(NOON, SELLER, taken)
    assert.deepEqual([total, pending_total], [-2000 - 2500 + 3000 + 700, 5000])
  })

  test('a won dispute is pending for as long as a sale', async () => {
    const won = [line(NOON, 'dispute_won', -2500)]
    assert.equal((await checkBalance(addDays(NOON, 6), SELLER, won)).total, 0)
    assert.equal((await checkBalance(addDays(NOON, 7), SELLER, won)).total, 2500)
  })

  // M10
  test('a refund of a pending sale is deducted from that sale, not from other money', async () => {
    const other = line(addDays(NOON, -10), 'sale', -9400, testId('inv_1'))
    const reserved = line(addDays(NOON, -1), 'sale', -9400, testId('inv_2'))
    const refund = line(NOON, 'refund', 9350, testId('inv_2'))
    const { total, lines, pending, pending_total } = await checkBalance(NOON, SELLER, [
      other,
      reserved,
      refund,
    ])
    assert.deepEqual([total, lines, pending_total], [9400, [other], 50])
    assert.deepEqual(pending, [{ at: addDays(NOON, 6), amount: 50 }])
    const later = await checkBalance(addDays(NOON, 6), SELLER, [other, reserved, refund])
    assert.deepEqual([later.total, later.pending_total], [9450, 0])
  })

  // M10
  test('a refund of more than the pending sale counts at once, together with the sale', async () => {
    const other = line(addDays(NOON, -10), 'sale', -9400, testId('inv_1'))
    const reserved = line(addDays(NOON, -1), 'sale', -9400, testId('inv_2'))
    const disputed = line(NOON, 'dispute_opened', 11_500, testId('inv_2'))
    const all = [other, reserved, disputed]
    const { total, lines, pending } = await checkBalance(NOON, SELLER, all)
    assert.deepEqual([total, lines, pending], [9400 - 2100, all, []])
  })

  test('pending amounts are listed by the day on which they become available, the next one first', async () => {
    const reserved = [
      line(new Date('2026-03-09T23:00:00Z'), 'sale', -300),
      line(new Date('2026-03-09T01:00:00Z'), 'sale', -200),
      line(new Date('2026-03-08T12:00:00Z'), 'sale', -100),
    ]
    assert.deepEqual((await checkBalance(NOON, SELLER, reserved)).pending, [
      { at: new Date('2026-03-15T12:00:00Z'), amount: 100 },
      { at: new Date('2026-03-16T23:00:00Z'), amount: 500 },
    ])
  })

  test('the available and the pending balance always add up to all lines', async () => {
    const events = ['sale', 'refund', 'dispute_opened', 'dispute_won', 'payout_failed', 'write_off']
    const anyLine = fc
      .tuple(
        fc.integer({ min: -40, max: 40 }),
        fc.constantFrom(...events),
        fc.integer({ min: -100_000, max: 100_000 }).filter((amount) => amount !== 0),
        fc.constantFrom(null, testId('inv_1'), testId('inv_2'), testId('inv_3')),
      )
      .map(([days, event, amount, sale]) => line(addDays(NOON, days), event, amount, sale))
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine), fc.integer({ min: -50, max: 90 }), async (all, days) => {
        const { total, pending_total } = await checkBalance(addDays(NOON, days), SELLER, all)
        assert.equal(total + pending_total, 0 - all.reduce((sum, { amount }) => sum + amount, 0))
        assert.ok(pending_total >= 0, 'only what is owed is in reserve')
      }),
    )
  })
})

test('payouts start at $25.00, and a debt is never paid out', () => {
  assert.equal(MINIMUM, 2500)
  for (const [total, is] of [
    [2500, true],
    [2499, false],
    [0, false],
    [-2500, false],
  ] as const) {
    assert.equal(isPayable(cents(total)), is)
  }
})

test('a week begins on Monday at 00:00 UTC', () => {
  for (const [at, monday] of [
    ['2026-03-09T00:00:00.000Z', '2026-03-09'],
    ['2026-03-08T23:59:59.999Z', '2026-03-02'],
    ['2026-03-15T12:00:00.000Z', '2026-03-09'],
    ['2026-01-01T00:00:00.000Z', '2025-12-29'],
    ['2028-03-01T05:00:00.000Z', '2028-02-28'],
  ] as const) {
    assert.equal(mondayOf(new Date(at)).toISOString(), `${monday}T00:00:00.000Z`)
  }
})

test('sellers and affiliates are paid from separate accounts', () => {
  assert.equal(accountOf(testId('sel_1')), 'seller_payable')
  assert.equal(accountOf(testId('aff_1')), 'affiliate_payable')
})
