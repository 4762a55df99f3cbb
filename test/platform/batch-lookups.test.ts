import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { batchLookups } from '#platform/batch-lookups'

/** Doubles what it is asked, and notes each call. */
function openDoubler() {
  const calls: number[][] = []
  const double = batchLookups(async (questions: readonly number[]) => {
    calls.push([...questions])
    if (questions.includes(0)) throw new Error('no answer')
    return questions.map((question) => 2 * question)
  })
  return { calls, double }
}

test('runs the lookups of one turn as one batch, duplicates included', async () => {
  const { calls, double } = openDoubler()
  const later = Promise.resolve().then(() => double(3))
  assert.deepEqual(await Promise.all([double(1), double(2), double(1), later]), [2, 4, 2, 6])
  assert.deepEqual(calls, [[1, 2, 1, 3]])
})

test('repeats a lookup from an earlier turn', async () => {
  const { calls, double } = openDoubler()
  await double(1)
  await nextTurn()
  await double(1)
  assert.deepEqual(calls, [[1], [1]])
})

test('runs at most a hundred lookups in one batch', async () => {
  const { calls, double } = openDoubler()
  const questions = Array.from({ length: 250 }, (_, at) => at + 1)
  const answers = await Promise.all(questions.map(double))
  assert.deepEqual(
    answers,
    questions.map((question) => 2 * question),
  )
  assert.deepEqual(
    calls.map(({ length }) => length),
    [100, 100, 50],
  )
})

test('rejects the lookups of the batch that failed, and no others', async () => {
  const { double } = openDoubler()
  const [first, second] = await Promise.allSettled([double(0), double(1)])
  assert.deepEqual([first!.status, second!.status], ['rejected', 'rejected'])
  assert.equal(await double(1), 2)
})
