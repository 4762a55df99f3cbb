import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cardExpiry, expiresFirst } from '#domain/payments'
import { cents, ZERO } from '#platform/money'

const at = (text: string) => new Date(`${text}T12:00:00Z`)
const march = { exp_month: 3, exp_year: 2027 }
const december = { exp_month: 12, exp_year: 2026 }

describe('a card that expires before a charge', () => {
  for (const [name, card, now, charge, asks] of [
    ['works until its month is over', march, '2027-03-01', '2027-03-31', false],
    ['is replaced for a charge in the next month', march, '2027-03-02', '2027-04-01', true],
    ['is replaced in the next year after December', december, '2026-12-02', '2027-01-01', true],
    ['works until the end of December', december, '2026-12-02', '2026-12-31', false],
    ['is replaced once it has expired', march, '2027-04-02', '2027-05-01', true],
    ['is not mentioned a year ahead', march, '2026-10-01', '2027-10-01', false],
    ['is mentioned 45 days ahead', march, '2027-03-01', '2027-04-15', true],
    ['is not mentioned 46 days ahead', march, '2027-03-01', '2027-04-16', false],
  ] as const) {
    test(name, () =>
      assert.equal(expiresFirst(card, { at: at(charge), now: at(now), amount: cents(500) }), asks),
    )
  }

  test('is not mentioned for a charge of nothing', () => {
    const charge = { at: at('2027-04-01'), now: at('2027-03-02'), amount: ZERO }
    assert.equal(expiresFirst(march, charge), false)
  })

  test('is shown as printed', () => {
    assert.equal(cardExpiry(march), '03/27')
    assert.equal(cardExpiry({ exp_month: 10, exp_year: 2100 }), '10/00')
  })
})
