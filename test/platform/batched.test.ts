import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { batched } from '#platform/batched'

/** Doubles what it is asked, and notes each call. */
function openDoubler() {
  const calls: number[][] = []
  const double = batched(async (questions: readonly number[]) => {
    calls.push([...questions])
    if (questions.includes(0)) throw new Error('no answer')
    return questions.map((question) => 2 * question)
  })
  return { calls, double }
}

test('asks the questions of one turn together, the same one twice', async () => {
  const { calls, double } = openDoubler()
  const later = Promise.resolve().then(() => double(3))
  assert.deepEqual(await Promise.all([double(1), double(2), double(1), later]), [2, 4, 2, 6])
  assert.deepEqual(calls, [[1, 2, 1, 3]])
})

test('asks again for what it was asked in an earlier turn', async () => {
  const { calls, double } = openDoubler()
  await double(1)
  await nextTurn()
  await double(1)
  assert.deepEqual(calls, [[1], [1]])
})

test('asks at most a hundred questions at once', async () => {
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

test('an error reaches the questions of its turn, and no later one', async () => {
  const { double } = openDoubler()
  const [first, second] = await Promise.allSettled([double(0), double(1)])
  assert.deepEqual([first!.status, second!.status], ['rejected', 'rejected'])
  assert.equal(await double(1), 2)
})
