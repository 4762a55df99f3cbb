import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDriftlog } from '../../examples/driftlog/server.ts'
import { type ReceivedRequest, type Reply, refusal, startFakeService } from './fake-service.ts'
import { prices, visitorOf } from './tidepool-test.ts'

const CLIENT_ID = 'app_driftlog'

/** An ID token whose signature is not checked: it came straight from the issuer. */
function idToken(issuer: string, nonce: string): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: CLIENT_ID,
    sub: 'sub_of_robin',
    nonce,
    iat: now,
    exp: now + 60,
  }
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims, 'signature']
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
}

const plan = {
  entitled: true,
  version: 'Pro',
  product_public_id: 'prod_pro',
  product_id: 'prod_pro',
  status: 'active',
  is_free: false,
  period_end: '2026-04-01',
}
const free = {
  ...plan,
  version: 'Free',
  product_public_id: 'prod_free',
  status: 'free',
  is_free: true,
}

/** Driftlog in front of a fake service; a test changes the parts that it is about. */
async function openDriftlogTest() {
  const replies = {
    discovery: undefined as Reply | undefined,
    entitlement: (() => ({ body: plan })) as (params: ReceivedRequest) => Reply,
    exchange: undefined as Reply | undefined,
    renewal: undefined as Reply | undefined,
    expires_in: 3600,
  }
  let nonce = ''
  const service = await startFakeService((params) => {
    const { path, body } = params
    const issuer = `${service.url}/o`
    if (path.endsWith('/prices/')) return { body: prices }
    if (path === '/licensing/entitlement/') return replies.entitlement(params)
    if (path === '/o/.well-known/openid-configuration') {
      return replies.discovery ?? { body: discoveryOf(issuer) }
    }
    if (path !== '/o/token') return refusal(404, 'not_found')
    const form = new URLSearchParams(body)
    const tokens = { token_type: 'Bearer', expires_in: replies.expires_in, access_token: 'access' }
    if (form.get('grant_type') === 'authorization_code') {
      if (replies.exchange) return replies.exchange
      return { body: { ...tokens, refresh_token: 'refresh-1', id_token: idToken(issuer, nonce) } }
    }
    return (
      replies.renewal ?? {
        body: { ...tokens, expires_in: 3600, access_token: 'renewed', refresh_token: 'refresh-2' },
      }
    )
  })
  const driftlog = await startDriftlog({
    base_url: service.url,
    client_id: CLIENT_ID,
    client_secret: 'sVeryPrivate0123456789',
    paid_products: ['prod_pro'],
    port: 0,
    host: '127.0.0.1',
    max_age_seconds: 0,
  })
  return {
    replies,
    service,
    driftlog,
    /** A browser that begins to sign in: the address it is sent to, and its query. */
    async begin(visitor = visitorOf(driftlog.url)) {
      const { status, location } = await visitor.get('/login')
      assert.equal(status, 303)
      const params = new URL(location ?? '').searchParams
      nonce = params.get('nonce') ?? ''
      return { visitor, location: location ?? '', params, state: params.get('state') ?? '' }
    },
    /** A browser that is signed in. */
    async signIn() {
      const { visitor, state } = await this.begin()
      const back = await visitor.get(`/auth/callback?code=good&state=${state}`)
      assert.deepEqual([back.status, back.location], [303, '/app'], back.page)
      return visitor
    },
    renewals: () => service.requests.filter(isRenewal).length,
    async [Symbol.asyncDispose]() {
      await driftlog.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

const isRenewal = ({ path, body }: ReceivedRequest) =>
  path === '/o/token' && body.includes('grant_type=refresh_token')

function discoveryOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/session/end`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

test('signing in requests a code, bound to this browser, this attempt and PKCE', async () => {
  await using setup = await openDriftlogTest()
  const { visitor, location, params } = await setup.begin()
  assert.ok(location.startsWith(`${setup.service.url}/o/auth?`))
  assert.equal(params.get('redirect_uri'), `${setup.driftlog.url}/auth/callback`)
  assert.equal(params.get('scope'), 'openid entitlements')
  assert.equal(params.get('response_type'), 'code')
  assert.equal(params.get('code_challenge_method'), 'S256')
  const again = await setup.begin(visitor)
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.match(params.get(name) ?? '', /^[\w-]{43}$/)
    assert.notEqual(again.params.get(name), params.get(name))
  }
})

test('the code becomes a session, and no token reaches the browser', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  const token = setup.service.requests.find(({ path }) => path === '/o/token')!
  const form = new URLSearchParams(token.body)
  assert.equal(form.get('code'), 'good')
  assert.match(form.get('code_verifier') ?? '', /^[\w-]{43}$/)
  const { status, page } = await visitor.get('/app')
  assert.equal(status, 200)
  for (const shown of ['Signed in', 'Pro', 'Active', 'Paid until April 1, 2026', 'Seven days']) {
    assert.ok(page.includes(shown), shown)
  }
  const params = setup.service.requests.at(-1)
  assert.equal(params?.path, '/licensing/entitlement/')
  assert.equal(params?.headers.authorization, 'Bearer access')
  for (const secret of ['refresh-1', 'Bearer', 'sVeryPrivate']) {
    assert.ok(!`${page}${[...visitor.jar]}`.includes(secret), secret)
  }
})

test('an answer is accepted once, and only in the browser that requested it', async () => {
  await using setup = await openDriftlogTest()
  const { visitor, state } = await setup.begin()
  const path = `/auth/callback?code=good&state=${state}`
  const other = visitorOf(setup.driftlog.url)
  await setup.begin(other)
  for (const [who, address] of [
    [other, path],
    [visitor, '/auth/callback?code=good&state=another'],
    [visitor, '/auth/callback?code=good'],
  ] as const) {
    const { status, page } = await who.get(address)
    assert.equal(status, 400)
    assert.match(page, /This sign-in is over/)
  }
  assert.equal(setup.service.requests.filter(({ path: at }) => at === '/o/token').length, 0)
  const second = await setup.begin(visitor)
  assert.equal((await visitor.get(`/auth/callback?code=good&state=${second.state}`)).status, 303)
  assert.equal((await visitor.get(`/auth/callback?code=good&state=${second.state}`)).status, 400)
})

test('explains a canceled and a refused sign-in', async () => {
  await using setup = await openDriftlogTest()
  for (const [error, text] of [
    ['access_denied', /You did not sign in/],
    ['login_required', /Sign-in failed/],
  ] as const) {
    const { visitor, state } = await setup.begin()
    const { status, page } = await visitor.get(`/auth/callback?error=${error}&state=${state}`)
    assert.equal(status, 403)
    assert.match(page, text)
    assert.equal((await visitor.get('/app')).status, 403)
  }
})

test('a refused client secret is not blamed on the visitor', async () => {
  await using setup = await openDriftlogTest()
  setup.replies.exchange = refusal(401, 'invalid_client')
  const { visitor, state } = await setup.begin()
  const { status, page } = await visitor.get(`/auth/callback?code=good&state=${state}`)
  assert.equal(status, 500)
  assert.match(page, /Our fault, not yours/)
})

test('the paid pages open for plans by ID only, whatever their names', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  for (const [entitlement, opens] of [
    [{ ...plan, version: 'A new name', status: 'trialing' }, true],
    [{ ...plan, status: 'preview', period_end: null }, true],
    [{ ...plan, product_public_id: 'prod_other', version: 'Pro' }, false],
    [free, false],
    [{ ...plan, entitled: false, status: 'none', version: '', product_public_id: '' }, false],
  ] as const) {
    setup.replies.entitlement = () => ({ body: entitlement })
    const { status, page } = await visitor.get('/app')
    assert.equal(status, 200)
    assert.equal(page.includes('Seven days</h2>'), opens, JSON.stringify(entitlement))
    assert.equal(page.includes('Buy Pro monthly'), !opens)
  }
})

test('an expired token is refreshed once, however many requests find it expired at once', async () => {
  await using setup = await openDriftlogTest()
  setup.replies.expires_in = 5
  const visitor = await setup.signIn()
  const pages = await Promise.all(Array.from({ length: 5 }, () => visitor.get('/app')))
  assert.deepEqual(
    pages.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  assert.equal(setup.renewals(), 1)
  assert.equal(setup.service.requests.at(-1)?.headers.authorization, 'Bearer renewed')
  const renewal = new URLSearchParams(setup.service.requests.find(isRenewal)?.body)
  assert.equal(renewal.get('refresh_token'), 'refresh-1')
})

test('a person who signed out elsewhere is signed out here as well', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  setup.replies.entitlement = () => refusal(401, 'invalid_token')
  setup.replies.renewal = { status: 400, body: { error: 'invalid_grant' } }
  const { status, page } = await visitor.get('/app')
  assert.equal(status, 403)
  assert.match(page, /You are signed out/)
  assert.ok(!visitor.jar.has('driftlog_session'))
})

test('a token that is refused early is refreshed before the person is asked to sign in', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  setup.replies.entitlement = ({ headers }) =>
    headers.authorization === 'Bearer renewed' ? { body: plan } : refusal(401, 'invalid_token')
  assert.match((await visitor.get('/app')).page, /Seven days/)
  assert.equal(setup.renewals(), 1)
})

test('an error of the service is not blamed on the visitor, who stays signed in', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  for (const [entitlement, status, text] of [
    [refusal(403, 'service_not_enabled'), 503, /We cannot look up plans right now/],
    [refusal(503, 'internal_error'), 503, /We cannot check licenses right now/],
    [{ reset: true }, 503, /We cannot check licenses right now/],
    [refusal(429, 'rate_limited'), 503, /We cannot check licenses right now/],
    [refusal(403, 'insufficient_scope'), 500, /Our fault, not yours/],
  ] as const) {
    setup.replies.entitlement = () => entitlement
    const answer = await visitor.get('/app')
    assert.equal(answer.status, status)
    assert.match(answer.page, text)
  }
  setup.replies.entitlement = () => ({ body: plan })
  assert.equal((await visitor.get('/app')).status, 200)
})

test('a refresh that is limited is an outage, which keeps the person signed in', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  setup.replies.entitlement = () => refusal(401, 'invalid_token')
  setup.replies.renewal = refusal(429, 'rate_limited')
  const { status, page } = await visitor.get('/app')
  assert.equal(status, 503)
  assert.match(page, /We cannot check licenses right now/)
  setup.replies.entitlement = () => ({ body: plan })
  assert.equal((await visitor.get('/app')).status, 200)
})

test('sign-in is unavailable while the issuer does not respond', async () => {
  await using setup = await openDriftlogTest()
  const visitor = visitorOf(setup.driftlog.url)
  for (const discovery of [refusal(503, 'internal_error'), { reset: true }]) {
    setup.replies.discovery = discovery
    const { status, headers } = await visitor.get('/login')
    assert.deepEqual([status, headers.get('retry-after')], [503, '10'])
  }
  assert.equal((await visitor.get('/')).status, 200)
  setup.replies.discovery = undefined
  await setup.begin(visitor)
})

test('signing out ends the session here, and continues at the issuer with the ID token hint', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  const stolen = visitor.jar.get('driftlog_session') ?? ''
  for (const origin of ['https://evil.example', 'null', null]) {
    assert.equal((await visitor.post('/sign-out', {}, origin)).status, 403)
  }
  const { status, location } = await visitor.post('/sign-out', {})
  const end = new URL(location ?? '')
  assert.equal(status, 303)
  assert.equal(end.origin + end.pathname, `${setup.service.url}/o/session/end`)
  assert.equal(end.searchParams.get('post_logout_redirect_uri'), `${setup.driftlog.url}/`)
  assert.match(end.searchParams.get('id_token_hint') ?? '', /^ey/)
  visitor.jar.set('driftlog_session', stolen)
  assert.equal((await visitor.get('/app')).status, 403)
})

test('Buy links contain no return address: buyers return to the login URL', async () => {
  await using setup = await openDriftlogTest()
  const { page } = await visitorOf(setup.driftlog.url).get('/')
  for (const { public_id } of prices.prices) {
    assert.ok(page.includes(`href="${setup.service.url}/buy/${public_id}/"`))
  }
})

test('every page has its security headers; forms lead here and to the service only', async () => {
  await using setup = await openDriftlogTest()
  const visitor = await setup.signIn()
  for (const path of ['/', '/app', '/auth/callback', '/nowhere']) {
    const { headers, page } = await visitor.get(path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.ok(policy.includes(`form-action 'self' ${setup.service.url};`))
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.doesNotMatch(page, /<script|<style|\sstyle=|\son[a-z]+=/)
  }
})
