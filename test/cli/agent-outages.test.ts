/** What the command line program makes of an agent endpoint or a sign-in that does not answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openAgent } from '../../packages/cli/src/agent/mcp.ts'
import { accessToken, beginSignIn, signOut } from '../../packages/cli/src/agent/sign-in.ts'
import { readTokens, writeTokens } from '../../packages/cli/src/agent/token-store.ts'
import { type CliError, EXIT } from '../../packages/cli/src/exit.ts'
import {
  type FakeService,
  providerMetadata,
  type Reply,
  refusal,
  startFakeService,
} from '../client/fake-service.ts'
import { useConfigFolder } from './config-folder.ts'

useConfigFolder()

const EXPIRED = {
  access_token: 'old',
  refresh_token: 'again',
  expires_at: 0,
  scope: 'listing.read',
}

/** A service that answers discovery, and everything else with one reply. */
async function startService(reply: Reply): Promise<FakeService> {
  const service = await startFakeService(({ path }) => {
    if (!path.includes('/.well-known/')) return reply
    return { body: providerMetadata(service.url) }
  })
  return service
}

async function errorOf(promise: Promise<unknown>): Promise<CliError> {
  return await promise.then(
    () => assert.fail('nothing was thrown'),
    (error: CliError) => error,
  )
}

const OUTAGES: [name: string, reply: Reply][] = [
  ['a broken connection', { reset: true }],
  ['a rate limit', refusal(429, 'rate_limited')],
  ['an error of the service', { status: 503, body: 'Bad gateway' }],
]

for (const [name, reply] of OUTAGES) {
  describe(`after ${name}`, () => {
    test('a refresh is an outage that keeps the sign-in', async () => {
      await using service = await startService(reply)
      writeTokens(service.url, EXPIRED)
      const { code, exit } = await errorOf(accessToken(service.url))
      assert.deepEqual([code, exit], ['unreachable', EXIT.unreachable])
      assert.deepEqual(readTokens(service.url), EXPIRED)
    })

    test('a sign-in is an outage, not the answer to another one', async () => {
      await using service = await startService(reply)
      const redirect_uri = 'http://127.0.0.1:9/callback'
      const begun = await beginSignIn(service.url, { redirect_uri, scope: 'listing.read' })
      const state = new URL(begun.authorization_url).searchParams.get('state')!
      const arrived = new URL(`${redirect_uri}?${new URLSearchParams({ state, code: 'code' })}`)
      const { code, exit } = await errorOf(begun.finish(arrived))
      assert.deepEqual([code, exit], ['unreachable', EXIT.unreachable])
    })

    test('a sign-out deletes the tokens and says that they were not revoked', async () => {
      await using service = await startService(reply)
      writeTokens(service.url, EXPIRED)
      const { exit, message } = await errorOf(signOut(service.url))
      assert.equal(exit, EXIT.unreachable)
      assert.match(message, /^The tokens are deleted from this computer, but not revoked/)
      assert.ok(message.endsWith(` Revoke them at ${service.url}/account/connections/.`), message)
      assert.equal(readTokens(service.url), undefined)
    })
  })
}

test('a refused refresh token asks for a new sign-in', async () => {
  await using service = await startService({ status: 400, body: { error: 'invalid_grant' } })
  writeTokens(service.url, EXPIRED)
  const { code, exit } = await errorOf(accessToken(service.url))
  assert.deepEqual([code, exit], ['sign_in_required', EXIT.sign_in])
  assert.equal(readTokens(service.url), undefined)
})

test('a rate limit of the agent endpoint that does not end is an outage', async () => {
  const refused = refusal(429, 'rate_limited')
  await using service = await startService({ ...refused, headers: { 'retry-after': '1' } })
  writeTokens(service.url, { ...EXPIRED, expires_at: Date.now() + 3_600_000 })
  const { code, exit } = await errorOf(openAgent(service.url, () => {})('list_apps'))
  assert.deepEqual([code, exit], ['unreachable', EXIT.unreachable])
  assert.equal(service.requests.length, 3)
})

