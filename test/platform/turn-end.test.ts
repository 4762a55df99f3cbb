import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openTurnEnd } from '#platform/turn-end'

test('does what one turn gathered together and in order, and nothing before its end', async () => {
  const atTurnEnd = openTurnEnd()
  const done: string[] = []
  atTurnEnd(() => done.push('first'))
  await Promise.resolve()
  atTurnEnd(() => done.push('second'))
  assert.deepEqual(done, [])
  await nextTurn()
  assert.deepEqual(done, ['first', 'second'])
})

test('leaves work that is added at the end of a turn to the next one', async () => {
  const atTurnEnd = openTurnEnd()
  const done: string[] = []
  atTurnEnd(() => {
    done.push('first')
    atTurnEnd(() => done.push('second'))
  })
  await nextTurn()
  assert.deepEqual(done, ['first'])
  await nextTurn()
  assert.deepEqual(done, ['first', 'second'])
})
