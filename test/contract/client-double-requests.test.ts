/**
 * Requests that the real client never sends, to the service and to the client's test double: sellers
 * serve the double on a port for apps in other languages, and for pages in a browser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestPurser } from '@purser/client/testing'
import * as oidc from 'openid-client'
import { basic } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
const double = createTestPurser()
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => service.close())

/** `C` in the path is the client ID; `app` sends its credentials, `token` an unknown token. */
type Sent = {
  method?: string
  path: string
  auth?: 'app' | 'wrong' | 'longer' | 'token'
  type?: string
  body?: string
  headers?: Record<string, string>
}

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const VALIDATE = '/api/v1/licenses/validate'
const ROTATE = '/api/v1/licenses/lic_1/regenerate-key'
const TWO_TOKENS = 'access_token=a&access_token=b'
const DISCOVERY = '/o/.well-known/openid-configuration'
const post = (path: string, body?: string, type: string | undefined = JSON_TYPE): Sent => ({
  method: 'POST',
  path,
  auth: 'app',
  ...(body !== undefined && { body, type }),
})

const grant = (form: string): Sent => post('/o/token', form, FORM)

const REQUESTS: Record<string, Sent> = {
  'a validation without a body': post(VALIDATE),
  'a validation without a key': post(VALIDATE, '{}'),
  'a key that is a number': post(VALIDATE, '{"key":1}'),
  'a key that is a list': post(VALIDATE, '{"key":["key_1"]}'),
  'a body that is a list': post(VALIDATE, '[]'),
  'a body that is not JSON': post(VALIDATE, '{'),
  'a form': post(VALIDATE, 'key=key_1', FORM),
  'a body without a type': post(VALIDATE, '{"key":"key_1"}', 'text/plain'),
  'a type with a charset': post(VALIDATE, '{"key":"key_1"}', 'application/json; charset=utf-8'),
  'unknown fields': post(VALIDATE, '{"license":"key_1","device":1}'),
  'a body that is too large': post(VALIDATE, `{"key":"${'x'.repeat(65_536)}"}`),
  'a lease that is no object': post(VALIDATE, '{"key":"key_1","lease":true}'),
  'every fault of a lease': post(
    VALIDATE,
    '{"key":"key_1","lease":{"seconds":59,"device":"","for":1}}',
  ),
  'a long lease': post(VALIDATE, '{"key":"key_1","lease":{"seconds":259201}}'),
  'half a second': post(VALIDATE, '{"key":"key_1","lease":{"seconds":90.5}}'),
  'seconds in words': post(VALIDATE, '{"key":"key_1","lease":{"seconds":"60"}}'),
  'a long device': post(VALIDATE, `{"key":"key_1","lease":{"device":"${'x'.repeat(201)}"}}`),
  'a NUL in a key': post(VALIDATE, '{"key":"\\u0000"}'),
  'NULs in a lease and in a list': post(
    VALIDATE,
    '{"lease":{"device":"a\\u0000"},"more":[1,{"text":"\\u0000"}]}',
  ),
  'a NUL in the name of a field': post(VALIDATE, '{"key":"key_1","\\u0000":1}'),
  'a NUL in a reason': post(ROTATE, '{"reason":"\\u0000"}'),
  'a NUL as the whole body': post(ROTATE, '"\\u0000"'),
  'an unknown key': post(VALIDATE, '{"key":"key_1"}'),
  'a trailing slash': post(`${VALIDATE}/`, '{"key":"key_1"}'),
  'a validation by GET': { path: VALIDATE, auth: 'app' },
  'a validation without credentials': { ...post(VALIDATE, '{'), auth: undefined },
  'a validation with a wrong secret': { ...post(VALIDATE, '{"key":"key_1"}'), auth: 'wrong' },
  'a validation with a secret that goes on after a colon': {
    ...post(VALIDATE, '{"key":"key_1"}'),
    auth: 'longer',
  },
  'a grant with a secret that goes on after a colon': {
    ...grant('grant_type=refresh_token&refresh_token=any'),
    auth: 'longer',
  },
  'a rotation without a body': post(ROTATE),
  'a rotation by GET': { path: ROTATE, auth: 'app' },
  'a rotation with unknown fields': post(ROTATE, '{"why":"leaked"}'),
  'a reason that is a number': post(ROTATE, '{"reason":1}'),
  'a long reason': post(ROTATE, `{"reason":"${'x'.repeat(501)}"}`),
  'half a character': post(ROTATE, '{"reason":"\\ud800"}'),
  'a long idempotency key': {
    ...post(ROTATE),
    headers: { 'idempotency-key': 'x'.repeat(256) },
  },
  'an unknown action': post('/api/v1/licenses/lic_1/refund'),
  'a license without an action': post('/api/v1/licenses/lic_1'),
  'an order by POST': post('/api/v1/orders/ref_1'),
  'an unknown order': { path: '/api/v1/orders/ref_1', auth: 'app' },
  'an order in a folder': { path: '/api/v1/orders/ref_1/license', auth: 'app' },
  'a path that cannot be read': { path: '/api/v1/orders/%zz', auth: 'app' },
  'an order with a NUL': { path: '/api/v1/orders/ref%00', auth: 'app' },
  'an order with a NUL, without credentials': { path: '/api/v1/orders/%00' },
  'a license with a NUL': post('/api/v1/licenses/%00/regenerate-key'),
  'an app with a NUL': { path: '/api/v1/public/apps/%00/' },
  'the profile by POST': { method: 'POST', path: '/api/v1/public/apps/C/' },
  'an unknown part of the profile': { path: '/api/v1/public/apps/C/plans/' },
  'an unknown app': { path: '/api/v1/public/apps/app_1/prices/' },
  'an entitlement without a token': { path: '/licensing/entitlement/' },
  'an entitlement with an unknown token': { path: '/api/v1/entitlement/', auth: 'token' },
  'an entitlement with credentials': { path: '/licensing/entitlement/', auth: 'app' },
  'an entitlement by POST': { method: 'POST', path: '/licensing/entitlement/' },
  'a grant of an unknown type': grant('grant_type=password'),
  'a grant without a type': grant('code=any'),
  'a code that was not issued': grant(
    `grant_type=authorization_code&code=any&redirect_uri=https://a.example/&code_verifier=${'v'.repeat(43)}`,
  ),
  'a code that is missing': grant('grant_type=authorization_code'),
  'a refresh token that was not issued': grant('grant_type=refresh_token&refresh_token=any'),
  'a refresh token that is missing': grant('grant_type=refresh_token'),
  'a grant with a wrong secret': { ...grant('grant_type=password'), auth: 'wrong' },
  'a user without a token': { path: '/o/me' },
  'a user of an unknown token': { path: '/o/me', auth: 'token' },
  'a user by POST': { method: 'POST', path: '/o/me', body: 'access_token=unknown', type: FORM },
  'a user by POST without a body': { method: 'POST', path: '/o/me', auth: 'token' },
  'a user by POST of JSON': post('/o/me', '{"access_token":"unknown"}'),
  'a user of two tokens': { method: 'POST', path: '/o/me', body: TWO_TOKENS, type: FORM },
  'a user of a token and a header': {
    method: 'POST',
    path: '/o/me',
    auth: 'token',
    body: 'access_token=unknown',
    type: FORM,
  },
  'a user of a token in the address': { path: '/o/me?access_token=unknown' },
  'a user with credentials': { path: '/o/me', auth: 'app' },
  'a user of a header without a token': { path: '/o/me', headers: { authorization: 'Bearer' } },
  'a user of a header with two': { path: '/o/me', headers: { authorization: 'Bearer a b' } },
  'a user with a trailing slash': { path: '/o/me/', auth: 'token' },
  'a user by PUT': { method: 'PUT', path: '/o/me' },
  'a user by DELETE': { method: 'DELETE', path: '/o/me', auth: 'token' },
  'a grant as JSON': post('/o/token', '{"grant_type":"refresh_token"}'),
  'a grant without credentials': { ...grant('grant_type=refresh_token'), auth: undefined },
  'a grant with a wrong secret in its form': {
    ...grant('grant_type=refresh_token&client_id=C&client_secret=wrong'),
    auth: undefined,
  },
  'a grant with the secret in its form': {
    ...grant('grant_type=refresh_token&refresh_token=any&client_id=C&client_secret=S'),
    auth: undefined,
  },
  'a grant with a client ID alone': {
    ...grant('grant_type=refresh_token&client_id=C'),
    auth: undefined,
  },
  'a grant with its secret twice': grant('grant_type=refresh_token&client_id=C&client_secret=S'),
  'a grant with a header and client id': grant('grant_type=refresh_token&client_id=C'),
  'a grant with a header and another client id': grant('grant_type=refresh_token&client_id=other'),
  'a grant by GET': { path: '/o/token', auth: 'app' },
  'the keys by POST': { method: 'POST', path: '/o/jwks' },
  'the discovery document by POST': { method: 'POST', path: DISCOVERY },
  'the keys': { path: '/o/jwks' },
  'the keys by HEAD': { method: 'HEAD', path: '/o/jwks' },
  'the methods of the keys': { method: 'OPTIONS', path: '/o/jwks' },
  'the methods of grants': { method: 'OPTIONS', path: '/o/token' },
  'the discovery document': { path: DISCOVERY },
}

