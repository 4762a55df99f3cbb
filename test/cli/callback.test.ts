/** The address on this machine to which the browser returns, and what else may connect to it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { openCallback } from '../../packages/cli/src/agent/callback.ts'

/** The status that a path is answered with. */
async function statusOf(redirect_uri: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(redirect_uri)
  const [response] = (await once(get({ hostname, port, path }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test('other requests are answered with 404 and do not end the sign-in', async () => {
  await using callback = await openCallback()
  const { redirect_uri } = callback
  for (const path of ['/', '/favicon.ico', '//', '//?code=1', '/callback/']) {
    assert.equal(await statusOf(redirect_uri, path), 404, path)
  }
  const answer = callback.answer()
  assert.equal(await statusOf(redirect_uri, '/callback?code=1&state=2'), 200)
  assert.equal((await answer).href, `${redirect_uri}?code=1&state=2`)
})
