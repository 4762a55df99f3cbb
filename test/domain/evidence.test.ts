import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeEvidence } from '#domain/payments'

test('evidence names the period that was paid, and that a one-time payment has no end', () => {
  const describe = (period_end: Date | null) =>
    writeEvidence({
      email: 'buyer@example.com',
      app_name: 'Tidepool',
      product_name: 'Pro',
      period_start: new Date('2026-03-10T12:00:00Z'),
      period_end,
      terms: [],
      refund_policy: '',
      receipt: '',
      activity: [],
      statement: '',
    }).product_description
  assert.match(describe(new Date('2026-04-10T12:00:00Z')), /Paid for 2026-03-10 to 2026-04-10\.$/)
  assert.match(describe(null), /Paid once on 2026-03-10, for use without a time limit\.$/)
})
