import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupCalls } from '#platform/group-calls'

/** Doubles numbers, and notes each group; a zero fails its group, and waits until released. */
function openDoubler() {
  const groups: number[][] = []
  const gate = { wait: Promise.resolve() }
  const double = groupCalls(async (items: readonly number[]) => {
    groups.push([...items])
    await gate.wait
    if (items.includes(0)) throw new Error('zero')
    return items.map((item) => 2 * item)
  })
  return { groups, gate, double }
}

test('works on a call at once if nothing is at work', async () => {
  const { groups, double } = openDoubler()
  assert.equal(await double(1), 2)
  assert.equal(await double(2), 4)
  assert.deepEqual(groups, [[1], [2]])
})

test('groups the calls that arrive while others are at work', async () => {
  const { groups, gate, double } = openDoubler()
  const release = Promise.withResolvers<void>()
  gate.wait = release.promise
  const first = double(1)
  while (groups.length === 0) await new Promise(setImmediate)
  const others = [double(2), double(3)]
  await new Promise(setImmediate)
  const last = double(4)
  release.resolve()
  assert.deepEqual(await Promise.all([first, ...others, last]), [2, 4, 6, 8])
  assert.deepEqual(groups, [[1], [2, 3, 4]])
})

test('repeats each call of a group that failed, so that one cannot fail the others', async () => {
  const { groups, double } = openDoubler()
  const results = await Promise.allSettled([double(1), double(0), double(3)])
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    [2, 'zero', 6],
  )
  assert.deepEqual(groups, [[1, 0, 3], [1], [0], [3]])
})

test('does not repeat a group while the database is unavailable', async () => {
  let count = 0
  const ask = groupCalls(async (_items: readonly number[]): Promise<number[]> => {
    count++
    throw Object.assign(new Error('the database system is shutting down'), { code: '57P03' })
  })
  const results = await Promise.allSettled([ask(1), ask(2)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(count, 1)
})

test('continues with the next group after one that failed', async () => {
  const { double } = openDoubler()
  await assert.rejects(double(0), /zero/)
  assert.equal(await double(5), 10)
})