const PAGE = { origin: 'https://page.example' }
const REFRESH = 'grant_type=refresh_token&refresh_token=any'
const preflight = (path: string, method: string): Sent => ({
  method: 'OPTIONS',
  path,
  headers: { 'access-control-request-method': method },
})

/** What a page of another origin sends. */
const OF_A_PAGE: Record<string, Sent> = {
  'the keys': { path: '/o/jwks' },
  'the keys by POST': { method: 'POST', path: '/o/jwks' },
  'the discovery document': { path: DISCOVERY },
  'the question whether it may read the keys': preflight('/o/jwks', 'GET'),
  'the question whether it may send a grant': preflight('/o/token', 'POST'),
  'the question whether it may send a token': {
    ...preflight('/o/me', 'GET'),
    headers: {
      ...preflight('/o/me', 'GET').headers,
      'access-control-request-headers': 'authorization',
    },
  },
  'the question whether it may read the prices': preflight('/api/v1/public/apps/C/prices/', 'GET'),
  'the question whether it may read an unknown app': preflight('/api/v1/public/apps/x/', 'GET'),
  'a public path that does not exist': { path: '/api/v1/public/x' },
  'a user without a token': { path: '/o/me' },
  'a user of an unknown token': { path: '/o/me', auth: 'token' },
  'a grant with the secret': grant(REFRESH),
  'a grant with a wrong secret': { ...grant(REFRESH), auth: 'wrong' },
  'a grant without credentials': { ...grant(REFRESH), auth: undefined },
}

