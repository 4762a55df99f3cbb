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

test('is all that a worker node answers; the rest is a 404 with the headers of every answer', async () => {
  const settings = { PURSER_ROLE: 'worker', DATABASE_URL: 'postgres://localhost/not-opened' }
  const service = await openTestService({ settings })
  for (const url of ['/healthz', '/readyz?from=monitor']) {
    assert.equal((await service.app.inject({ url })).statusCode, 200, url)
  }
  const { client_id } = service.demo.app
  for (const request of [
    { url: '/' },
    { url: `/api/v1/public/apps/${client_id}/prices/` },
    { url: '/api/v1/licenses/validate', method: 'POST', payload: { key: 'key_x' } },
    { url: '/o/.well-known/openid-configuration' },
    { url: '/mcp', method: 'POST', payload: {} },
    { url: '/components/v1.js' },
    { url: '/healthz/more', headers: { accept: 'text/html' } },
  ] as const) {
    const answer = await service.app.inject(request)
    const { headers } = answer
    assert.equal(answer.statusCode, 404, request.url)
    assert.partialDeepStrictEqual(answer.json(), {
      error: 'not_found',
      request_id: headers['x-request-id'],
    })
    assert.match(answer.json().message, /runs background work/)
    assert.match(String(headers['x-request-id']), /^req_/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.equal(headers['cache-control'], 'no-store')
  }
  await service.close()
})
