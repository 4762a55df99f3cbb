import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Cents,
  cents,
  formatAmount,
  MILLION,
  parseAmount,
  share,
  shareDown,
  sum,
} from '#platform/money'

const RUNS = { numRuns: 20_000, seed: 1 }
const amount = fc.integer({ min: 0, max: 9_999_999_999 }).map(cents)

test('parses strict decimal text, and nothing else', () => {
  for (const [text, expected] of [
    ['0.00', 0],
    ['0.01', 1],
    ['1.00', 100],
    ['12.99', 1299],
    ['99999.99', 9_999_999],
    ['999999999.99', 99_999_999_999],
  ] as const) {
    assert.equal(parseAmount(text), expected)
  }
  const wrong = ['', '1', '1.', '1.0', '1.000', '.99', '01.00', '-1.00', '+1.00', ' 1.00', '1.00 ']
  wrong.push(
    '1,00',
    '1e2',
    '1.0e1',
    '0x1.00',
    'NaN',
    '∞',
    '١.٠٠',
    '1.00\n',
    '1_0.00',
    '1000000000.00',
  )
  for (const text of wrong) assert.equal(parseAmount(text), undefined, text)
})

test('parses what it formats, always with two decimals', () => {
  fc.assert(
    fc.property(amount, (value) => {
      const text = formatAmount(value)
      assert.match(text, /^(0|[1-9]\d*)\.\d{2}$/)
      assert.equal(parseAmount(text), value)
      if (value > 0) assert.equal(formatAmount(cents(-value)), `-${text}`)
    }),
    RUNS,
  )
})

test('only whole and exact numbers are cents', () => {
  for (const wrong of [0.5, NaN, Infinity, -Infinity, 2 ** 53, Number.MAX_VALUE]) {
    assert.throws(() => cents(wrong), RangeError)
  }
  assert.throws(() => sum(cents(Number.MAX_SAFE_INTEGER), cents(1)), RangeError)
})

/**
 * Half away from zero of an exact fraction, by the definition: the nearest, and of two the outer.
 */
function oracle(value: Cents, numerator: number, denominator: number): number {
  const exact = BigInt(Math.abs(value)) * BigInt(numerator)
  const below = exact / BigInt(denominator)
  const rest = exact - below * BigInt(denominator)
  const isUp = rest * 2n >= BigInt(denominator)
  return Number(isUp ? below + 1n : below) * Math.sign(value)
}

test('rounds a share half up once, exactly, for charges and refunds', () => {
  const part = fc.tuple(
    fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }).map(cents),
    fc.integer({ min: 0, max: MILLION }),
    fc.constantFrom(1, 2, 3, 7, 100, 10_000, MILLION),
  )
  fc.assert(
    fc.property(part, ([value, numerator, denominator]) => {
      fc.pre(numerator <= denominator)
      const got = share(value, numerator, denominator)
      assert.equal(got + 0, oracle(value, numerator, denominator) + 0)
      assert.ok(Math.abs(got) <= Math.abs(value))
      assert.equal(share(cents(0 - value), numerator, denominator) + got, 0)
    }),
    RUNS,
  )
})

test('rounds half a cent up where floating point would lose it', () => {
  assert.equal(share(cents(1), 1, 2), 1)
  assert.equal(share(cents(-1), 1, 2), -1)
  assert.equal(share(cents(105), 5000, MILLION), 1)
  // 1.005 and 8.345 are not exact in binary; 100.5 cents and 834.5 cents are half cents all the
  // same.
  assert.equal(share(cents(201), 1, 2), 101)
  assert.equal(share(cents(1669), 1, 2), 835)
  assert.equal(share(cents(9_999_999), 999_999, MILLION), 9_999_989)
})

test('a share that is rounded down never exceeds the exact one', () => {
  fc.assert(
    fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (value, bps) => {
      const got = BigInt(shareDown(value, bps, 10_000))
      const exact = BigInt(value) * BigInt(bps)
      assert.ok(got * 10_000n <= exact && exact < (got + 1n) * 10_000n)
    }),
    RUNS,
  )
  assert.throws(() => shareDown(cents(-1), 1, 2), RangeError)
})
