/** Hosted sign-in of the client, against an issuer that a test can make dishonest. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import {
  createSignIn,
  isPurserError,
  PurserError,
  type SignIn,
  SignInError,
  type SignInTokens,
  UnreachableError,
} from '@purser/client'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { CLIENT_ID, CLIENT_SECRET, type FakeIssuer, startFakeIssuer } from './fake-issuer.ts'
import { refusal } from './fake-service.ts'

const redirect_uri = 'https://driftlog.example/auth/callback'

function signInOf({ service }: FakeIssuer, more: object = {}): SignIn {
  return createSignIn({
    base_url: service.url,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    ...more,
  })
}

/** Begins a sign-in: the query of its link, its login and the address of a good response. */
async function begin(issuer: FakeIssuer, sign_in: SignIn, more: object = {}) {
  const { url, login, max_age_seconds } = await sign_in.authorizationLink({ redirect_uri, ...more })
  const query = new URL(url).searchParams
  issuer.nonce = query.get('nonce') ?? ''
  const state = query.get('state') ?? ''
  const iss = `${issuer.service.url}/o`
  const arrived = (changes: Record<string, string | undefined> = {}) => {
    const back = new URL(redirect_uri)
    for (const [name, value] of Object.entries({ code: 'good', state, iss, ...changes })) {
      if (value !== undefined) back.searchParams.set(name, value)
    }
    return back.href
  }
  return { url, query, login, max_age_seconds, arrived }
}

async function signedIn(issuer: FakeIssuer, sign_in = signInOf(issuer)): Promise<SignInTokens> {
  const { login, arrived } = await begin(issuer, sign_in)
  return (await sign_in.callback(arrived(), login)).tokens
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof PurserError ? error.code : String(error)),
  )

const pathsOf = ({ service }: FakeIssuer) => service.requests.map(({ path }) => path)
const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body))

test('the link asks for a code with PKCE, bound to this attempt', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { url, query, login, max_age_seconds } = await begin(issuer, sign_in)
  assert.ok(url.startsWith(`${issuer.service.url}/o/auth?`))
  const { state, nonce, code_challenge, ...rest } = Object.fromEntries(query)
  assert.deepEqual(rest, {
    client_id: CLIENT_ID,
    redirect_uri,
    response_type: 'code',
    scope: 'openid entitlements',
    code_challenge_method: 'S256',
  })
  const other = await begin(issuer, sign_in)
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.match(query.get(name) ?? '', /^[\w-]{43}$/)
    assert.notEqual(query.get(name), other.query.get(name))
  }
  assert.match(login, /^[\w-]+$/, 'it fits in a cookie as it is')
  assert.equal(max_age_seconds, 3600)
  assert.deepEqual(pathsOf(issuer), ['/o/.well-known/openid-configuration'])
})

test('the code becomes tokens, with the verifier of the link and the secret of the app', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { query, login, arrived } = await begin(issuer, sign_in, { return_to: '/week?from=é' })
  const { tokens, return_to } = await sign_in.callback(arrived(), login)
  const { id_token, expires_at, ...rest } = tokens
  assert.deepEqual(rest, {
    sub: 'sub_of_robin',
    access_token: 'access-1',
    refresh_token: 'refresh-1',
    scope: 'openid entitlements',
  })
  assert.equal(return_to, '/week?from=é')
  assert.equal(id_token.split('.').length, 3)
  assert.ok(Math.abs(expires_at - Date.now() - 3_600_000) < 5_000)
  const request = issuer.service.requests.find(({ path }) => path === '/o/token')!
  const { code_verifier = '', ...form } = formOf(request.body)
  assert.deepEqual(form, { grant_type: 'authorization_code', code: 'good', redirect_uri })
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier))
  assert.equal(Buffer.from(digest).toString('base64url'), query.get('code_challenge'))
  const basic = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')
  assert.equal(request.headers.authorization, `Basic ${basic}`)
  assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded')
})

