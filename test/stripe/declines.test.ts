import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineOf } from '../../src/stripe/declines.ts'

const ROWS: [code: string, decline_code: string | undefined, ours: string][] = [
  ['card_declined', 'generic_decline', 'generic_decline'],
  ['card_declined', 'do_not_honor', 'generic_decline'],
  ['card_declined', 'insufficient_funds', 'insufficient_funds'],
  ['card_declined', 'card_velocity_exceeded', 'insufficient_funds'],
  ['card_declined', 'lost_card', 'lost_card'],
  ['card_declined', 'pickup_card', 'lost_card'],
  ['card_declined', 'stolen_card', 'stolen_card'],
  ['card_declined', 'fraudulent', 'fraudulent'],
  ['card_declined', 'try_again_later', 'processing_error'],
  ['card_declined', 'authentication_required', 'authentication_required'],
  ['authentication_required', undefined, 'authentication_required'],
  ['expired_card', undefined, 'expired_card'],
  ['incorrect_cvc', undefined, 'incorrect_cvc'],
  ['processing_error', undefined, 'processing_error'],
  ['payment_intent_authentication_failure', undefined, 'authentication_failed'],
  ['setup_intent_authentication_failure', undefined, 'authentication_failed'],
  ['card_declined', 'a_reason_of_tomorrow', 'generic_decline'],
]
for (const [code, decline_code, ours] of ROWS) {
  test(`Stripe's ${decline_code ?? code} is our ${ours}`, () => {
    assert.equal(declineOf({ code, ...(decline_code ? { decline_code } : {}) }), ours)
  })
}

// M14
test('a card that its bank advises not to retry waits for another card', () => {
  const advice_code = 'do_not_try_again'
  const declined = { code: 'card_declined', decline_code: 'insufficient_funds' }
  assert.equal(declineOf({ ...declined, advice_code }), 'lost_card')
  assert.equal(declineOf({ code: 'expired_card', advice_code }), 'expired_card')
  assert.equal(declineOf({ ...declined, advice_code: 'try_again_later' }), 'insufficient_funds')
})

test('a decline without a reason is still a decline', () => {
  assert.equal(declineOf(null), 'generic_decline')
})
