import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as grants from '#domain/grants'
import type { UserId } from '#platform/ids'
import { testId } from '../support/ids.ts'

const at = (minutes: number) => new Date(Date.UTC(2026, 2, 10, 12, minutes))
const key = (id: string, minutes: number) => ({ id, active_from: at(minutes) })
const order = (minutes: number, keys: { id: string; active_from: Date }[]) => {
  const { published, expired } = grants.orderKeys(at(minutes), keys)
  return [published.map(({ id }) => id).join(), expired.map(({ id }) => id).join()]
}

/** Minutes until everything that a key signed has expired: a lease lasts three days. */
const OVER = 3 * 24 * 60 + 10

test('a new key is published before it signs, and an old key until its signatures have expired', () => {
  const keys = [key('old', 0), key('new', 10)]
  assert.deepEqual(order(0, keys), ['old,new', ''])
  assert.deepEqual(order(9, keys), ['old,new', ''])
  assert.deepEqual(order(10, keys), ['new,old', ''])
  assert.deepEqual(order(10 + OVER - 1, keys), ['new,old', ''])
  assert.deepEqual(order(10 + OVER, keys), ['new', 'old'])
})

test('there is always a key that signs, however many are pending', () => {
  assert.deepEqual(order(0, [key('only', 5)]), ['only', ''])
  assert.deepEqual(order(0, []), ['', ''])
  const keys = [key('first', 0), key('second', 10), key('third', 12)]
  assert.deepEqual(order(11, keys), ['second,third,first', ''])
  assert.deepEqual(order(15 + OVER, keys), ['third', 'second,first'])
})

test('an account created at checkout may enter the app it bought and no other', () => {
  const limited = { app_id: testId('app_a'), email_verified_at: null }
  assert.equal(grants.maySignInTo(limited, testId('app_a')), true)
  assert.equal(grants.maySignInTo(limited, testId('app_b')), false)
  assert.equal(grants.maySignInTo(limited, null), false)
})

test('an account may enter any app once its email is confirmed, and none before', () => {
  assert.equal(
    grants.maySignInTo({ app_id: null, email_verified_at: at(0) }, testId('app_a')),
    true,
  )
  assert.equal(grants.maySignInTo({ app_id: null, email_verified_at: at(0) }, null), true)
  assert.equal(
    grants.maySignInTo({ app_id: null, email_verified_at: null }, testId('app_a')),
    false,
  )
})

test('authentication from before it was required again is not enough', () => {
  assert.equal(grants.isRecentEnough(at(5), at(1), {}), true)
  assert.equal(grants.isRecentEnough(at(5), at(1), { since: at(1) }), false)
  assert.equal(grants.isRecentEnough(at(5), at(2), { since: at(1) }), true)
  assert.equal(grants.isRecentEnough(at(5), at(1), { max_age: 240 }), true)
  assert.equal(grants.isRecentEnough(at(5), at(1), { max_age: 239 }), false)
})

test('a refresh token is valid for 30 days, and its family for at most 180', () => {
  const day = 86_400
  assert.equal(grants.refreshLifetime(0), 30 * day)
  assert.equal(grants.refreshLifetime(150 * day), 30 * day)
  assert.equal(grants.refreshLifetime(170 * day), 10 * day)
  assert.equal(grants.refreshLifetime(180 * day), 1)
})

test('a pairwise ID is stable within an app and differs between apps', () => {
  const secret = Buffer.alloc(32, 7)
  const of = (sector: string, user_id: UserId) => grants.subjectOf(secret, { sector, user_id })
  const [one, two] = [testId('usr_1'), testId('usr_2')]
  assert.equal(of('app_a', one), of('app_a', one))
  const all = [of('app_a', one), of('app_b', one), of('app_a', two)]
  assert.equal(new Set(all).size, 3)
  for (const each of all) assert.match(each, /^[\w-]{43}$/)
})
