import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as discounts from '#domain/discounts'
import { cents } from '#platform/money'
import { testId } from '../support/ids.ts'

const PRODUCT = testId('prod_1')
const DAY_1 = new Date('2026-03-01')
const DAY_2 = new Date('2026-03-02')

const TERMS: discounts.Discount = {
  id: testId('disc_1'),
  code: 'LAUNCH',
  is_active: true,
  percent: 20,
  amount: null,
  periods: 1,
  valid_from: null,
  valid_until: null,
  max_uses: null,
  is_once_per_buyer: false,
  is_first_purchase: false,
  product_ids: [],
}
const BUYER = { product_id: PRODUCT, uses: 0, used_before: false, bought_before: false }

describe('what a discount takes off a price', () => {
  for (const [percent, amount, price, off] of [
    [20, null, 1000, 200],
    [100, null, 1000, 1000],
    [1, null, 100, 1],
    // Rounded half up, once.
    [15, null, 1010, 152],
    [15, null, 1003, 150],
    [null, 300, 1000, 300],
    [null, 1500, 1000, 1000],
  ] as const) {
    const name = percent === null ? `${amount} cents` : `${percent} percent`
    test(`${name} off ${price} cents is ${off}`, () => {
      const terms = { ...TERMS, percent, amount: amount === null ? null : cents(amount) }
      assert.equal(discounts.amountOff(terms, cents(price)), off)
    })
  }
})

describe('a code', () => {
  for (const [why, terms, buyer, refusal] of [
    ['without limits applies', {}, {}, undefined],
    ['that was turned off has expired', { is_active: false }, {}, 'expired'],
    ['expires at the moment that it is valid until', { valid_until: DAY_1 }, {}, 'expired'],
    ['applies before that moment', { valid_until: DAY_2 }, {}, undefined],
    ['does not apply before it is valid', { valid_from: DAY_2 }, {}, 'not_yet'],
    ['applies from the moment that it is valid', { valid_from: DAY_1 }, {}, undefined],
    ['does not apply after its last use', { max_uses: 2 }, { uses: 2 }, 'used_up'],
    ['applies to its last use', { max_uses: 2 }, { uses: 1 }, undefined],
    ['of other products does not apply', { product_ids: [testId('prod_2')] }, {}, 'other_product'],
    ['of this product applies', { product_ids: [PRODUCT] }, {}, undefined],
    [
      'for one use per buyer does not apply again',
      { is_once_per_buyer: true },
      { used_before: true, bought_before: true },
      'used_before',
    ],
    [
      'for one use per buyer applies to a buyer of other things',
      { is_once_per_buyer: true },
      { bought_before: true },
      undefined,
    ],
    [
      'for first purchases does not apply to a second one',
      { is_first_purchase: true },
      { bought_before: true },
      'not_first_purchase',
    ],
  ] as const) {
    test(why, () => {
      const found = discounts.refusalOf(DAY_1, { ...TERMS, ...terms }, { ...BUYER, ...buyer })
      assert.equal(found, refusal)
    })
  }

  test('is the same in any case, and with spaces around it', () => {
    assert.equal(discounts.normalizeCode(' launch-20 '), 'LAUNCH-20')
  })
})

describe('what is left of a discount', () => {
  const id = testId('disc_1')
  for (const [periods, applied, left] of [
    [1, 1, null],
    [1, 0, { discount_id: id, discount_periods_left: 1 }],
    [3, 1, { discount_id: id, discount_periods_left: 2 }],
    [null, 1, { discount_id: id, discount_periods_left: null }],
  ] as const) {
    test(`of ${periods ?? 'all'} periods, after ${applied}`, () => {
      const none = { discount_id: null, discount_periods_left: null }
      assert.deepEqual(discounts.runningOf({ ...TERMS, periods }, applied), left ?? none)
    })
  }
})

test('a discount in words has its amount as pages write amounts', () => {
  const terms = { ...TERMS, percent: null, amount: cents(123_450) }
  assert.equal(discounts.discountText(terms), '$1,234.50 off once')
  assert.equal(discounts.discountText({ ...TERMS, periods: 3 }), '20% off for 3 periods')
})
