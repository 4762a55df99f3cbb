import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { keyRing } from '#platform/secrets'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const NOW = new Date('2026-03-10T12:00:00Z')

interface Facts {
  price: string
  seats: number
}
const KIND: TokenKind<Facts> = {
  purpose: 'quote',
  seconds: 600,
  facts: z.object({ price: z.string(), seats: z.number() }),
}
const facts: Facts = { price: 'prc_1', seats: 3 }

const at = (seconds: number, masters = [OLD]) => ({
  keys: keyRing(masters),
  clock: { now: () => new Date(NOW.getTime() + seconds * 1000) },
})
const token = signToken(at(0), KIND, facts)

test('a token carries its facts until it expires, to the second', () => {
  assert.deepEqual(readToken(at(0), KIND, token), facts)
  assert.deepEqual(readToken(at(599), KIND, token), facts)
  assert.equal(readToken(at(600), KIND, token), undefined)
  const earlier = signToken(at(0), KIND, facts, { at: new Date(NOW.getTime() - 300_000) })
  assert.deepEqual(readToken(at(299), KIND, earlier), facts)
  assert.equal(readToken(at(300), KIND, earlier), undefined)
})

test('a token of one purpose, or about one thing, is not accepted for another', () => {
  assert.equal(readToken(at(0), { ...KIND, purpose: 'receipt' }, token), undefined)
  const bound = signToken(at(0), KIND, facts, { about: 'lic_1' })
  assert.deepEqual(readToken(at(0), KIND, bound, { about: 'lic_1' }), facts)
  for (const about of ['', 'lic_2', 'lic_1.', 'lic_1.x']) {
    assert.equal(readToken(at(0), KIND, bound, { about }), undefined)
  }
  assert.equal(readToken(at(0), KIND, token, { about: 'lic_1' }), undefined)
})

test('every other character, length and spelling is refused', () => {
  for (let place = 0; place < token.length; place++) {
    for (const char of 'Aa0-_=/+.~é ') {
      const typo = token.slice(0, place) + char + token.slice(place + 1)
      if (typo !== token) assert.equal(readToken(at(0), KIND, typo), undefined, typo)
    }
    assert.equal(readToken(at(0), KIND, token.slice(0, place)), undefined)
    assert.equal(readToken(at(0), KIND, token.slice(place + 1)), undefined)
  }
  // The last character has two spare bits: three others decode to the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const char of alphabet) {
    const other = token.slice(0, -1) + char
    if (other !== token) assert.equal(readToken(at(0), KIND, other), undefined, other)
  }
  for (const other of [undefined, '', '.', `${token}A`, `${token}.${token}`, ` ${token}`]) {
    assert.equal(readToken(at(0), KIND, other), undefined)
  }
})

test('a new key on the ring signs, the old one still reads, and a removed one does not', () => {
  assert.deepEqual(readToken(at(0, [NEW, OLD]), KIND, token), facts)
  assert.equal(readToken(at(0, [NEW]), KIND, token), undefined)
  const fresh = signToken(at(0, [NEW, OLD]), KIND, facts)
  assert.deepEqual(readToken(at(0, [NEW]), KIND, fresh), facts)
  assert.equal(readToken(at(0, [OLD]), KIND, fresh), undefined)
})

test('facts of another shape, as an earlier release may have signed them, are refused', () => {
  const earlier = { ...KIND, facts: z.object({ price: z.string() }) }
  const text = signToken(at(0), earlier, { price: 'prc_1' })
  assert.deepEqual(readToken(at(0), earlier, text), { price: 'prc_1' })
  assert.equal(readToken(at(0), KIND, text), undefined)
})
