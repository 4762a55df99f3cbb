import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as billing from '#domain/billing'
import { cents } from '#platform/money'

const NOW = new Date('2026-01-31T12:00:00Z')
const TOTAL = cents(1260)

test('the terms of a purchase follow from its price, its trial and the buyer', () => {
  for (const [frequency, trial_days, trial_allowed, status, period_end, due_now] of [
    ['month', 0, true, 'active', '2026-02-28T12:00:00.000Z', 1260],
    ['year', 0, false, 'active', '2027-01-31T12:00:00.000Z', 1260],
    ['week', 0, false, 'active', '2026-02-07T12:00:00.000Z', 1260],
    ['day', 0, false, 'active', '2026-02-01T12:00:00.000Z', 1260],
    ['month', 14, true, 'trialing', '2026-02-14T12:00:00.000Z', 0],
    ['month', 14, false, 'active', '2026-02-28T12:00:00.000Z', 1260],
    ['year', 90, true, 'trialing', '2026-05-01T12:00:00.000Z', 0],
    [null, 0, false, 'one_time_active', undefined, 1260],
    // What is paid once has no trial, whatever its product offers for its other prices.
    [null, 14, true, 'one_time_active', undefined, 1260],
  ] as const) {
    const terms = billing.termsOf(NOW, { frequency, trial_days }, { total: TOTAL, trial_allowed })
    assert.deepEqual(
      [terms.status, terms.period_end?.toISOString(), terms.due_now],
      [status, period_end, due_now],
    )
  }
})