test('a path is enough for the callback, as servers know their requests', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { login, arrived } = await begin(issuer, sign_in)
  const { pathname, search } = new URL(arrived())
  assert.equal((await sign_in.callback(pathname + search, login)).tokens.sub, 'sub_of_robin')
})

test('a response for another browser, attempt or issuer is refused before the code is used', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { login, arrived } = await begin(issuer, sign_in)
  const other = await begin(issuer, sign_in)
  for (const [url, kept, code] of [
    [arrived(), undefined, 'login_expired'],
    [arrived(), 'not-a-login', 'login_expired'],
    [arrived(), other.login, 'state_mismatch'],
    [arrived({ state: undefined }), login, 'state_mismatch'],
    [arrived({ state: 'another' }), login, 'state_mismatch'],
    [arrived({ iss: 'https://evil.example/o' }), login, 'issuer_mismatch'],
    [arrived({ iss: undefined }), login, 'issuer_mismatch'],
    [arrived({ code: undefined }), login, 'invalid_response'],
  ] as const) {
    assert.equal(await codeOf(sign_in.callback(url, kept)), code, url)
  }
  assert.ok(!pathsOf(issuer).includes('/o/token'))
})

test('a sign-in that began an hour ago is over', async (t) => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { login, arrived } = await begin(issuer, sign_in)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_601_000 })
  t.after(() => mock.timers.reset())
  assert.equal(await codeOf(sign_in.callback(arrived(), login)), 'login_expired')
})

test('a person who cancels is a SignInError with the code of the response', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { login, arrived } = await begin(issuer, sign_in)
  const canceled = arrived({ code: undefined, error: 'access_denied', error_description: 'No.' })
  const error = await sign_in.callback(canceled, login).catch((thrown) => thrown)
  assert.ok(error instanceof SignInError)
  assert.deepEqual([error.code, error.message], ['access_denied', 'No.'])
  const forged = arrived({ code: undefined, error: 'access_denied', state: 'another' })
  assert.equal(await codeOf(sign_in.callback(forged, login)), 'state_mismatch')
})

test('an address whose error only a response can have is refused', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const { login, arrived } = await begin(issuer, sign_in)
  for (const error of ['rate_limited', 'unreachable', 'insufficient_scope', 'lease_expired']) {
    const edited = arrived({ code: undefined, error })
    assert.equal(await codeOf(sign_in.callback(edited, login)), 'invalid_response', error)
  }
  for (const error of ['invalid_request', 'login_required']) {
    const redirected = arrived({ code: undefined, error })
    assert.equal(await codeOf(sign_in.callback(redirected, login)), error)
  }
})

const now = () => Math.floor(Date.now() / 1000)
const CLAIMS: Record<string, () => JWTPayload> = {
  'of another issuer': () => ({ iss: 'https://evil.example/o' }),
  'for another app': () => ({ aud: 'app_other' }),
  'for several apps, used by another': () => ({ aud: [CLIENT_ID, 'app_other'], azp: 'app_other' }),
  'that has expired': () => ({ exp: now() - 61 }),
  'without an end': () => ({ exp: undefined }),
  'from the future': () => ({ iat: now() + 120 }),
  'of another sign-in': () => ({ nonce: 'another' }),
  'without a nonce': () => ({ nonce: undefined }),
  'without a person': () => ({ sub: '' }),
}

for (const [what, claims] of Object.entries(CLAIMS)) {
  test(`an ID token ${what} is refused`, async () => {
    await using issuer = await startFakeIssuer()
    issuer.claims = claims()
    assert.equal(await codeOf(signedIn(issuer)), 'invalid_id_token')
  })
}

test('an ID token that has expired when it arrives points to the clock', async () => {
  await using issuer = await startFakeIssuer()
  issuer.claims = { exp: now() - 61 }
  await assert.rejects(signedIn(issuer), /expired: check the clock of this server/)
})

