import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestService } from '../support/service.ts'

test('is alive but not ready as soon as it stops', async () => {
  const service = await openTestService()
  const statusOf = async (url: string) => (await service.app.inject({ url })).statusCode
  assert.equal(await statusOf('/readyz'), 200)
  const drained = service.drain()
  assert.equal(await statusOf('/readyz'), 503)
  assert.equal(await statusOf('/healthz'), 200)
  await drained
  await service.close()
})
