/** The tokens of a sign-in that replaces another one on the same machine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginSignIn } from '../../packages/cli/src/agent/sign-in.ts'
import { readTokens, writeTokens } from '../../packages/cli/src/agent/token-store.ts'
import { providerMetadata, type Reply, refusal, startFakeService } from '../client/fake-service.ts'
import { useConfigFolder } from './config-folder.ts'

useConfigFolder()

const PREVIOUS = {
  access_token: 'old-access',
  refresh_token: 'old-refresh',
  expires_at: 0,
  scope: 'listing.read',
}

/** Signs in where other tokens are stored; returns what was revoked, and what was stored then. */
async function signInAgain(revocation: Reply) {
  const revoked: [token: string | null, stored: string | undefined][] = []
  await using service = await startFakeService(({ path, body }) => {
    if (path === '/o/token') {
      const tokens = { access_token: 'new-access', refresh_token: 'new-refresh' }
      return { body: { ...tokens, token_type: 'bearer', expires_in: 3600 } }
    }
    if (path === '/o/token/revocation') {
      const token = new URLSearchParams(body).get('token')
      revoked.push([token, readTokens(service.url)?.access_token])
      return revocation
    }
    return { body: providerMetadata(service.url) }
  })
  writeTokens(service.url, PREVIOUS)
  const redirect_uri = 'http://127.0.0.1:9/callback'
  const begun = await beginSignIn(service.url, { redirect_uri, scope: 'listing.read' })
  const state = new URL(begun.authorization_url).searchParams.get('state')!
  await begun.finish(new URL(`${redirect_uri}?${new URLSearchParams({ state, code: 'code' })}`))
  assert.equal(readTokens(service.url)?.refresh_token, 'new-refresh')
  return revoked
}

test('revokes the tokens that a sign-in replaces, once the new ones are stored', async () => {
  assert.deepEqual(await signInAgain({ body: '' }), [
    ['old-refresh', 'new-access'],
    ['old-access', 'new-access'],
  ])
})

test('is a sign-in too where the previous tokens cannot be revoked', async () => {
  for (const reply of [refusal(503, 'service_unavailable'), { reset: true }]) {
    assert.equal((await signInAgain(reply)).length, 1)
  }
})