const HEADERS = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'retry-after',
  'www-authenticate',
]

/** What a caller sees of a response, without what differs between two runs. */
async function seen(answer: Response, base_url: string) {
  const text = (await answer.text()).replace(/\bapp_\w+/g, 'app_…')
  const { error, error_description, message, fields } = JSON.parse(text || '{}')
  const headers = HEADERS.map((name) => [
    name,
    answer.headers.get(name)?.replace(base_url, 'https://purser.example'),
  ])
  const body = { error, error_description, message, fields }
  return { status: answer.status, ...body, ...Object.fromEntries(headers) }
}

/** A request to the service, or to the double, with the credentials of its app. */
function requestOf(
  sent: Sent,
  app: { base_url: string; client_id: string; client_secret: string },
) {
  const { method = 'GET', path, auth, type } = sent
  const { client_id, client_secret } = app
  const body = sent.body?.replace('=C', `=${client_id}`).replace('=S', `=${client_secret}`) ?? null
  const { authorization } = basic(service, app)
  const wrong = basic(service, { ...app, client_secret: 'wrong' }).authorization
  const more = { ...app, client_secret: `${client_secret}:more` }
  const longer = basic(service, more).authorization
  const credentials = { app: authorization, wrong, longer, token: 'Bearer unknown' }
  const headers = new Headers(sent.headers)
  if (auth) headers.set('authorization', credentials[auth])
  const request = new Request(app.base_url + path.replace('C', app.client_id), {
    method,
    headers,
    body,
  })
  // A text is sent as text/plain unless it has a type.
  if (type) request.headers.set('content-type', type)
  return request
}

describe('the service and the double answer alike', () => {
  const ask = async (sent: Sent) => {
    const { base_url } = service.world.config
    const real = await fetch(requestOf(sent, { ...service.demo.app, base_url }))
    const answer = await double.handle(requestOf(sent, double))
    return { answer: await seen(answer, double.base_url), expected: await seen(real, base_url) }
  }

  for (const [title, sent] of Object.entries(REQUESTS)) {
    test(title, async () => {
      const { answer, expected } = await ask(sent)
      assert.deepEqual(answer, expected)
    })
  }

  for (const [title, sent] of Object.entries(OF_A_PAGE)) {
    test(`to a page of another origin: ${title}`, async () => {
      const { answer, expected } = await ask({ ...sent, headers: { ...PAGE, ...sent.headers } })
      assert.deepEqual(answer, expected)
    })
  }

  test('to a page of another origin that reads the prices', async () => {
    const { answer, expected } = await ask({ path: '/api/v1/public/apps/C/prices/' })
    assert.equal(expected['access-control-allow-origin'], '*')
    assert.deepEqual(answer, expected)
  })
})

test('the double signs a person in through openid-client, which sends the secret in its form', async () => {
  const issuer = new URL(`${double.base_url}/o`)
  const config = await oidc.discovery(issuer, double.client_id, double.client_secret, undefined, {
    [oidc.customFetch]: (url, init) => double.fetch(url, init as RequestInit),
  })
  const checks = {
    pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
    expectedState: oidc.randomState(),
  }
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: 'https://app.example/callback',
    scope: 'openid entitlements',
    state: checks.expectedState,
    code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const person = double.addPerson()
  const arrived = new URL(double.authorize(address.href, person))
  const tokens = await oidc.authorizationCodeGrant(config, arrived, checks)
  assert.equal(tokens.claims()?.sub, person.sub)
})

test('the double names the user of an access token with the scope openid', async () => {
  const person = double.addPerson()
  const ask = async (scope: string) => {
    const headers = { authorization: `Bearer ${double.accessToken(person, { scope })}` }
    const answer = await double.handle(new Request(`${double.base_url}/o/me`, { headers }))
    return [answer.status, await answer.json()]
  }
  assert.deepEqual(await ask('openid'), [200, { sub: person.sub }])
  const error = 'insufficient_scope'
  const error_description = 'access token missing openid scope'
  assert.deepEqual(await ask('entitlements'), [403, { error, error_description }])
})
