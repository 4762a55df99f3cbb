import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  endOfMonth,
  type Filed,
  liabilitiesOf,
  monthBefore,
  monthOf,
  type StateMonth,
} from '#domain/tax'
import { type Cents, cents, ZERO } from '#platform/money'

const month = (name: string, charged: number, relieved = 0, state = 'TX'): StateMonth => ({
  state,
  month: name,
  collected: cents(charged - relieved),
})
const filed = (of: {
  month: string
  collected: number
  carried?: number
  state?: string
}): Filed => {
  const carried = cents(of.carried ?? 0)
  const collected = cents(of.collected)
  const amount = cents(Math.max(0, collected + carried))
  return { state: of.state ?? 'TX', month: of.month, collected, carried, amount }
}
const MAY = new Date('2026-05-15T00:00:00Z')
const brief = (months: StateMonth[], filings: Filed[] = []) =>
  liabilitiesOf(MAY, months, filings).map(({ month, collected, carried, amount, status }) => [
    month,
    collected,
    carried,
    amount,
    status,
  ])

describe('what is owed to a state for a month', () => {
  test('a month can be filed an hour after its end: what is booked at its end is in it', () => {
    const april = [month('2026-04', 100)]
    const statusAt = (at: string) => liabilitiesOf(new Date(at), april, [])[0]?.status
    assert.equal(statusAt('2026-05-01T00:59:59.999Z'), 'open')
    assert.equal(statusAt('2026-05-01T01:00:00Z'), 'due')
  })

  test('is the tax of its sales, less that of its refunds', () => {
    assert.deepEqual(brief([month('2026-03', 1000, 300)]), [['2026-03', 700, 0, 700, 'due']])
  })

  test('is open until the month is over, and waits for earlier months', () => {
    const months = [month('2026-05', 100), month('2026-03', 300), month('2026-04', 200)]
    assert.deepEqual(brief(months), [
      ['2026-03', 300, 0, 300, 'due'],
      ['2026-04', 200, 0, 200, 'waiting'],
      ['2026-05', 100, 0, 100, 'open'],
    ])
    assert.deepEqual(
      brief(months, [filed({ month: '2026-03', collected: 300 })]).map(
        ([, , , , status]) => status,
      ),
      ['filed', 'due', 'open'],
    )
  })

  test('is zero if more was refunded than collected, and the rest is carried over', () => {
    const months = [month('2026-02', 100, 500), month('2026-03', 150), month('2026-04', 900, 100)]
    assert.deepEqual(brief(months), [
      ['2026-02', -400, 0, 0, 'due'],
      ['2026-03', 150, -400, 0, 'waiting'],
      ['2026-04', 800, -250, 550, 'waiting'],
    ])
    const filings = [
      filed({ month: '2026-02', collected: -400 }),
      filed({ month: '2026-03', collected: 150, carried: -400 }),
    ]
    assert.deepEqual(brief(months, filings).at(-1), ['2026-04', 800, -250, 550, 'due'])
  })

  test('is computed for each state separately', () => {
    const months = [month('2026-03', 0, 400, 'TX'), month('2026-04', 100, 0, 'WA')]
    assert.deepEqual(brief(months), [
      ['2026-03', -400, 0, 0, 'due'],
      ['2026-04', 100, 0, 100, 'due'],
    ])
  })

  test('needs of what was filed only the month before the first that was not', () => {
    const months = ['01', '02', '03', '04'].map((number, at) => month(`2026-${number}`, at * 100))
    const filings = [
      filed({ month: '2026-01', collected: 0 }),
      filed({ month: '2026-02', collected: 100, carried: -300 }),
    ]
    const owed = brief(months, filings).slice(2)
    assert.deepEqual(owed[0], ['2026-03', 200, -200, 0, 'due'])
    assert.deepEqual(brief(months.slice(1), filings.slice(1)).slice(1), owed)
  })

  test('adds up to the tax collected, in any order of months', () => {
    const figures = fc.array(fc.integer({ min: -10_000, max: 10_000 }), { maxLength: 24 })
    fc.assert(
      fc.property(figures, (all) => {
        const months = all.map((net, index) => {
          const at = new Date(Date.UTC(2020, index, 1))
          return month(monthOf(at), Math.max(0, net), Math.max(0, -net))
        })
        const owed = liabilitiesOf(MAY, months, [])
        const paid = owed.reduce((sum, { amount }) => sum + amount, 0)
        const total = all.reduce((sum, net) => sum + net, 0)
        const last = owed.at(-1)
        const left: Cents = last ? cents(last.collected + last.carried - last.amount) : ZERO
        assert.equal(paid + left, total)
        assert.ok(left <= 0)
      }),
    )
  })
})

test('a month ends with the first instant of the next one, in UTC', () => {
  assert.equal(endOfMonth('2026-12').toISOString(), '2027-01-01T00:00:00.000Z')
  assert.equal(endOfMonth('2028-02').toISOString(), '2028-03-01T00:00:00.000Z')
  assert.equal(monthOf(new Date('2026-02-28T23:59:59.999Z')), '2026-02')
})

test('a month is counted back over the turn of a year', () => {
  assert.equal(monthBefore('2026-11', 0), '2026-11')
  assert.equal(monthBefore('2026-02', 3), '2025-11')
  assert.equal(monthBefore('2026-12', 12), '2025-12')
})
