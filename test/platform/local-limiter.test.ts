import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiterRes } from 'rate-limiter-flexible'
import { collectGarbage } from '#platform/heap'
import { LocalLimiter } from '#platform/local-limiter'

const WINDOW_MS = 60_000

/** A limiter of three points a minute, and a function that moves its clock. */
function limiterOf() {
  let now = 1000
  const limiter = new LocalLimiter({ points: 3, duration: 60, clock: () => now })
  const wait = (ms: number) => {
    now += ms
  }
  return { limiter, wait }
}

async function isRefused(limiter: LocalLimiter, key: string, points = 1): Promise<boolean> {
  try {
    await limiter.consume(key, points)
    return false
  } catch (refused) {
    assert.ok(refused instanceof RateLimiterRes)
    return true
  }
}

test('a window starts with the first point of its key and returns all points at its end', async () => {
  const { limiter, wait } = limiterOf()
  wait(WINDOW_MS / 2)
  assert.equal((await limiter.consume('one')).msBeforeNext, WINDOW_MS)
  wait(WINDOW_MS - 1)
  assert.equal(await isRefused(limiter, 'one', 2), false)
  assert.equal(await isRefused(limiter, 'one'), true, 'the window lasts one millisecond more')
  wait(1)
  const { remainingPoints, consumedPoints } = await limiter.consume('one')
  assert.deepEqual([remainingPoints, consumedPoints], [2, 1])
})

test('no wait is longer than the window, also between two milliseconds', async () => {
  const { limiter, wait } = limiterOf()
  for (const fraction of [0, 0.3, 0.4]) {
    wait(fraction)
    const { msBeforeNext } = await limiter.consume(`after ${fraction}`)
    assert.ok(msBeforeNext > WINDOW_MS - 1 && msBeforeNext <= WINDOW_MS, `${msBeforeNext}`)
  }
})

test('points count across the change of generations', async () => {
  for (const begun of [1, WINDOW_MS / 2, WINDOW_MS - 1]) {
    const { limiter, wait } = limiterOf()
    wait(begun)
    await limiter.consume('one', 3)
    wait(WINDOW_MS - begun)
    assert.equal(await isRefused(limiter, 'one'), true, `begun after ${begun} ms`)
    wait(begun)
    assert.equal(await isRefused(limiter, 'one'), false, `ended after ${begun} ms`)
  }
})

test('a returned point can be used again, also where its key has none on record', async () => {
  const { limiter } = limiterOf()
  await limiter.consume('one', 3)
  assert.equal((await limiter.reward('one')).remainingPoints, 1)
  assert.equal(await isRefused(limiter, 'one'), false)
  assert.equal((await limiter.reward('two')).consumedPoints, -1)
})

test('a blocked key is refused for the time of its block, and a deleted one is as new', async () => {
  const { limiter, wait } = limiterOf()
  await limiter.block('one', 8)
  assert.equal((await limiter.get('one'))?.msBeforeNext, 8000)
  assert.equal(await isRefused(limiter, 'one'), true)
  wait(8000)
  assert.equal(await limiter.get('one'), null)
  await limiter.block('one', 8)
  assert.equal(await limiter.delete('one'), true)
  assert.equal(await limiter.delete('one'), false)
  assert.equal(await isRefused(limiter, 'one'), false)
})

test('keys whose windows ended leave the memory with the next request', async () => {
  const { limiter, wait } = limiterOf()
  for (let key = 0; key < 1000; key++) await limiter.consume(`${key}`)
  wait(WINDOW_MS)
  await limiter.consume('later')
  assert.equal(limiter.size, 1001, 'the old generation is kept for one window')
  wait(WINDOW_MS)
  await limiter.consume('last')
  assert.equal(limiter.size, 2)
  wait(10 * WINDOW_MS)
  await limiter.get('last')
  assert.equal(limiter.size, 0)
})

test('keeps only the key of a request in memory', async () => {
  const { limiter } = limiterOf()
  const before = await usedMb()
  for (let index = 0; index < 1000; index++) {
    const email = `buyer${index}@buyers.example`
    const request = Buffer.from(`email=${email}&password=${'x'.repeat(100_000)}`).toString()
    await limiter.consume(request.slice('email='.length, 'email='.length + email.length))
  }
  const grown = (await usedMb()) - before
  assert.equal(limiter.size, 1000)
  assert.ok(grown < 20, `${grown.toFixed(0)} MB for 1,000 keys, of requests of 100 MB`)
})

/** The JavaScript heap in use after a full collection, in megabytes. */
async function usedMb(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed / 1_000_000
}
