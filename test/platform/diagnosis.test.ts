import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diagnoseEncryption } from '#platform/diagnosis'
import { type Reach, reachOf } from '#platform/networks'

describe('a connection without TLS', () => {
  const ADDRESSES: [address: string, reach: Reach][] = [
    ['127.0.0.1', 'machine'],
    ['::1', 'machine'],
    ['::ffff:127.0.0.1', 'machine'],
    ['10.1.2.3', 'private'],
    ['172.30.0.2', 'private'],
    ['192.168.4.4', 'private'],
    ['100.64.1.1', 'private'],
    ['169.254.7.7', 'private'],
    ['fd12:3456::1', 'private'],
    ['fe80::1', 'private'],
    ['8.8.8.8', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['2600:1f00::1', 'public'],
  ]
  for (const [address, reach] of ADDRESSES) {
    test(`to ${address} is on a network of this kind: ${reach}`, () => {
      assert.equal(reachOf(address), reach)
    })
  }

  test('is a fault on a public network, and nowhere else', () => {
    const levelOf = (is_encrypted: boolean, reach: Reach) =>
      diagnoseEncryption('PostgreSQL', { is_encrypted, reach, next: 'Use TLS.' }).level
    assert.equal(levelOf(false, 'public'), 'fault')
    assert.equal(levelOf(true, 'public'), 'ok')
    assert.equal(levelOf(false, 'private'), 'ok')
    assert.equal(levelOf(false, 'machine'), 'ok')
  })
})