test('an ID token that the issuer did not sign is refused', async () => {
  await using issuer = await startFakeIssuer()
  const secret = new TextEncoder().encode(CLIENT_SECRET)
  for (const sign of [
    async (claims: JWTPayload) => new UnsecuredJWT(claims).encode(),
    (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
    async () => 'no token',
    async () => 'a.b.c',
    async () => `${btoa('{"alg":"RS256","kid":"none"}')}.e30.c2ln`,
  ]) {
    issuer.sign = sign
    assert.equal(await codeOf(signedIn(issuer)), 'invalid_id_token')
  }
  issuer.sign = undefined
  const good = await signedIn(issuer)
  const [head, , signature] = good.id_token.split('.')
  const claims = btoa(JSON.stringify({ ...JSON.parse(atob(good.id_token.split('.')[1]!)), a: 1 }))
  issuer.sign = async () => `${head}.${claims.replaceAll('=', '')}.${signature}`
  assert.equal(await codeOf(signedIn(issuer)), 'invalid_id_token')
})

test('a new signing key is read once it is used, and an unpublished one is refused', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const reads = () => pathsOf(issuer).filter((path) => path === '/o/jwks').length
  await signedIn(issuer, sign_in)
  await signedIn(issuer, sign_in)
  assert.equal(reads(), 1)
  await issuer.rotate()
  await signedIn(issuer, sign_in)
  assert.equal(reads(), 2)
  await issuer.rotate({ published: false })
  assert.equal(await codeOf(signedIn(issuer, sign_in)), 'invalid_id_token')
  assert.equal(reads(), 3)
})

test('discovery is read once for concurrent calls, and again after an error', async () => {
  await using issuer = await startFakeIssuer()
  const path = '/o/.well-known/openid-configuration'
  issuer.replies[path] = refusal(404, 'not_found')
  const sign_in = signInOf(issuer)
  assert.equal(await codeOf(begin(issuer, sign_in)), 'not_found')
  delete issuer.replies[path]
  await Promise.all([begin(issuer, sign_in), begin(issuer, sign_in), begin(issuer, sign_in)])
  await begin(issuer, sign_in)
  assert.deepEqual(pathsOf(issuer), [path, path])
})

test('a discovery document of another issuer is refused', async () => {
  await using issuer = await startFakeIssuer()
  for (const metadata of [
    { issuer: 'https://evil.example/o' },
    { token_endpoint: undefined },
    { jwks_uri: 'not a url' },
  ]) {
    issuer.metadata = metadata
    assert.equal(await codeOf(begin(issuer, signInOf(issuer))), 'issuer_mismatch')
  }
})

test('concurrent refreshes of one token are one request, and so is one right after it', async (t) => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const tokens = await signedIn(issuer, sign_in)
  issuer.nonce = ''
  const count = () => pathsOf(issuer).filter((path) => path === '/o/token').length - 1
  const all = await Promise.all(Array.from({ length: 5 }, () => sign_in.refresh(tokens)))
  const late = await sign_in.refresh(tokens)
  assert.equal(count(), 1)
  for (const each of [...all, late]) assert.equal(each.refresh_token, 'refresh-2')
  const { body } = issuer.service.requests.at(-1)!
  assert.deepEqual(formOf(body), { grant_type: 'refresh_token', refresh_token: 'refresh-1' })
  await sign_in.refresh(late)
  assert.equal(count(), 2)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 10_000 })
  t.after(() => mock.timers.reset())
  await sign_in.refresh(tokens)
  assert.equal(count(), 3)
})

test('freshTokens refreshes only tokens that are about to expire', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const tokens = await signedIn(issuer, sign_in)
  assert.equal(await sign_in.freshTokens(tokens), tokens)
  const old = { ...tokens, expires_at: Date.now() + 29_000 }
  assert.equal((await sign_in.freshTokens(old)).access_token, 'access-2')
})

