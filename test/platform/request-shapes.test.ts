import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

/** Six requests, then a collection, then whether V8 gives the next ones a fast shape. */
const program = (before: string) => `
  import { IncomingMessage, ServerResponse } from 'node:http'
  import { Socket } from 'node:net'
  import { setTimeout } from 'node:timers/promises'
  ${before}
  const pair = () => new ServerResponse(new IncomingMessage(new Socket()))
  function six() { for (let made = 0; made < 6; made++) pair() }
  six()
  await setTimeout(10)
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const response = [pair(), pair()][1]
  console.log(%HasFastProperties(response), %HasFastProperties(response.req))`

const outputOf = (before: string) =>
  execFileSync(
    process.execPath,
    [
      '--allow-natives-syntax',
      '--expose-gc',
      '--import',
      './scripts/register-tsx.mjs',
      '--input-type=module',
      '--eval',
      program(before),
    ],
    { encoding: 'utf8' },
  ).trim()

test('requests and responses stay fast when the collector runs after the first six', () => {
  const fixed = outputOf(`
    const { fixRequestShapes } = await import('./src/platform/request-shapes.ts')
    fixRequestShapes()`)
  assert.equal(fixed, 'true true')
})

test('without fixRequestShapes they are hash tables: drop it once this fails', () => {
  assert.equal(outputOf(''), 'false false')
})
