import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as licensing from '#domain/licensing'
import { systemRandom } from '#platform/random'
import { mintKey } from '../../src/domain/licensing/key.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const seeded = {
  bytes: (count: number) =>
    Buffer.from(Array.from({ length: count }, (_, at) => (at * 83 + 7) % 251)),
}

test('a key is key_ and 33 characters of base62, and never repeats', () => {
  const keys = new Set<string>()
  for (let count = 0; count < 5000; count++) {
    const key = mintKey(systemRandom)
    assert.match(key, /^key_[0-9A-Za-z]{33}$/)
    assert.ok(licensing.isWellFormedKey(key))
    keys.add(key)
  }
  assert.equal(keys.size, 5000)
})

test('every character is equally likely in a key’s random part', () => {
  const counts = new Map<string, number>()
  const keys = 4000
  for (let index = 0; index < keys; index++) {
    for (const char of mintKey(systemRandom).slice(4, 31)) {
      counts.set(char, (counts.get(char) ?? 0) + 1)
    }
  }
  const expected = (keys * 27) / 62
  assert.equal(counts.size, 62)
  // Eight standard deviations: a fair draw never exceeds them, a biased one always does.
  const slack = 8 * Math.sqrt(expected)
  for (const [char, count] of counts) {
    assert.ok(Math.abs(count - expected) < slack, `${char}: ${count}, not about ${expected}`)
  }
})

test('detects one wrong character, and two swapped ones', () => {
  const key = mintKey(seeded)
  for (let place = 4; place < key.length; place++) {
    for (const char of ALPHABET) {
      if (char === key[place]) continue
      const typo = key.slice(0, place) + char + key.slice(place + 1)
      assert.ok(!licensing.isWellFormedKey(typo), typo)
    }
    const swapped = [...key]
    swapped[place] = key[place + 1] ?? ''
    swapped[place + 1] = key[place]!
    if (swapped.join('') !== key) assert.ok(!licensing.isWellFormedKey(swapped.join('')))
  }
})

test('rejects any other text', () => {
  const key = mintKey(seeded)
  const wrong = [
    '',
    'key_',
    key.slice(1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.replace('key', 'KEY'),
  ]
  for (const text of wrong) assert.ok(!licensing.isWellFormedKey(text), text)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      assert.ok(!licensing.isWellFormedKey(text))
      assert.ok(!licensing.isWellFormedKey(`key_${text}`))
    }),
    { numRuns: 5000, seed: 1 },
  )
})