test('a refresh that the service refuses says so, and one that fails is repeated', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const tokens = await signedIn(issuer, sign_in)
  const error = 'invalid_grant'
  issuer.replies['/o/token'] = { status: 400, body: { error, error_description: 'gone' } }
  const refused = await sign_in.refresh(tokens).catch((thrown) => thrown)
  assert.ok(refused instanceof SignInError && refused.code === error && refused.message === 'gone')
  assert.equal(await codeOf(sign_in.refresh({ ...tokens, refresh_token: null })), error)
  issuer.replies['/o/token'] = { status: 401, body: { error: 'invalid_client' } }
  const misconfigured = await sign_in.refresh(tokens).catch((thrown) => thrown)
  assert.ok(isPurserError(misconfigured, 'invalid_client'))
  assert.ok(!(misconfigured instanceof SignInError))
  issuer.replies['/o/token'] = { reset: true }
  const before = issuer.service.requests.length
  assert.ok((await sign_in.refresh(tokens).catch((thrown) => thrown)) instanceof UnreachableError)
  assert.equal(issuer.service.requests.length, before + 3)
  delete issuer.replies['/o/token']
  assert.equal((await sign_in.refresh(tokens)).sub, tokens.sub)
})

test('a refresh that names another person is refused', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const tokens = await signedIn(issuer, sign_in)
  issuer.claims = { sub: 'sub_of_eve' }
  assert.equal(await codeOf(sign_in.refresh(tokens)), 'invalid_id_token')
})

test('a code is exchanged once, even if the response is lost', async () => {
  await using issuer = await startFakeIssuer()
  issuer.replies['/o/token'] = { reset: true }
  assert.equal(await codeOf(signedIn(issuer)), 'unreachable')
  assert.equal(pathsOf(issuer).filter((path) => path === '/o/token').length, 1)
})

test('the logout link names the person, the app and where to return', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  const home = 'https://driftlog.example/'
  const link = await sign_in.logoutLink(
    { id_token: 'a.b.c' },
    { post_logout_redirect_uri: home, state: 'out' },
  )
  assert.ok(link.startsWith(`${issuer.service.url}/o/session/end?`))
  assert.deepEqual(Object.fromEntries(new URL(link).searchParams), {
    client_id: CLIENT_ID,
    id_token_hint: 'a.b.c',
    post_logout_redirect_uri: home,
    state: 'out',
  })
  const plain = new URL(await sign_in.logoutLink(null))
  assert.deepEqual(Object.fromEntries(plain.searchParams), { client_id: CLIENT_ID })
})

test('return_to is a path of the own site, also in a login that was planted', async () => {
  await using issuer = await startFakeIssuer()
  const sign_in = signInOf(issuer)
  // Browsers drop tabs and line breaks of an address, and read `\` as `/`.
  const foreign = ['//evil.example', '/\\evil.example', '/\t/evil.example', '/\n\\evil.example']
  for (const return_to of ['https://evil.example/', '', ...foreign]) {
    await assert.rejects(sign_in.authorizationLink({ redirect_uri, return_to }), TypeError)
  }
  const { login, arrived } = await begin(issuer, sign_in)
  const kept = JSON.parse(Buffer.from(login, 'base64url').toString())
  for (const return_to of foreign) {
    const planted = Buffer.from(JSON.stringify({ ...kept, return_to })).toString('base64url')
    assert.equal(await codeOf(sign_in.callback(arrived(), planted)), 'login_expired')
  }
})

test('an invalid configuration is rejected at once', () => {
  const app = { base_url: 'https://purser.example', client_id: CLIENT_ID }
  assert.throws(() => createSignIn({ ...app, client_secret: '' }), TypeError)
  assert.throws(() => createSignIn({ ...app, base_url: '/', client_secret: 'x' }), TypeError)
  for (const client_id of ['', undefined as unknown as string]) {
    const message = 'client_id must not be empty'
    assert.throws(() => createSignIn({ ...app, client_id, client_secret: 'x' }), { message })
  }
})
