import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDemo } from '../../src/demo/start.ts'
import { openTestService } from '../support/service.ts'

test('a port without two ports after it is refused in one sentence that names the setting', async (t) => {
  const { world, close } = await openTestService()
  t.after(close)
  for (const port of [65_534, 65_535]) {
    const config = { ...world.config, port }
    await assert.rejects(
      startDemo({ ...world, config }),
      /^Error: PORT: must be at most 65533: the demo's sites use the two ports after it\./,
    )
  }
})
