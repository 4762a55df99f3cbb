import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as billing from '#domain/billing'
import { type Cents, cents } from '#platform/money'

const at = (text: string) => new Date(`${text}T12:00:00Z`)
const day = (date: Date) => date.toISOString().slice(0, 10)

describe('the calendar of retries', () => {
  test('retries on days 1, 3, 5, 7, 10 and 14, once more on day 21, and then ends', () => {
    const since = at('2026-03-01')
    const first = billing.firstFailure(since)
    const seen = [[first.status, day(first.next_at)]]
    let next: billing.Dunning = first
    while (next.status !== 'canceled') {
      next = billing.nextRetry(since, next.retries)
      seen.push(next.status === 'canceled' ? ['canceled', ''] : [next.status, day(next.next_at)])
    }
    assert.deepEqual(seen, [
      ['past_due', '2026-03-02'],
      ['past_due', '2026-03-04'],
      ['past_due', '2026-03-06'],
      ['past_due', '2026-03-08'],
      ['past_due', '2026-03-11'],
      ['past_due', '2026-03-15'],
      ['unpaid', '2026-03-22'],
      ['canceled', ''],
    ])
  })

  test('does not retry a lost, stolen, expired or suspicious card', () => {
    const hard = ['lost_card', 'stolen_card', 'expired_card', 'fraudulent']
    const soft = ['generic_decline', 'insufficient_funds', 'processing_error', null]
    assert.ok(hard.every(billing.isHardDecline))
    assert.ok(!soft.some(billing.isHardDecline))
  })
})

describe('what is due', () => {
  const base = {
    next_at: at('2026-03-31'),
    period_end: at('2026-03-31'),
    frequency: 'month',
    auto_renew: true,
    pause_at_end: false,
    last_decline: null,
  } as const
  const yearly = { ...base, frequency: 'year', next_at: at('2026-03-01') } as const
  const trialing = { ...base, next_at: at('2026-03-28') }
  for (const [now, subscription, status, step] of [
    ['2026-03-30', base, 'active', 'rest'],
    ['2026-03-31', base, 'active', 'renew'],
    ['2026-03-31', base, 'trialing', 'renew'],
    ['2026-03-28', trialing, 'trialing', 'remind'],
    ['2026-03-28', { ...trialing, auto_renew: false }, 'trialing', 'remind'],
    ['2026-02-28', { ...yearly, next_at: at('2026-02-28') }, 'active', 'rest'],
    ['2026-03-01', yearly, 'active', 'remind'],
    ['2026-03-01', { ...yearly, frequency: 'month' }, 'active', 'rest'],
    ['2026-03-01', { ...yearly, auto_renew: false }, 'active', 'rest'],
    ['2026-03-01', { ...yearly, pause_at_end: true }, 'active', 'rest'],
    ['2026-03-01', yearly, 'trialing', 'rest'],
    ['2026-03-31', yearly, 'active', 'renew'],
    ['2026-03-31', { ...base, auto_renew: false }, 'active', 'end'],
    ['2026-03-31', { ...base, auto_renew: false, pause_at_end: true }, 'active', 'end'],
    ['2026-03-31', { ...base, pause_at_end: true }, 'active', 'pause'],
    ['2026-03-31', base, 'past_due', 'retry'],
    ['2026-03-31', base, 'unpaid', 'retry'],
    ['2026-03-31', { ...base, last_decline: 'lost_card' }, 'past_due', 'skip_retry'],
    ['2026-03-31', { ...base, last_decline: 'insufficient_funds' }, 'past_due', 'retry'],
    ['2026-04-30', base, 'paused', 'rest'],
    ['2026-04-30', base, 'canceled', 'rest'],
    ['2026-04-30', { ...base, next_at: null }, 'active', 'rest'],
  ] as const) {
    test(`${status}, ${now}, ${JSON.stringify(subscription)}: ${step}`, () => {
      assert.equal(billing.nextStep(at(now), subscription, status), step)
    })
  }
})

