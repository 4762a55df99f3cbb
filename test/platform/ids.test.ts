import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AppId,
  type ChargeId,
  idSource,
  isId,
  mintId,
  type ProcessorId,
  parseId,
  readId,
  readPayeeId,
  type UserId,
} from '#platform/ids'
import { systemRandom } from '#platform/random'

const user_id = mintId(systemRandom, 'usr')
const open = (app_id: AppId, owner_id: UserId) => `${app_id} ${owner_id}`

test('an id of another kind, or any text, does not compile where an id belongs', () => {
  const app_id = mintId(systemRandom, 'app')
  assert.equal(open(app_id, user_id), `${app_id} ${user_id}`)
  // @ts-expect-error The two ids are exchanged.
  open(user_id, app_id)
  // @ts-expect-error A text is not an id until it was read.
  open(app_id, 'usr_0000000000000000000000')
  // @ts-expect-error No id is minted with this prefix.
  mintId(systemRandom, 'user')
})

test('an id of the service does not compile where the processor’s own id belongs', () => {
  const refundAt = (charge_id: ProcessorId) => charge_id
  const ours: ChargeId = mintId(systemRandom, 'ch')
  assert.equal(refundAt('ch_3Pq'), 'ch_3Pq')
  // @ts-expect-error A charge of ours has another id at the processor.
  refundAt(ours)
})

test('an id has the prefix of its kind and 22 characters of base62', () => {
  assert.match(user_id, /^usr_[0-9A-Za-z]{22}$/)
  assert.notEqual(user_id, mintId(systemRandom, 'usr'))
  assert.ok(isId('usr', user_id))
})

test('ids that are drawn many at once have the same shape and differ', () => {
  const mint = idSource(systemRandom, 'req')
  const ids = Array.from({ length: 1_000 }, mint)
  assert.deepEqual(
    ids.filter((id) => !isId('req', id)),
    [],
  )
  assert.equal(new Set(ids.map((id) => id.slice(4, 12))).size, ids.length)
})

test('a text is read as an id only if it has the shape of one', () => {
  assert.equal(readId('usr', user_id), user_id)
  const wrong = ['', 'usr_', 'usr_1', `${user_id}0`, user_id.slice(0, -1), ` ${user_id}`]
  for (const text of [...wrong, user_id.toUpperCase(), `${user_id.slice(0, -1)}\0`, undefined]) {
    assert.equal(readId('usr', text), undefined, JSON.stringify(text))
  }
  assert.equal(readId('app', user_id), undefined)
})

test('a malformed id that the service wrote itself is an error', () => {
  assert.equal(parseId('usr', user_id), user_id)
  assert.throws(() => parseId('app', user_id), TypeError)
})

test('a payee is a seller or an affiliate', () => {
  const [seller_id, affiliate_id] = [mintId(systemRandom, 'sel'), mintId(systemRandom, 'aff')]
  assert.deepEqual([seller_id, affiliate_id].map(readPayeeId), [seller_id, affiliate_id])
  assert.equal(readPayeeId(user_id), undefined)
})
