import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenIds } from '#flows/check-books/seen-ids'

test('contains every ID that was added, and no other of a hundred thousand', () => {
  const seen = new SeenIds()
  const ids = Array.from({ length: 100_000 }, (_, number) => `ch_${number}`)
  for (const id of ids) seen.add(id)
  assert.ok(ids.every((id) => seen.has(id)))
  assert.ok(!ids.some((id) => seen.has(`${id}x`)))
  seen.add('ch_later')
  assert.ok(seen.has('ch_later'))
  assert.ok(seen.has('ch_0'))
})

test('is empty at first', () => {
  assert.equal(new SeenIds().has('ch_1'), false)
})