describe('a license that resumes', () => {
  const paid = { period_end: at('2026-03-31'), past_due_since: null, retries: 0 }
  for (const [now, frequency, status, due] of [
    ['2026-03-10', 'month', 'active', '2026-03-31'],
    ['2026-02-10', 'year', 'active', '2026-03-01'],
    ['2026-03-10', 'month', 'trialing', '2026-03-28'],
    // What became due in the meantime is due now, and not late.
    ['2026-03-10', 'year', 'active', '2026-03-10'],
    ['2026-03-30', 'month', 'trialing', '2026-03-30'],
    ['2026-04-10', 'month', 'active', '2026-04-10'],
  ] as const) {
    test(`on ${now}, ${status}, charged by the ${frequency}: is due on ${due}`, () => {
      const { next_at } = billing.dueAgain(at(now), { ...paid, frequency }, status)
      assert.equal(day(next_at!), due)
    })
  }

  // The third retry is five days after the first failure.
  for (const [now, due, since] of [
    ['2026-03-04', '2026-03-06', '2026-03-01'],
    ['2026-03-06', '2026-03-06', '2026-03-01'],
    ['2026-03-20', '2026-03-20', '2026-03-15'],
  ] as const) {
    test(`on ${now}, past due: is retried on ${due}, as if it had failed on ${since}`, () => {
      const failed = { ...paid, past_due_since: at('2026-03-01'), retries: 2 }
      const resumed = billing.dueAgain(at(now), { ...failed, frequency: 'month' }, 'past_due')
      assert.deepEqual(resumed, { next_at: at(due), past_due_since: at(since) })
    })
  }

  test('and is paused or canceled is not due', () => {
    const { next_at } = billing.dueAgain(
      at('2026-04-10'),
      { ...paid, frequency: 'month' },
      'paused',
    )
    assert.equal(next_at, null)
  })
})

// M9
describe('who pays late', () => {
  const cycle = { anchor: at('2026-01-31'), anchor_index: 0, frequency: 'month' } as const
  const paid = (now: Date) => {
    const { period_index, period_start, period_end, anchor } = billing.periodPaid(cycle, 2, now)
    return [period_index, day(period_start), day(period_end), day(anchor)]
  }
  const same = [2, '2026-02-28', '2026-03-31', '2026-01-31']
  // Half of the 31 days.
  const half = new Date('2026-03-16T00:00:00Z')

  test('keeps the period and the day of the month until half of the period is over', () => {
    assert.deepEqual(paid(at('2026-02-28')), same)
    assert.deepEqual(paid(half), same)
  })

  test('starts a new period and anchor after that, and never charges twice within a period', () => {
    const late = new Date(half.getTime() + 1)
    assert.deepEqual(paid(late), [2, '2026-03-16', '2026-04-16', '2026-03-16'])
    assert.deepEqual(paid(at('2026-05-10')), [2, '2026-05-10', '2026-06-10', '2026-05-10'])
  })

  test('gives a weekly plan a full week, even an hour before the next period', () => {
    const weekly = { ...cycle, frequency: 'week' } as const
    const now = new Date('2026-02-14T11:00:00Z')
    const { period_start, period_end } = billing.periodPaid(weekly, 2, now)
    assert.deepEqual([period_start, period_end], [now, new Date('2026-02-21T11:00:00Z')])
  })
})

