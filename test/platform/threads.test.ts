import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { endWhenIdle, startThread } from '#platform/threads'

const WAITING = new URL(
  "data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {})",
)

test('a thread ends after half a minute without work, and its owner forgets it', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = startThread(WAITING)
  const ended = once(thread, 'exit')
  let forgotten = false
  endWhenIdle(thread, () => {
    forgotten = true
  })
  context.mock.timers.tick(29_999)
  assert.equal(forgotten, false)
  context.mock.timers.tick(1)
  assert.equal(forgotten, true)
  await ended
})

test('a thread that has work again is kept', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = startThread(WAITING)
  after(() => thread.terminate())
  const keep = endWhenIdle(thread, () => assert.fail('it was forgotten'))
  keep()
  context.mock.timers.tick(60_000)
  thread.postMessage('still here')
})

test('a thread takes little memory before its first collection', () => {
  const thread = startThread(WAITING)
  after(() => thread.terminate())
  assert.equal(thread.resourceLimits?.maxYoungGenerationSizeMb, 8)
})
