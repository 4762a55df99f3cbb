import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstQueryOf, formOf, isRepeated, paramsOf, queryOf } from '#http/input'

test("parameters are read by the names in the route's pattern", () => {
  const params = { slug: 'tides', id: 'chg_1', more: 'x' }
  assert.deepEqual(paramsOf('/apps/:slug/changes/:id/', { params }), {
    slug: 'tides',
    id: 'chg_1',
  })
  assert.deepEqual(paramsOf('/:id', { params }), { id: 'chg_1' })
})

test('a parameter that the route lacks throws', () => {
  for (const params of [{}, { id: 7 }, null, undefined, 'id']) {
    assert.throws(() => paramsOf('/tasks/:id/', { params }), /no parameter id/)
  }
})

test('a repeated query parameter has no single value', () => {
  const query = { once: 'a', twice: ['a', 'b'] }
  assert.equal(queryOf({ query }, 'once'), 'a')
  assert.equal(queryOf({ query }, 'twice'), undefined)
  assert.equal(queryOf({ query }, 'constructor'), undefined)
  assert.equal(firstQueryOf({ query }, 'twice'), 'a')
  assert.deepEqual(
    ['once', 'twice', 'never'].map((name) => isRepeated({ query }, name)),
    [false, true, false],
  )
})

test('a form has only text values', () => {
  assert.deepEqual(formOf({ body: { email: 'a@example.com', nested: {}, count: 1 } }), {
    email: 'a@example.com',
  })
  for (const body of [undefined, null, 'text', 7]) assert.deepEqual(formOf({ body }), {})
})
