import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import Fraction from 'fraction.js'
import * as billing from '#domain/billing'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { testId } from '../support/ids.ts'

const invoice = (amount: number, tax: number, fee: number, add_on_fee = 0, commission = 0) => ({
  amount: cents(amount),
  tax: cents(tax),
  fee: cents(fee),
  fixed_fee: cents(Math.min(fee, 50)),
  add_on_fee: cents(add_on_fee),
  commission: cents(commission),
})

/** Refunds an invoice in steps, and returns the parts of each step. */
function inSteps(divided: billing.Divided, steps: number[]): billing.Reversal[] {
  let before = billing.NO_REVERSAL
  return steps.map((step) => {
    const reversal = billing.reversalOf(divided, before, cents(step))
    before = billing.sumReversals(before, reversal)
    return reversal
  })
}

describe('what a refund reverses', () => {
  test('is never negative after a dispute that it was counted with was won', () => {
    const plan = invoice(1200, 60, 110, 0, 27)
    const disputed = billing.reversalOf(plan, billing.NO_REVERSAL, cents(10))
    // Refunded during the dispute, for which it has rounded the tax up.
    const during = billing.reversalOf(plan, disputed, cents(1))
    assert.deepEqual([during.tax, during.fee], [1, 1])
    const later = billing.reversalOf(plan, during, cents(1))
    assert.deepEqual([later.tax, later.fee], [0, 0])
    const taken = billing.sumReversals(during, later)
    const rest = billing.reversalOf(plan, taken, cents(1258))
    const all = billing.sumReversals(taken, rest)
    assert.deepEqual([all.tax, all.fee, all.commission], [60, 60, 27])
  })

  // A plan of $12.00 in Texas (5 % of it tax), brought by the seller: 5 % + $0.50 is $1.10.
  const twelve = invoice(1200, 60, 110, 0, 27)
  const cases: [what: string, of: billing.Divided, steps: number[], parts: number[][]][] = [
    ['all: the 50 cents stay', twelve, [1260], [[1260, 60, 60, 0, 27]]],
    ['half', twelve, [630], [[630, 30, 30, 0, 14]]],
    ['a cent', twelve, [1], [[1, 0, 0, 0, 0]]],
    [
      'thirds, of which the last brings what rounding left',
      invoice(1000, 83, 100, 0, 25),
      [361, 361, 361],
      [
        [361, 28, 17, 0, 8],
        [361, 27, 16, 0, 9],
        [361, 28, 17, 0, 8],
      ],
    ],
    [
      'with the add-on’s part of the fee',
      invoice(1200, 60, 134, 24, 33),
      [630],
      [[630, 30, 42, 12, 17]],
    ],
    [
      'without tax',
      invoice(18_000, 0, 950),
      [9000, 9000],
      [
        [9000, 0, 450, 0, 0],
        [9000, 0, 450, 0, 0],
      ],
    ],
    [
      'of an invoice that the fixed part used up: no fee',
      invoice(30, 2, 30),
      [32],
      [[32, 2, 0, 0, 0]],
    ],
  ]
  for (const [what, of, steps, parts] of cases) {
    test(what, () => {
      const got = inSteps(of, steps).map((reversal) => [
        reversal.amount,
        reversal.tax,
        reversal.fee,
        reversal.add_on_fee,
        reversal.commission,
      ])
      assert.deepEqual(got, parts)
    })
  }

  test('rejects zero, negative amounts, and more than is left', () => {
    for (const amount of [0, -1, 1261]) {
      assert.throws(() => inSteps(twelve, [amount]), RangeError)
    }
    assert.throws(() => inSteps(twelve, [1260, 1]), RangeError)
  })
})

/** Any invoice that the service can write, with steps that refund a part of it or all. */
const invoices = fc
  .record({
    amount: fc.integer({ min: 1, max: 9_999_999 }),
    tax_ppm: fc.integer({ min: 0, max: 120_000 }),
    brought_by: fc.constantFrom('seller' as const, 'service' as const),
    has_add_on: fc.boolean(),
    is_first: fc.boolean(),
    affiliate_id: fc.constantFrom(null, testId('aff_1')),
  })
  .map(({ amount, tax_ppm, affiliate_id, is_first, ...terms }) => {
    const price = cents(amount)
    const fee = billing.feeOn(price, terms, is_first ? billing.FIXED_FEE : ZERO)
    return {
      amount: price,
      tax: cents(Math.round((amount * tax_ppm) / 1_000_000)),
      ...fee,
      commission: billing.commissionOn(fee.fee, affiliate_id),
    }
  })

const partsOf = (divided: billing.Divided): [name: keyof billing.Reversal, whole: number][] => [
  ['tax', divided.tax],
  ['add_on_fee', divided.add_on_fee],
  ['fee', divided.fee - divided.fixed_fee],
  ['commission', divided.commission],
]

const stepsOf = (divided: billing.Divided, cuts: number[]): number[] => {
  const whole = sum(divided.amount, divided.tax)
  const marks = [...new Set(cuts.map((cut) => Math.floor(cut * whole)))].filter((mark) => mark > 0)
  marks.sort((one, other) => one - other)
  return [...marks, whole]
    .map((mark, index) => mark - (marks[index - 1] ?? 0))
    .filter((step) => step)
}

const CUTS = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
  maxLength: 12,
})

test('refunds in any steps are exact to the cent, and no part ever decreases', () => {
  fc.assert(
    fc.property(invoices, CUTS, (divided, cuts) => {
      const reversals = inSteps(divided, stepsOf(divided, cuts))
      const all = billing.sumReversals(...reversals)
      assert.equal(all.amount, divided.amount + divided.tax)
      for (const [name, whole] of partsOf(divided)) assert.equal(all[name], whole, name)
      for (const reversal of reversals) {
        assert.ok(reversal.tax >= 0 && reversal.tax <= reversal.amount)
        assert.ok(reversal.add_on_fee >= 0 && reversal.add_on_fee <= reversal.fee)
        assert.ok(reversal.commission >= 0)
      }
    }),
    { numRuns: 3000 },
  )
})

test('after every step each part is within half a cent of its exact share (the fee: of its two)', () => {
  fc.assert(
    fc.property(invoices, CUTS, (divided, cuts) => {
      const whole = divided.amount + divided.tax
      let before = billing.NO_REVERSAL
      for (const step of stepsOf(divided, cuts)) {
        before = billing.sumReversals(before, billing.reversalOf(divided, before, step as Cents))
        for (const [name, part] of partsOf(divided)) {
          const exact = new Fraction(part).mul(before.amount).div(whole)
          const off = new Fraction(before[name]).sub(exact).abs()
          const most = name === 'fee' && divided.add_on_fee > 0 ? 1 : 0.5
          assert.ok(off.lte(most), `${name} is off by ${off.toString()}`)
        }
      }
    }),
    { numRuns: 1000 },
  )
})
