import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EXPECTED_FAILURES, runConformance } from '../conformance/run.ts'

const KEPT = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

test('the agent endpoint passes the official conformance suite', async () => {
  const { code, output } = await runConformance()
  assert.equal(code, 0, output)
  for (const scenario of KEPT) {
    assert.match(output, new RegExp(`^✓ ${scenario}: [1-9]\\d* passed, 0 failed$`, 'm'))
  }
})

test('no scenario is expected to fail without a reason', () => {
  const entries = readFileSync(EXPECTED_FAILURES, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('  - '))
  assert.ok(entries.length > 0)
  for (const entry of entries) assert.match(entry, /^ {2}- [a-z0-9-]+ # [A-Z].{15,}\.$/)
})
