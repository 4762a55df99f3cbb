import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logBug, problemOf } from '#platform/http'
import { Problem } from '#platform/problem'

interface Logged {
  level: 'error' | 'warn'
  facts: Record<string, unknown>
  text: string
}

function loggedOf(error: Error): Logged[] {
  const lines: Logged[] = []
  const at = (level: Logged['level']) => (facts: Logged['facts'], text: string) => {
    lines.push({ level, facts, text })
  }
  const log = { error: at('error'), warn: at('warn') } as never
  logBug({ id: 'req_1', log, routeOptions: { url: '/', config: {} } }, error, problemOf(error))
  return lines
}

test('a request that an outage of the database refuses is a warning with its reason', () => {
  const error = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const facts = { request_id: 'req_1', route: '/', reason: 'terminating connection' }
  const text = 'service unavailable; request refused'
  assert.deepEqual(loggedOf(error), [{ level: 'warn', facts, text }])
})

test('a request that is refused because too many run is a warning', () => {
  const error = new Problem(503, 'service_unavailable', 'Too many reports are open right now.')
  assert.deepEqual(
    loggedOf(error).map(({ level }) => level),
    ['warn'],
  )
})

test('a bug is an error with its stack, and a refusal is not logged', () => {
  const bug = new Error('a bug')
  const facts = { request_id: 'req_1', route: '/', error: bug }
  assert.deepEqual(loggedOf(bug), [{ level: 'error', facts, text: 'unhandled error' }])
  assert.deepEqual(loggedOf(new Problem(404, 'not_found', 'There is nothing here.')), [])
})
