import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const keys = keyRing([OLD])
const seal = (text: string, bound = 'lic_1', purpose = 'display', ring = keys) =>
  ring.seal(systemRandom, purpose, bound, text)

test('decrypts what was sealed for the same purpose and subject, and seals differently each time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string(), (text, bound) => {
      const wellFormed = text.toWellFormed()
      const sealed = seal(wellFormed, bound)
      assert.equal(keys.open('display', bound, sealed), wellFormed)
      assert.notDeepEqual(seal(wellFormed, bound), sealed)
      if (text.length > 3) assert.ok(!sealed.includes(wellFormed))
    }),
    { numRuns: 300, seed: 1 },
  )
})

test('does not decrypt for another subject or purpose, or what was altered or truncated', () => {
  const sealed = seal('key_secret')
  assert.throws(() => keys.open('display', 'lic_2', sealed))
  assert.throws(() => keys.open('lookup', 'lic_1', sealed))
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Buffer.from(sealed)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    assert.throws(() => keys.open('display', 'lic_1', flipped), `bit ${bit}`)
  }
  // A truncated seal of an empty text is a truncated tag, which a careless reader would accept.
  for (const whole of [sealed, seal('')]) {
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => keys.open('display', 'lic_1', whole.subarray(0, length)))
    }
  }
})

test('seals and hashes with the new key after a rotation, and still decrypts and finds with the old one', () => {
  const rotated = keyRing([NEW, OLD])
  const sealed = seal('key_secret')
  assert.equal(rotated.open('display', 'lic_1', sealed), 'key_secret')
  const fresh = seal('key_secret', 'lic_1', 'display', rotated)
  assert.throws(() => keys.open('display', 'lic_1', fresh), /no longer on the ring/)
  assert.equal(keyRing([NEW]).open('display', 'lic_1', fresh), 'key_secret')
  assert.throws(() => keyRing([NEW]).open('display', 'lic_1', sealed), /no longer on the ring/)
  assert.deepEqual(rotated.hmacs('lookup', 'key')[1], keys.hmac('lookup', 'key'))
  assert.deepEqual(rotated.hmac('lookup', 'key'), rotated.hmacs('lookup', 'key')[0])
})

test('hashes differ by purpose, text and key', () => {
  const hashes = [
    keys.hmac('a', 'x'),
    keys.hmac('b', 'x'),
    keys.hmac('a', 'y'),
    keyRing([NEW]).hmac('a', 'x'),
  ]
  assert.equal(new Set(hashes.map((hash) => hash.toString('hex'))).size, 4)
  for (const hash of hashes) assert.equal(hash.length, 32)
})

test('verifies a hash under every key of the ring, for its own purpose and text only', () => {
  const given = keys.hmac('a', 'x')
  assert.equal(keys.verify('a', 'x', given), true)
  assert.equal(keyRing([NEW, OLD]).verify('a', 'x', given), true)
  assert.equal(keyRing([NEW]).verify('a', 'x', given), false)
  assert.equal(keys.verify('b', 'x', given), false)
  assert.equal(keys.verify('a', 'y', given), false)
  for (const other of [given.subarray(1), Buffer.concat([given, given]), Buffer.alloc(0)]) {
    assert.equal(keys.verify('a', 'x', other), false)
  }
})

test('rejects a ring without keys, or with a short key', () => {
  assert.throws(() => keyRing([]), RangeError)
  assert.throws(() => keyRing([OLD, Buffer.alloc(31)]), RangeError)
})
