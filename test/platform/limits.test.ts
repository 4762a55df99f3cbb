import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Delay, type Limit, openLimits } from '#platform/limits'
import { openLog } from '#platform/log'
import { coarseNetworkOf, networkOf, networksOf } from '#platform/networks'

const log = openLog('silent')
const LIMIT: Limit = { name: 'shells', points: 3, seconds: 60 }
const DELAY: Delay = { name: 'guesses', free: 2, most_seconds: 900, memory_seconds: 3600 }

test('a key uses its points and is then refused until the window ends', async () => {
  const limits = openLimits(undefined, log)
  const taken = []
  for (let index = 0; index < 4; index++) taken.push(await limits.consume(LIMIT, 'one'))
  assert.deepEqual(
    taken.map(({ allowed, remaining }) => [allowed, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  )
  assert.ok(taken.every(({ reset_seconds }) => reset_seconds >= 1 && reset_seconds <= 60))
  assert.equal((await limits.consume(LIMIT, 'two')).allowed, true, 'another key has its own')
  await limits.close()
})

test('a returned point can be used again', async () => {
  const limits = openLimits(undefined, log)
  for (let index = 0; index < 9; index++) {
    assert.equal((await limits.consume(LIMIT, 'one')).allowed, true)
    await limits.restore(LIMIT, 'one')
  }
  for (let index = 0; index < 3; index++) await limits.consume(LIMIT, 'one')
  assert.equal((await limits.consume(LIMIT, 'one')).allowed, false)
  await limits.close()
})

test('checking a limit uses no point', async () => {
  const limits = openLimits(undefined, log)
  for (let index = 0; index < 9; index++) await limits.consume(LIMIT, 'one', 0)
  assert.equal((await limits.consume(LIMIT, 'one')).remaining, 2)
  await limits.close()
})

test('of attempts at the same time, one passes beyond the free ones, and the others wait', async () => {
  const limits = openLimits(undefined, log)
  const attempts = () => Promise.all(Array.from({ length: 20 }, () => limits.delay(DELAY, 'one')))
  assert.deepEqual(await attempts(), [0, 0, 0, ...Array(17).fill(2)])
  await limits.clearDelay(DELAY, 'one')
  assert.deepEqual(await attempts(), [0, ...Array(19).fill(2)], 'refused attempts do not count')
  await limits.close()
})

test('IPv6 callers count by their network, IPv4 callers by their address', () => {
  const rows: [ip: string, network: string][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::FFFF:1:2', '0.1.0.2'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
  ]
  for (const [ip, network] of rows) assert.equal(networkOf(ip), network)
})

// S14
test('a /48 does not get a budget for each of its networks', async () => {
  const limits = openLimits(undefined, log)
  const take = async (ip: string) => (await limits.consume(LIMIT, networksOf(ip))).allowed
  const allowed = { same64: 0, same56: 0, same48: 0 }
  for (let host = 0; host < 10; host++) {
    if (await take(`2001:db8:1:a00::${host}`)) allowed.same64++
  }
  for (let net = 1; net < 99; net++) {
    if (await take(`2001:db8:1:a${net.toString(16).padStart(2, '0')}::1`)) allowed.same56++
  }
  for (let net = 0x1000; net < 0xf000; net += 0x100) {
    if (await take(`2001:db8:1:${net.toString(16)}::1`)) allowed.same48++
  }
  assert.deepEqual(allowed, { same64: 3, same56: 3 * 4 - 3, same48: 3 * 16 - 3 * 4 })
  assert.equal(await take('2001:db8:2:a00::1'), true, 'the next /48 is another network')
  assert.deepEqual(networksOf('::ffff:203.0.113.9'), networksOf('203.0.113.9'))
  assert.deepEqual(networksOf('2001:0DB8:1:0A00:0::7'), networksOf('2001:db8:1:a00::7'))
  assert.deepEqual(networksOf('not:an:address'), [{ key: 'not:an:address', share: 1 }])
  await limits.close()
})

test('shows people only the coarse network of an address', () => {
  assert.equal(coarseNetworkOf('203.0.113.77'), '203.0.113.*')
  assert.equal(coarseNetworkOf('::ffff:203.0.113.77'), '203.0.113.*')
  assert.equal(coarseNetworkOf('2001:db8:85a3:8d3:1319:8a2e:370:7348'), '2001:db8:85a3:*')
  assert.equal(coarseNetworkOf('::1'), '0:0:0:*')
})
