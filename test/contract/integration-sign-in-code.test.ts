/** The snippets of an app with hosted sign-in, run against the service. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { after, before, test } from 'node:test'
import { inspect, promisify } from 'node:util'
import * as apps from '#domain/apps'
import { snippetsOf } from '#surfaces/dashboard/snippets'
import { type AuthJsSite, openAuthJsSite } from '../support/auth-js-site.ts'
import { codeOfPage } from '../support/docs-blocks.ts'
import { browser, openSignInTest, type SignInTest, signInHere } from '../support/sign-in.ts'
import { listen, loadSnippet } from '../support/snippet-project.ts'

// Guards point 9 of issue 11.

let setup: SignInTest
before(async () => {
  setup = await openSignInTest()
  process.env.PURSER_CLIENT_SECRET = setup.demo.app.client_secret
})
after(() => {
  delete process.env.PURSER_CLIENT_SECRET
  return setup.close()
})

function filesOf(name: string, site = setup.home) {
  const { base_url, app } = setup.demo
  const snippets = snippetsOf('hosted_sign_in', {
    base_url,
    client_id: app.client_id,
    oauth_login_url: `${site}login`,
    redirect_uri: setup.callback,
    price_id: undefined,
  })
  return snippets.find((each) => each.name === name)!.files
}

const codeOf = (name: string): string => filesOf(name)[0]!.code

test('the Express snippet signs a buyer in and reads their plan', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const started = await fetch(`${server.url}/login`, { redirect: 'manual' })
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!
  const agent = browser(setup)
  await agent.open(started.headers.get('location')!)
  await signInHere(agent, setup.demo.buyer)
  const { url } = await agent.submit('Allow')
  assert.ok(url.startsWith(`${setup.callback}?`))
  const { pathname, search } = new URL(url)
  const answer = await fetch(`${server.url}${pathname}${search}`, { headers: { cookie } })
  const { sub, plan } = (await answer.json()) as { sub: string; plan: { status: string } }
  assert.match(sub, /\S{20}/)
  assert.match(plan.status, /^(free|none|active)$/)
})

test('the Express snippet offers another sign-in where a callback has no sign-in of this browser', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const { pathname } = new URL(setup.callback)
  const open = (query: string, cookie = '') =>
    fetch(`${server.url}${pathname}${query}`, { headers: { cookie } })
  const started = await fetch(`${server.url}/login`, { redirect: 'manual' })
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!
  const state = new URL(started.headers.get('location')!).searchParams.get('state')
  for (const answer of [
    await open(`?code=any&state=${state}`),
    await open('?code=any&state=forged', cookie),
    await open('', cookie),
  ]) {
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /<a href="\/login">Sign in again<\/a>/)
    // A reloaded callback does not use its code twice, which would revoke the tokens.
    assert.match(answer.headers.get('set-cookie')!, /^sign_in=;.+Expires=Thu, 01 Jan 1970/)
  }
})

test('the Express snippet offers another sign-in where a code is older than a minute', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const started = await fetch(`${server.url}/login`, { redirect: 'manual' })
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!
  const agent = browser(setup)
  const shown = await agent.open(started.headers.get('location')!)
  assert.equal(shown.status, 200)
  const signed = await signInHere(agent, setup.demo.buyer)
  // A buyer is asked once.
  const { url } = signed.url.includes('?code=') ? signed : await agent.submit('Allow')
  setup.clock.pass(61)
  const { pathname, search } = new URL(url)
  const answer = await fetch(`${server.url}${pathname}${search}`, { headers: { cookie } })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /<a href="\/login">Sign in again<\/a>/)
})

test('the Express snippet answers 502 and logs the error where Purser refuses the client secret', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  using site = await loadSnippet<{ app: RequestListener }>(
    codeOf('express').replace('process.env.PURSER_CLIENT_SECRET', "'wrong'"),
  )
  await using server = await listen(site.app)
  const started = await fetch(`${server.url}/login`, { redirect: 'manual' })
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!
  const authorize = new URL(started.headers.get('location')!)
  const query = new URLSearchParams({
    code: 'any',
    state: authorize.searchParams.get('state')!,
    iss: `${setup.demo.base_url}/o`,
  })
  const { pathname } = new URL(setup.callback)
  const answer = await fetch(`${server.url}${pathname}?${query}`, { headers: { cookie } })
  assert.equal(answer.status, 502)
  assert.match(await answer.text(), /<a href="\/login">Sign in again<\/a>/)
  assert.match(inspect(log.calls[0]?.arguments), /invalid_client/)
})

test('the Express snippet answers 502 and logs the error of a sign-in that its settings made fail', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const started = await fetch(`${server.url}/login`, { redirect: 'manual' })
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!
  const query = new URLSearchParams({
    error: 'invalid_scope',
    state: new URL(started.headers.get('location')!).searchParams.get('state')!,
    iss: `${setup.demo.base_url}/o`,
  })
  const { pathname } = new URL(setup.callback)
  const answer = await fetch(`${server.url}${pathname}?${query}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  assert.equal(answer.status, 502)
  assert.match(inspect(log.calls[0]?.arguments), /invalid_scope/)
})

test('the Express snippet starts while Purser is down, and signs in afterwards', async (t) => {
  const { fetch } = globalThis
  let isDown = true
  t.mock.method(globalThis, 'fetch', async (...sent: Parameters<typeof fetch>) => {
    if (isDown && String(sent[0]).includes('/.well-known/')) throw new TypeError('fetch failed')
    return await fetch(...sent)
  })
  const { mock: log } = t.mock.method(console, 'error', () => {})
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const login = () => fetch(`${server.url}/login`, { redirect: 'manual' })
  const answer = await login()
  assert.equal(answer.status, 502)
  assert.match(await answer.text(), /<a href="\/login">Sign in again<\/a>/)
  assert.match(inspect(log.calls[0]?.arguments), /fetch failed/)
  isDown = false
  assert.equal((await login()).status, 302)
})

test('the Express snippet leads a buyer who canceled to the home page', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const { pathname } = new URL(setup.callback)
  const canceled = `${server.url}${pathname}?error=access_denied&state=any`
  const answer = await fetch(canceled, { redirect: 'manual' })
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/'])
})

test('the client snippet returns null for a token that is not valid', async () => {
  using purser = await loadSnippet<{ planOf(token: string): Promise<unknown> }>(
    codeOf('typescript'),
  )
  assert.equal(await purser.planOf('not-a-token'), null)
})

test('the curl snippet asks the endpoint of the plan', async () => {
  const env = { ...process.env, ACCESS_TOKEN: 'not-a-token' }
  const { stdout } = await promisify(execFile)('sh', ['-euc', codeOf('curl')], { env })
  assert.equal(JSON.parse(stdout).error, 'invalid_token')
})

/** Signs a buyer in on a site of the Auth.js snippet; where Auth.js leads them in the end. */
async function signInOn(site: AuthJsSite): Promise<string | null> {
  const { csrfToken } = await (await site.open('/api/auth/csrf')).json()
  const started = await site.open('/api/auth/signin/purser', { csrfToken, callbackUrl: '/' })
  const agent = browser(setup)
  const shown = await agent.open(started.headers.get('location')!)
  assert.equal(shown.status, 200)
  const signed = await signInHere(agent, setup.demo.buyer)
  // A buyer is asked once.
  const { url } = signed.url.includes('?code=') ? signed : await agent.submit('Allow')
  const { pathname, search } = new URL(url)
  return (await site.open(`${pathname}${search}`)).headers.get('location')
}

