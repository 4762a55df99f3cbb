import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as licensing from '#domain/licensing'
import { keyRing } from '#platform/secrets'
import { testId } from '../support/ids.ts'

const NOW = new Date('2026-03-10T12:00:00Z')
const DAY_SECONDS = 86_400
const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const keys = keyRing([OLD])
const order_id = testId('ord_0123456789ABCDEFGHIJKL')
const order = { client_id: 'app_0123456789ABCDEFGHIJKL', order_id }
const { client_id } = order
const reference = licensing.signReference(keys, NOW, order)

const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const read = (text: string, at = NOW, ring = keys, client = client_id) =>
  licensing.readReference(ring, at, { client_id: client, reference: text })

test('names the order to the client that it was signed for', () => {
  assert.match(reference, /^[\w-]+$/)
  assert.equal(read(reference), order.order_id)
  for (const other of ['', 'app_0123456789ABCDEFGHIJKM', `${client_id} `, order.order_id]) {
    assert.equal(read(reference, NOW, keys, other), undefined)
  }
})

test('is valid for exactly 24 hours', () => {
  assert.equal(read(reference, after(DAY_SECONDS - 1)), order.order_id)
  assert.equal(read(reference, after(DAY_SECONDS)), undefined)
  assert.equal(read(reference, after(400 * DAY_SECONDS)), undefined)
})

test('is rejected with any bit flipped', () => {
  const bytes = Buffer.from(reference, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    assert.equal(read(flipped.toString('base64url')), undefined, `bit ${bit}`)
  }
})

test('is rejected with any other character, length or encoding of the same bytes', () => {
  for (let place = 0; place < reference.length; place++) {
    for (const char of 'Aa0-_=/+.~é ') {
      const typo = reference.slice(0, place) + char + reference.slice(place + 1)
      if (typo !== reference) assert.equal(read(typo), undefined, typo)
    }
    assert.equal(read(reference.slice(0, place)), undefined)
    assert.equal(read(reference.slice(place + 1)), undefined)
  }
  // The last character has spare bits: three others decode to the same bytes, and none is accepted.
  const bytes = Buffer.from(reference, 'base64url')
  let twins = 0
  for (let value = 0; value < 64; value++) {
    const char = Buffer.from([value << 2]).toString('base64url')[0]!
    const other = reference.slice(0, -1) + char
    if (other === reference) continue
    if (Buffer.from(other, 'base64url').equals(bytes)) twins++
    assert.equal(read(other), undefined, other)
  }
  assert.equal(twins, 3)
  const plain = Buffer.from(reference, 'base64url').toString('base64')
  for (const text of [`${reference}A`, `${reference}=`, ` ${reference}`, `${reference}\n`, plain]) {
    if (text !== reference) assert.equal(read(text), undefined, text)
  }
})

test('is signed with the new key, readable with the old one, and not with a removed one', () => {
  const rotated = keyRing([NEW, OLD])
  assert.equal(read(reference, NOW, rotated), order.order_id)
  const fresh = licensing.signReference(rotated, NOW, order)
  assert.notEqual(fresh, reference)
  assert.equal(read(fresh, NOW, rotated), order.order_id)
  assert.equal(read(fresh, NOW, keys), undefined)
  assert.equal(read(reference, NOW, keyRing([NEW])), undefined)
})