describe('a move between plans', () => {
  const running = (status: 'active' | 'trialing', kept: Cents): billing.CurrentPeriod => ({
    status,
    period_start: at('2026-03-01'),
    period_end: at('2026-03-31'),
    kept,
  })
  const rate = (amount: number, frequency: billing.Rate['frequency'], trial_days = 0) => ({
    amount: cents(amount),
    frequency,
    trial_days,
  })
  const month = rate(1200, 'month')
  for (const [what, from, to, now, expected] of [
    ['dearer', month, rate(2400, 'month'), '2026-03-16', { when: 'now', credit: 600, due: 1800 }],
    [
      'by the second',
      month,
      rate(2400, 'month'),
      '2026-03-11',
      { when: 'now', credit: 800, due: 1600 },
    ],
    ['cheaper', month, rate(600, 'month'), '2026-03-16', { when: 'period_end' }],
    ['the same', month, rate(1200, 'month'), '2026-03-16', { when: 'period_end' }],
    // M11
    [
      'a year for less by the month',
      month,
      rate(9600, 'year'),
      '2026-03-16',
      { when: 'now', credit: 600, due: 9000 },
    ],
    [
      'a shorter commitment for more',
      month,
      rate(2400, 'week'),
      '2026-03-16',
      { when: 'period_end' },
    ],
    [
      'a year for more',
      month,
      rate(24_000, 'year'),
      '2026-03-16',
      { when: 'now', credit: 600, due: 23_400 },
    ],
    ['once', month, rate(18_000, null), '2026-03-16', { when: 'now', credit: 600, due: 17_400 }],
    [
      'on the last second',
      month,
      rate(2400, 'month'),
      '2026-03-31',
      { when: 'now', credit: 0, due: 2400 },
    ],
  ] as const) {
    test(`${what}: ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(
        billing.planChange(at(now), from, to, running('active', cents(1200))),
        expected,
      )
    })
  }

  test('waits for the period’s end if its credit would reach its price', () => {
    const yearly = { ...running('active', cents(9600)), period_end: at('2027-03-01') }
    for (const [now, once, expected] of [
      ['2026-03-16', 1200, { when: 'period_end' }],
      ['2026-03-01', 9600, { when: 'period_end' }],
      ['2026-03-01', 9601, { when: 'now', credit: 9600, due: 1 }],
    ] as const) {
      const move = billing.planChange(at(now), rate(9600, 'year'), rate(once, null), yearly)
      assert.deepEqual(move, expected)
    }
  })

  test('costs the new price less its discount and the credit', () => {
    const to = { ...rate(2400, 'month'), discount: cents(480) }
    const paid = running('active', cents(1200))
    assert.deepEqual(billing.planChange(at('2026-03-16'), month, to, paid), {
      when: 'now',
      credit: 600,
      due: 1320,
    })
    const trial = running('trialing', cents(0))
    assert.deepEqual(billing.planChange(at('2026-03-16'), month, to, trial), {
      when: 'now',
      credit: 0,
      due: 1920,
    })
  })

  // M11
  test('from yearly to monthly is a downgrade on every day of the year, at any price', () => {
    const yearly = { ...running('active', cents(9600)), period_end: at('2027-03-01') }
    for (const now of ['2026-03-16', '2027-02-08', '2027-02-28']) {
      const move = billing.planChange(at(now), rate(9600, 'year'), rate(1200, 'month'), yearly)
      assert.deepEqual(move, { when: 'period_end' })
    }
  })

  // M8
  describe('in a trial of 30 days', () => {
    const trial = running('trialing', cents(0))
    const now = { when: 'now', credit: 0 } as const
    for (const [to, on, expected] of [
      [rate(2400, 'month', 30), '2026-03-16', { when: 'in_trial', trial_end: at('2026-03-31') }],
      [rate(2400, 'month', 90), '2026-03-16', { when: 'in_trial', trial_end: at('2026-03-31') }],
      [rate(2400, 'month', 20), '2026-03-16', { when: 'in_trial', trial_end: at('2026-03-21') }],
      [rate(2400, 'month', 14), '2026-03-16', { ...now, due: 2400 }],
      [rate(99_900, 'month'), '2026-03-02', { ...now, due: 99_900 }],
      [rate(600, 'month'), '2026-03-02', { ...now, due: 600 }],
      [rate(18_000, null, 30), '2026-03-16', { ...now, due: 18_000 }],
    ] as const) {
      test(`to ${to.trial_days} days of ${to.amount} by the ${to.frequency}: ${expected.when}`, () => {
        assert.deepEqual(billing.planChange(at(on), month, to, trial), expected)
      })
    }
  })
})
