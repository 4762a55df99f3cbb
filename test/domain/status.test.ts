import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { testId } from '../support/ids.ts'

/** The specification's table, and where a buy link leads the holder of each status. */
const TABLE = [
  ['active', true, 'back_to_app'],
  ['trialing', true, 'back_to_app'],
  ['one_time_active', true, 'back_to_app'],
  ['past_due', false, 'update_card'],
  ['unpaid', false, 'update_card'],
  ['paused', false, 'explain_pause'],
  ['canceled', false, 'buy'],
  ['preview', true, 'buy'],
] as const

test('entitles exactly the statuses of the specification', () => {
  assert.deepEqual(
    TABLE.map(([status]) => status),
    licensing.LICENSE_STATUSES,
  )
  for (const [status, entitled] of TABLE) assert.equal(licensing.isEntitled(status), entitled)
})

test('a buyer with a license cannot buy it again, unless it is canceled', () => {
  for (const [status, , route] of TABLE) assert.equal(licensing.ownerRoute(status), route)
})

test('returns days in UTC, and the product under both names', () => {
  const facts = {
    license_id: testId('lic_1'),
    product_id: testId('prod_1'),
    status: 'active' as const,
    period_end: new Date('2026-04-10T23:59:59-05:00'),
    canceled_at: null,
  }
  assert.deepEqual(licensing.stateOf(facts), {
    entitled: true,
    status: 'active',
    license_id: 'lic_1',
    product_id: 'prod_1',
    product_public_id: 'prod_1',
    period_end: '2026-04-11',
    canceled_at: null,
  })
})

test('explains every decline of a bank in a sentence, and reveals nothing to a thief', () => {
  const codes = [
    'generic_decline',
    'insufficient_funds',
    'lost_card',
    'stolen_card',
    'expired_card',
    'incorrect_cvc',
    'processing_error',
    'fraudulent',
    'authentication_required',
    'authentication_failed',
  ] as const
  for (const code of codes) {
    const sentence = payments.declineSentence(code)
    assert.match(sentence, /^[A-Z].*\.$/)
    assert.ok(!sentence.includes('_'))
  }
  const plain = payments.declineSentence('generic_decline')
  for (const code of ['lost_card', 'stolen_card', 'fraudulent'] as const) {
    assert.equal(payments.declineSentence(code), plain)
  }
})
