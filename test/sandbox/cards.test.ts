import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openWorld } from './world.ts'

const world = await openWorld()

/** Charges a fresh card once, with its buyer there. */
async function firstCharge(number: string) {
  const card = await world.enterCard({ number, cvc: number.startsWith('37') ? '1234' : '123' })
  return { card, answer: await world.charge(card.token) }
}

const statusOf = (answer: { status: string; decline_code?: string }) =>
  answer.decline_code ?? answer.status

describe('a test card whose first charge succeeds', () => {
  const rows: [number: string, brand: string, country: string][] = [
    ['4242 4242 4242 4242', 'visa', 'US'],
    ['5555 5555 5555 4444', 'mastercard', 'US'],
    ['3782 822463 10005', 'amex', 'US'],
    ['4000 0000 0000 0259', 'visa', 'US'],
    ['4000 0000 0000 2685', 'visa', 'US'],
    ['4000 0000 0000 1976', 'visa', 'US'],
    ['4000 0000 0000 7726', 'visa', 'US'],
    ['4000 0000 0000 5126', 'visa', 'US'],
    ['4000 0012 4000 0000', 'visa', 'CA'],
    ['4000 0082 6000 0000', 'visa', 'GB'],
    ['4999 9900 0000 0114', 'visa', 'US'],
    ['4999 9900 0000 0122', 'visa', 'US'],
    ['4999 9900 0000 0130', 'visa', 'US'],
    ['4999 9900 0000 0197', 'visa', 'US'],
  ]
  for (const [number, brand, country] of rows) {
    test(`${number}: ${brand}, ${country}`, async () => {
      const { card, answer } = await firstCharge(number)
      assert.equal(card.brand, brand)
      assert.equal(card.issuer_country, country)
      assert.equal(card.billing_country, country)
      assert.equal(card.last4, number.replaceAll(' ', '').slice(-4))
      assert.equal(statusOf(answer), 'succeeded')
    })
  }
})

for (const [number, retries] of [
  ['4999 9900 0000 0114', 1],
  ['4999 9900 0000 0122', 2],
  ['4999 9900 0000 0130', 3],
] as const) {
  test(`${number}: each renewal fails and succeeds on retry ${retries}`, async () => {
    const { card } = await firstCharge(number)
    const fails = Array(retries).fill('generic_decline')
    for (const expected of [...fails, 'succeeded', ...fails, 'succeeded']) {
      assert.equal(statusOf(await world.charge(card.token, { off_session: true })), expected)
    }
  })
}

test('4999 9900 0000 0197: succeeds with its buyer present, and never renews', async () => {
  const { card } = await firstCharge('4999 9900 0000 0197')
  for (let retry = 0; retry < 8; retry++) {
    const answer = await world.charge(card.token, { off_session: true })
    assert.equal(statusOf(answer), 'generic_decline')
  }
  assert.equal(statusOf(await world.charge(card.token)), 'succeeded')
})

test('counts attempts per card: another token of the same number starts at zero', async () => {
  const number = '4999 9900 0000 0114'
  const first = await firstCharge(number)
  await world.charge(first.card.token, { off_session: true })
  const second = await firstCharge(number)
  const renewal = await world.charge(second.card.token, { off_session: true })
  assert.equal(statusOf(renewal), 'generic_decline')
})

describe('a scenario', () => {
  test('declines the requested number of renewals, and then the card works again', async () => {
    const { card } = await firstCharge('4242 4242 4242 4242')
    await world.sandbox.declineRenewals(card.token, 2)
    assert.equal(statusOf(await world.charge(card.token)), 'succeeded')
    for (const expected of ['generic_decline', 'generic_decline', 'succeeded']) {
      assert.equal(statusOf(await world.charge(card.token, { off_session: true })), expected)
    }
  })

  test('recovers a card, whatever its behavior', async () => {
    const { card } = await firstCharge('4999 9900 0000 0197')
    await world.sandbox.declineRenewals(card.token, 5)
    await world.sandbox.recoverCard(card.token)
    assert.equal(statusOf(await world.charge(card.token, { off_session: true })), 'succeeded')
  })

  test('with an unknown card is an error', async () => {
    await assert.rejects(world.sandbox.declineRenewals('card_unknown', 1))
    await assert.rejects(world.sandbox.recoverCard('card_unknown'))
  })
})
