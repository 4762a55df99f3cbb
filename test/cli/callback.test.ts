/** The address on this machine to which the browser returns, and what else may connect to it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openCallback } from '../../packages/cli/src/agent/callback.ts'

/** The status and the title that a path is answered with. */
async function answerTo(redirect_uri: string, path: string) {
  const { hostname, port } = new URL(redirect_uri)
  const [response] = (await once(get({ hostname, port, path }), 'response')) as [IncomingMessage]
  const [, title] = /<title>(.*)<\/title>/.exec(await text(response)) ?? []
  return { status: response.statusCode, title }
}

const statusOf = async (redirect_uri: string, path: string) =>
  (await answerTo(redirect_uri, path)).status

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

test('the page does not say that a person is signed in before the answer is checked', async () => {
  const titles = {
    'code=1&state=2': 'Return to your terminal',
    '': 'Return to your terminal',
    'error=access_denied&state=2': 'The sign-in was canceled',
    'error=server_error&state=2': 'The sign-in failed',
  }
  for (const [query, expected] of Object.entries(titles)) {
    await using callback = await openCallback()
    const { title } = await answerTo(callback.redirect_uri, `/callback?${query}`)
    assert.equal(title, expected, query)
  }
})
