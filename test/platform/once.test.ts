import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from '#platform/once'

test('computes a value when it is first asked for, and only then', () => {
  let count = 0
  const next = once(() => ++count)
  assert.equal(count, 0)
  assert.deepEqual([next(), next()], [1, 1])
})

test('keeps an undefined value as well', () => {
  let count = 0
  const nothing = once(() => void count++)
  nothing()
  nothing()
  assert.equal(count, 1)
})