test('an access token that ended while a rate limit lasted is refreshed', async () => {
  const limited = { ...refusal(429, 'rate_limited'), headers: { 'retry-after': '1' } }
  const replies = [limited, refusal(401, 'invalid_token'), { body: { result: { content: [] } } }]
  const tokens = { access_token: 'fresh', token_type: 'bearer', expires_in: 3600 }
  await using service = await startFakeService(({ path }) => {
    if (path.includes('/.well-known/')) return { body: providerMetadata(service.url) }
    return path === '/mcp' ? replies.shift()! : { body: tokens }
  })
  writeTokens(service.url, { ...EXPIRED, expires_at: Date.now() + 3_600_000 })
  await openAgent(service.url, () => {})('list_apps')
  assert.equal(readTokens(service.url)?.access_token, 'fresh')
  assert.deepEqual(replies, [])
})

test('a new access token that is refused too ends the sign-in', async () => {
  const tokens = { access_token: 'fresh', token_type: 'bearer', expires_in: 3600 }
  await using service = await startFakeService(({ path }) => {
    if (path.includes('/.well-known/')) return { body: providerMetadata(service.url) }
    return path === '/mcp' ? refusal(401, 'invalid_token') : { body: tokens }
  })
  writeTokens(service.url, { ...EXPIRED, expires_at: Date.now() + 3_600_000 })
  const { code, exit } = await errorOf(openAgent(service.url, () => {})('list_apps'))
  assert.deepEqual([code, exit], ['invalid_token', EXIT.sign_in])
  assert.equal(service.requests.filter(({ path }) => path === '/mcp').length, 2)
})

test('a request that is refused before its call is read says why', async () => {
  for (const [status, code] of [
    [413, 'payload_too_large'],
    [400, 'invalid_request'],
  ] as const) {
    const fields = [{ path: '', message: `Refused with ${code}.` }]
    await using service = await startService(refusal(status, code, { fields }))
    writeTokens(service.url, { ...EXPIRED, expires_at: Date.now() + 3_600_000 })
    const error = await errorOf(openAgent(service.url, () => {})('list_apps'))
    assert.deepEqual([error.code, error.exit], [code, EXIT.refused])
    assert.deepEqual([error.message, error.fields], [`Refused with ${code}.`, []])
    assert.equal(error.request_id, 'req_test')
  }
})

test('an answer that is not from Purser is an error that says so', async () => {
  for (const body of [{}, { error: null }]) {
    await using service = await startService({ status: 404, body })
    writeTokens(service.url, { ...EXPIRED, expires_at: Date.now() + 3_600_000 })
    const error = await errorOf(openAgent(service.url, () => {})('list_apps'))
    assert.deepEqual([error.code, error.exit], ['unexpected_answer', EXIT.refused])
    assert.match(error.message, /answered 404, which is not Purser's answer/)
  }
})

test('an error of a call that may be over later is an outage', async () => {
  const failure = (error: string) => ({ error, message: 'Try again in a moment.' })
  const text = JSON.stringify(failure('service_unavailable'))
  const data = { ...failure('internal_error'), request_id: 'req_1' }
  const answers: [code: string, body: object][] = [
    ['service_unavailable', { result: { isError: true, content: [{ type: 'text', text }] } }],
    ['internal_error', { error: { code: -32603, message: data.message, data } }],
  ]
  for (const [code, body] of answers) {
    await using service = await startService({ body })
    writeTokens(service.url, { ...EXPIRED, expires_at: Date.now() + 3_600_000 })
    const error = await errorOf(openAgent(service.url, () => {})('list_apps'))
    assert.deepEqual([error.code, error.exit], [code, EXIT.unreachable])
    assert.equal(error.message, 'Try again in a moment.')
  }
})
