import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import { cents, ZERO } from '#platform/money'
import { testId } from '../support/ids.ts'

test('a sale costs 5% and 50 cents, 10% if the service brought the buyer, and 2% more with the add-on', () => {
  for (const [amount, seller, service, seller_add_on, service_add_on] of [
    [100, 55, 60, 57, 62],
    [107, 55, 61, 57, 63],
    [109, 55, 61, 58, 63],
    [110, 56, 61, 58, 63],
    // 5 % and 2 % rounded separately would be a cent more.
    [130, 57, 63, 59, 66],
    [1200, 110, 170, 134, 194],
    [1299, 115, 180, 141, 206],
    [1290, 115, 179, 140, 205],
    [9600, 530, 1010, 722, 1202],
    [18_000, 950, 1850, 1310, 2210],
    [9_999_999, 500_050, 1_000_050, 700_050, 1_200_050],
  ] as const) {
    const fee = (brought_by: billing.BroughtBy, has_add_on: boolean) =>
      billing.feeOn(cents(amount), { brought_by, has_add_on }).fee
    assert.deepEqual(
      [fee('seller', false), fee('service', false), fee('seller', true), fee('service', true)],
      [seller, service, seller_add_on, service_add_on],
      String(amount),
    )
  }
})

test('an affiliate earns a quarter of the fee, rounded down; without one there is no commission', () => {
  for (const [fee, commission] of [
    [55, 13],
    [56, 14],
    [110, 27],
    [170, 42],
    [3, 0],
    [4, 1],
  ] as const) {
    assert.equal(billing.commissionOn(cents(fee), testId('aff_1')), commission)
    assert.equal(billing.commissionOn(cents(fee), null), 0)
  }
})

test('a sale of any amount is divided to the cent, without negative parts', () => {
  const sale = fc.record({
    amount: fc.integer({ min: 100, max: 9_999_999 }).map(cents),
    tax: fc.integer({ min: 0, max: 999_999 }).map(cents),
    brought_by: fc.constantFrom('seller' as const, 'service' as const),
    has_add_on: fc.boolean(),
    affiliate_id: fc.constantFrom(testId('aff_1'), null),
  })
  fc.assert(
    fc.property(sale, ({ amount, tax, brought_by, has_add_on, affiliate_id }) => {
      const { fee, add_on_fee } = billing.feeOn(amount, { brought_by, has_add_on })
      const commission = billing.commissionOn(fee, affiliate_id)
      assert.ok(commission * 4 <= fee && fee < amount)
      const parties = { seller_id: testId('sel_1'), state: 'TX', affiliate_id }
      const facts = { invoice_id: testId('inv_1'), is_waived: false, ...parties }
      const { lines } = ledger.sale({ ...facts, amount, tax, fee, add_on_fee, commission })
      const of = (account: string) => lines.find((line) => line.account === account)?.amount ?? 0
      assert.equal(
        lines.reduce((total, line) => total + line.amount, 0),
        0,
      )
      assert.equal(of('processor'), amount + tax)
      assert.equal(0 - of('tax_payable'), tax)
      assert.equal(0 - of('affiliate_payable'), commission)
      assert.equal(0 - of('fees'), fee - add_on_fee - commission)
      assert.equal(0 - of('add_on_fees'), add_on_fee)
      assert.equal(0 - of('seller_payable'), amount - fee)
      assert.ok(lines.every((line) => line.amount !== 0))
    }),
    { numRuns: 10_000, seed: 1 },
  )
})

test('the ledger lines of a sale name their owners', () => {
  const parties = { seller_id: testId('sel_1'), state: 'TX', affiliate_id: testId('aff_1') }
  const facts = { invoice_id: testId('inv_1'), is_waived: false, ...parties }
  const fees = { fee: cents(134), add_on_fee: cents(24), commission: cents(27) }
  const amounts = { amount: cents(1200), tax: cents(60), ...fees }
  assert.deepEqual(ledger.sale({ ...facts, ...amounts }), {
    event: 'sale',
    subject: 'inv_1',
    lines: [
      { account: 'processor', owner: '', amount: 1260 },
      { account: 'tax_payable', owner: 'US-TX', amount: -60 },
      { account: 'affiliate_payable', owner: 'aff_1', amount: -27 },
      { account: 'fees', owner: '', amount: -83 },
      { account: 'add_on_fees', owner: '', amount: -24 },
      { account: 'seller_payable', owner: 'sel_1', amount: -1066 },
    ],
  })
})

// M11
test('an upgrade within a paid period costs the percentage only, without the fixed 50 cents', () => {
  const terms = { brought_by: 'seller', has_add_on: true } as const
  const first = billing.feeOn(cents(1200), terms)
  assert.deepEqual(first, { fee: 134, fixed_fee: 50, add_on_fee: 24 })
  const upgrade = billing.feeOn(cents(1200), terms, ZERO)
  assert.deepEqual(upgrade, { fee: 84, fixed_fee: 0, add_on_fee: 24 })
  // A difference of 30 cents leaves the seller 28 of them.
  assert.equal(billing.feeOn(cents(30), terms, ZERO).fee, 2)
})

// M1
test('the service pays for a waived sale, and everyone else receives the same', () => {
  const parties = { seller_id: testId('sel_1'), state: 'TX', affiliate_id: testId('aff_1') }
  const division = { amount: cents(40), tax: cents(2), fee: cents(4), commission: cents(1) }
  const facts = { invoice_id: testId('inv_1'), ...parties, ...division, add_on_fee: ZERO }
  const [paid, ...owed] = ledger.sale({ ...facts, is_waived: false }).lines
  const [waived, ...same] = ledger.sale({ ...facts, is_waived: true }).lines
  assert.deepEqual(paid, { account: 'processor', owner: '', amount: 42 })
  assert.deepEqual(waived, { account: 'waived', owner: '', amount: 42 })
  assert.deepEqual(same, owed)
})