/** Opens a site of Auth.js at an origin, which the app may redirect to. */
async function openSite(origin: string, files: { name: string; code: string }[]) {
  process.env.AUTH_SECRET = randomBytes(32).toString('hex')
  await apps.setRedirectLists(setup.world.db, setup.demo.app.client_id, {
    redirect_uris: [`${origin}/api/auth/callback/purser`],
    post_logout_redirect_uris: [],
  })
  return await openAuthJsSite(origin, files)
}

for (const origin of ['https://tidepool.example', 'http://localhost:3000']) {
  test(`the Auth.js and Next.js snippets sign a buyer in and read their plan, at ${origin}`, async () => {
    const files = ['auth-js', 'next'].flatMap((name) => filesOf(name, `${origin}/`))
    using site = await openSite(origin, files)
    assert.equal((await site.open('/api/plan')).status, 401)
    assert.equal(await signInOn(site), `${origin}/`)
    const session = await (await site.open('/api/auth/session')).json()
    assert.ok(new Date(session.expires) > setup.clock.now())
    const plan = await site.open('/api/plan')
    assert.equal(plan.status, 200)
    assert.deepEqual(Object.keys(await plan.json()), ['entitled', 'product_public_id'])
    // The access token has expired: the buyer signs in again.
    setup.clock.pass(3601)
    const expired = await site.open('/api/plan')
    assert.deepEqual([expired.status, await expired.json()], [401, { entitled: false }])
  })
}

test('the page on Auth.js reads the plan of a signed-in buyer, also behind a proxy that ends TLS', async () => {
  const { base_url, app } = setup.demo
  process.env.PURSER_CLIENT_ID = app.client_id
  const values = { base_url, issuer: `${base_url}/o` }
  const names = ['auth.ts', 'app/api/auth/[...nextauth]/route.ts', 'app/api/plan/route.ts']
  const files = names.map((name) => {
    return { name, code: codeOfPage('docs/site/sign-in/auth-js.md', name, values) }
  })
  using site = await openSite('https://tidepool.example', files)
  assert.equal((await site.open('/api/plan')).status, 401)
  await signInOn(site)
  for (const address of ['/api/plan', 'http://127.0.0.1:3000/api/plan']) {
    const plan = await site.open(address)
    assert.deepEqual([plan.status, (await plan.json()).entitled], [200, true], address)
  }
})
