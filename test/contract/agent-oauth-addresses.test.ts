import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type * as client from 'openid-client'
import * as grants from '#domain/grants'
import { textOf } from '../support/agent.ts'
import {
  type AgentSignInTest,
  openAgentSignInTest,
  startAuthorization,
} from '../support/agent-client.ts'
import { requestToken } from '../support/agent-token.ts'
import { browser, parametersOf, type SignInTest, signInAs } from '../support/sign-in.ts'

let setup: SignInTest
let side: client.Configuration
let seller: AgentSignInTest['seller']
before(async () => {
  ;({ setup, side, seller } = await openAgentSignInTest())
})
after(async () => {
  await setup.close()
})

const ALLOWED = [
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1:33418/',
  'http://127.0.0.1:33418',
  'http://127.0.0.1/oauth/callback',
  'http://127.0.0.1:19876/mcp/oauth/callback',
  'http://127.0.0.1:65535/callback/a1-b_2~c',
  'http://[::1]:8080/callback',
  'http://[::1]/',
  'http://localhost:45454/callback',
  'http://localhost:45454/oauth/callback',
  'http://localhost:45454',
]

const REFUSED = [
  'http://localhost:5555/callback',
  'http://localhost/callback',
  'http://localhost:454540/callback',
  'http://localhost:45454@evil.example/callback',
  'http://localhost.evil.example:45454/callback',
  'http://LOCALHOST:45454/callback',
  'https://localhost:45454/callback',
  'https://127.0.0.1:33418/callback',
  'http://127.0.0.1:0/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:33418@evil.example/',
  'http://user@127.0.0.1:33418/callback',
  'http://127.0.0.1.evil.example:33418/callback',
  'http://127.0.0.1:33418/callback?next=https://evil.example',
  'http://127.0.0.1:33418/callback#fragment',
  'http://127.0.0.1:33418\\@evil.example/callback',
  'http://127.0.0.1:33418/call\nback',
  ' http://127.0.0.1:33418/callback',
  'http://127.0.0.2:33418/callback',
  'http://127.1:33418/callback',
  'http://0x7f000001:33418/callback',
  'http://0.0.0.0:33418/callback',
  'http://[::ffff:127.0.0.1]:33418/callback',
  'http://[0:0:0:0:0:0:0:1]:33418/callback',
  'https://agent.example/callback',
  'cursor://agent/oauth/callback',
  'javascript:alert(1)',
  'urn:ietf:wg:oauth:2.0:oob',
  '//127.0.0.1:33418/callback',
]

test('an agent may wait at 127.0.0.1 and [::1] on any port and path, and gets its answer there', async () => {
  const agent = await signInAs(setup, seller)
  for (const redirect_uri of ALLOWED) {
    const attempt = await startAuthorization(side, { redirect_uri })
    const page = await agent.open(attempt.url.href)
    assert.match(
      textOf(page.body),
      new RegExp(`continue to ${hostIn(redirect_uri)} ,`),
      redirect_uri,
    )
    const { url } = await agent.submit('Allow')
    assert.ok(url.startsWith(new URL(redirect_uri).href), url)
    const { code, state } = parametersOf(url)
    assert.equal(state, attempt.state)
    const tokens = await requestToken(setup, {
      grant_type: 'authorization_code',
      client_id: grants.AGENT_CLIENT,
      code: code!,
      code_verifier: attempt.verifier,
      redirect_uri,
    })
    assert.equal(tokens.status, 200, redirect_uri)
  }
})

function hostIn(uri: string): string {
  return new URL(uri).host.replaceAll(/[[\].]/g, '\\$&')
}

test('refuses any other address before sign-in, and the page says what to do', async () => {
  for (const redirect_uri of REFUSED) {
    const { url } = await startAuthorization(side, { redirect_uri })
    const page = await browser(setup).open(url.href)
    assert.equal(page.status, 400, redirect_uri)
    assert.match(textOf(page.body), /The sign-in request from the agent is invalid/)
    const rule = 'must begin with http://127.0.0.1 or http://[::1] , on any port'
    assert.ok(textOf(page.body).includes(rule), textOf(page.body))
    assert.match(textOf(page.body), /localhost must use port 45454/)
  }
})

const MUTATIONS = 20_000

const PIECES = [
  ...[
    '@',
    ':',
    '/',
    '\\',
    '#',
    '?',
    '%',
    '.',
    '//',
    '/..',
    '%2f',
    '%00',
    '\t',
    '\n',
    ' ',
    '\u3002',
  ],
  ...['evil.example', '@evil.example', '.evil.example', 'localhost', '127.0.0.1', '0', '::', ']'],
]

test(`no address that is taken, of ${MUTATIONS} altered ones, leads off the person’s own computer`, () => {
  const pieces = fc.constantFrom(...PIECES)
  const altered = fc
    .tuple(fc.constantFrom(...ALLOWED), fc.nat(60), fc.nat(6), fc.oneof(pieces, fc.string()))
    .map(([uri, at, gone, piece]) => uri.slice(0, at) + piece + uri.slice(at + gone))
  let taken = 0
  const staysHome = (uri: string) => {
    if (!grants.isAgentCallback(uri)) return true
    taken++
    const { protocol, hostname, port, username, password, search, hash } = new URL(uri)
    const isHome = ['127.0.0.1', '[::1]'].includes(hostname)
    assert.ok(isHome || (hostname === 'localhost' && port === '45454'), uri)
    assert.deepEqual([protocol, username, password, search, hash], ['http:', '', '', '', ''], uri)
    return true
  }
  fc.assert(fc.property(altered, staysHome), { numRuns: MUTATIONS })
  assert.ok(taken > 0)
})
