import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cents } from '#platform/money'
import { stepText } from '#surfaces/test-clock/labels'

test('what is due next reads as a sentence about the buyer, with the charge', () => {
  const sentences = [
    [stepText('renew', { status: 'trialing' }, cents(8237)), 'ends the trial and pays $82.37'],
    [stepText('renew', { status: 'trialing' }), 'ends the trial and pays'],
    [stepText('renew', { status: 'active' }, cents(1260)), 'renews for $12.60'],
    [stepText('retry', { status: 'past_due' }, cents(1260)), 'retries the card for $12.60'],
    [stepText('end', { status: 'active' }), 'loses access'],
  ]
  for (const [said, expected] of sentences) assert.equal(said, expected)
})
