import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cents, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { BEHAVIOURS, type BehaviourName } from '../../src/sandbox/index.ts'
import { openWorld } from './world.ts'

const world = await openWorld()

/** Charges a fresh card once, with its buyer there. */
async function firstCharge(number: string, amount = cents(1275)) {
  const card = await world.enterCard({ number, cvc: number.startsWith('37') ? '1234' : '123' })
  return { card, answer: await world.charge(card.token, { amount }) }
}

const statusOf = (answer: { status: string; decline_code?: string }) =>
  answer.decline_code ?? answer.status

describe('what each test card does at its first charge', () => {
  const rows: [number: string, brand: string, country: string, outcome: string][] = [
    ['4242 4242 4242 4242', 'visa', 'US', 'succeeded'],
    ['5555 5555 5555 4444', 'mastercard', 'US', 'succeeded'],
    ['3782 822463 10005', 'amex', 'US', 'succeeded'],
    ['4000 0000 0000 0002', 'visa', 'US', 'generic_decline'],
    ['4000 0000 0000 9995', 'visa', 'US', 'insufficient_funds'],
    ['4000 0000 0000 9987', 'visa', 'US', 'lost_card'],
    ['4000 0000 0000 9979', 'visa', 'US', 'stolen_card'],
    ['4000 0000 0000 0069', 'visa', 'US', 'expired_card'],
    ['4000 0000 0000 0127', 'visa', 'US', 'incorrect_cvc'],
    ['4000 0000 0000 0119', 'visa', 'US', 'processing_error'],
    ['4000 0000 0000 0341', 'visa', 'US', 'generic_decline'],
    ['4000 0025 0000 3155', 'visa', 'US', 'action_required'],
    ['4000 0027 6000 3184', 'visa', 'US', 'action_required'],
    ['4000 0000 0000 0259', 'visa', 'US', 'succeeded'],
    ['4000 0000 0000 2685', 'visa', 'US', 'succeeded'],
    ['4000 0000 0000 1976', 'visa', 'US', 'succeeded'],
    ['4000 0000 0000 7726', 'visa', 'US', 'succeeded'],
    ['4000 0000 0000 5126', 'visa', 'US', 'succeeded'],
    ['4100 0000 0000 0019', 'visa', 'US', 'fraudulent'],
    ['4000 0012 4000 0000', 'visa', 'CA', 'succeeded'],
    ['4000 0082 6000 0000', 'visa', 'GB', 'succeeded'],
    ['4999 9900 0000 0114', 'visa', 'US', 'succeeded'],
    ['4999 9900 0000 0122', 'visa', 'US', 'succeeded'],
    ['4999 9900 0000 0130', 'visa', 'US', 'succeeded'],
    ['4999 9900 0000 0197', 'visa', 'US', 'succeeded'],
  ]
  for (const [number, brand, country, outcome] of rows) {
    test(`${number}: ${brand}, ${country}, ${outcome}`, async () => {
      const { card, answer } = await firstCharge(number)
      assert.equal(card.brand, brand)
      assert.equal(card.issuer_country, country)
      assert.equal(card.billing_country, country)
      assert.equal(card.last4, number.replaceAll(' ', '').slice(-4))
      assert.equal(statusOf(answer), outcome)
    })
  }
})

test('what a card does after it was charged is kept with it', async () => {
  const later = {
    '4000 0000 0000 0259': { disputes: 'fraudulent' },
    '4000 0000 0000 2685': { disputes: 'product_not_received' },
    '4000 0000 0000 1976': { disputes: 'inquiry' },
    '4000 0000 0000 7726': { refunds: 'pending' },
    '4000 0000 0000 5126': { refunds: 'fails' },
  }
  for (const [number, expected] of Object.entries(later)) {
    const { token } = await world.enterCard({ number })
    const { behaviour } = await world.db.one<{ behaviour: BehaviourName }>(
      sql`select behaviour from sandbox.cards where token = ${token}`,
    )
    assert.deepEqual(BEHAVIOURS[behaviour], expected)
  }
})

test('a verification declines as the card declines', async () => {
  const declined = await firstCharge('4000 0000 0000 0002', ZERO)
  assert.equal(statusOf(declined.answer), 'generic_decline')
  const verified = await firstCharge('4242 4242 4242 4242', ZERO)
  assert.equal(statusOf(verified.answer), 'succeeded')
})

test('4000 0000 0000 0341 verifies, and then every charge is declined', async () => {
  const { card, answer } = await firstCharge('4000 0000 0000 0341', ZERO)
  assert.equal(statusOf(answer), 'succeeded')
  for (const off_session of [false, true]) {
    assert.equal(statusOf(await world.charge(card.token, { off_session })), 'generic_decline')
  }
})

for (const [number, retries] of [
  ['4999 9900 0000 0114', 1],
  ['4999 9900 0000 0122', 2],
  ['4999 9900 0000 0130', 3],
] as const) {
  test(`${number}: each renewal fails and works on retry ${retries}`, async () => {
    const { card } = await firstCharge(number)
    const fails = Array(retries).fill('generic_decline')
    for (const expected of [...fails, 'succeeded', ...fails, 'succeeded']) {
      assert.equal(statusOf(await world.charge(card.token, { off_session: true })), expected)
    }
  })
}

test('4999 9900 0000 0197: works with its buyer there, never renews', async () => {
  const { card } = await firstCharge('4999 9900 0000 0197')
  for (let retry = 0; retry < 8; retry++) {
    const answer = await world.charge(card.token, { off_session: true })
    assert.equal(statusOf(answer), 'generic_decline')
  }
  assert.equal(statusOf(await world.charge(card.token)), 'succeeded')
})

test('a card is counted for itself: another token of the same number starts anew', async () => {
  const number = '4999 9900 0000 0114'
  const first = await firstCharge(number)
  await world.charge(first.card.token, { off_session: true })
  const second = await firstCharge(number)
  const renewal = await world.charge(second.card.token, { off_session: true })
  assert.equal(statusOf(renewal), 'generic_decline')
})
