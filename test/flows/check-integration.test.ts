import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import * as apps from '#domain/apps'
import { checkIntegration } from '#flows/check-integration'
import type { UserId } from '#platform/ids'
import { openVisits } from '#platform/outbound'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Guards point 9 of issue 11: the checks say what is wrong and what to change.

const PAGE = '/dashboard/apps/tidepool/integration/'
const PRIVATE = [{ address: '10.0.0.5', family: 4 }]
const LOCAL = [{ address: '127.0.0.1', family: 4 }]

let service: TestService
let seller: Agent
let server: Server
let site: string
let answer: RequestListener = (_request, response) => response.end()
before(async () => {
  const resolve = async (host: string) => (host === 'localhost' ? LOCAL : PRIVATE)
  service = await openTestService({
    visit: openVisits({ allows_loopback: true, resolve, most_ms: 300 }),
  })
  seller = await signedIn(service, service.demo.seller)
  server = createServer((request, response) => {
    response.setHeader('date', service.clock.now().toUTCString())
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  site = `http://localhost:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await service.close()
})
beforeEach(async () => {
  answer = (_request, response) => response.end('a page')
  service.clock.pass(600)
  await configure({})
})

/** Sets the app's URLs and add-on. */
async function configure(facts: {
  login?: string
  redirect_uris?: string[]
  post_logout?: string[]
  signs_in?: boolean
}): Promise<void> {
  const { db, clock } = service.world
  const { login = `${site}/login`, redirect_uris = [], post_logout = [], signs_in = false } = facts
  await db.run(sql`update apps set url = 'https://tidepool.example', oauth_login_url = ${login},
    addon_enabled_at = ${signs_in ? clock.now() : null} where slug = 'tidepool'`)
  await db.run(sql`update clients set redirect_uris = ${redirect_uris},
    post_logout_redirect_uris = ${post_logout} where app_id = ${service.demo.app.client_id}`)
}

/** Runs the checks and returns what they found, which the page shows, by check. */
async function run(): Promise<Record<apps.IntegrationCheck, apps.Finding>> {
  const { db, clock } = service.world
  const { app_id, user_id } = await db.one<{ app_id: apps.App['id']; user_id: UserId }>(sql`
    select a.id as app_id, m.user_id from apps a join seller_members m using (seller_id)
    where a.slug = 'tidepool'`)
  const app = await apps.get(db, app_id)
  const ran = await checkIntegration(service.world, { app, user_id })
  assert.deepEqual(await apps.lastChecks(db, app_id), { ...ran, checked_at: clock.now() })
  const { findings } = ran
  await seller.open(PAGE)
  for (const { text, remedy } of findings) {
    const page = seller.text
    assert.ok(page.includes(text) && page.includes(remedy), text)
  }
  return Object.fromEntries(findings.map((each) => [each.check, each])) as never
}

test('an integration with license keys passes every check that applies', async () => {
  const before = await run()
  assert.equal(before.validation.outcome, 'skipped')
  assert.match(before.validation.text, /Start a preview/)
  await seller.open(PAGE)
  const product = await service.world.db.one<{ id: string }>(
    sql`select p.id from products p join prices r on r.product_id = p.id
      where p.app_id = ${service.demo.app.client_id} limit 1`,
  )
  await seller.submit('Start a preview', { product_id: product.id })
  const found = await run()
  const outcomes = Object.values(found).map(({ check, outcome }) => `${check} ${outcome}`)
  assert.deepEqual(outcomes, [
    'login_url passed',
    'sign_in skipped',
    'redirect_uris skipped',
    'return_urls passed',
    'sign_out skipped',
    'secret passed',
    'validation passed',
    'order passed',
    'clock passed',
  ])
  assert.match(seller.text, /No issues/)
})

for (const [title, listener, pattern] of [
  ['404', (_, response) => response.writeHead(404).end(), /Answered 404/],
  ['500', (_, response) => response.writeHead(500).end(), /Answered 500/],
  ['nothing', () => {}, /did not answer within 5 seconds/],
  ['no HTTP', (request) => request.socket.end('no\r\n\r\n'), /not valid HTTP/],
  [
    'a redirect to a private address',
    (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    /private address after a redirect to http:\/\/10\.0\.0\.1\//,
  ],
  [
    'a redirect to a name with a private address',
    (_, response) => response.writeHead(302, { location: 'http://inside.example/' }).end(),
    /private address after a redirect to http:\/\/inside\.example\//,
  ],
  [
    'a redirect to the metadata of a cloud',
    (_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    /private address/,
  ],
  [
    'a redirect to itself',
    (request, response) => response.writeHead(302, { location: request.url! }).end(),
    /Redirects too often/,
  ],
] satisfies [string, RequestListener, RegExp][]) {
  test(`a Login URL that answers with ${title} is an error with a remedy`, async () => {
    answer = listener
    const { login_url } = await run()
    assert.equal(login_url.outcome, 'error')
    assert.match(login_url.text, pattern)
    assert.notEqual(login_url.remedy, '')
    await seller.open('/dashboard/apps/tidepool/')
    assert.match(seller.text, /Fix the errors that the checks found , to do Login URL: /)
  })
}

test('a wrong clock is an error that says how far it is off', async () => {
  answer = (_request, response) => {
    const late = new Date(service.clock.now().getTime() - 600_000)
    response.setHeader('date', late.toUTCString()).end()
  }
  const { clock } = await run()
  assert.equal(clock.outcome, 'error')
  assert.match(clock.text, /600 seconds behind/)
})

test('a secret is old after a year, and a rotation makes it new', async () => {
  service.clock.pass(366 * 86_400)
  seller = await signedIn(service, service.demo.seller)
  assert.equal((await run()).secret.outcome, 'warning')
  await seller.open(`${PAGE}secret/`)
  await seller.submit(/^(Rotate|Create) secret$/)
  assert.match((await run()).secret.text, /Created today/)
})

/** Redirects to the sign-in with these parameters in place of the right ones. */
function startSignIn(changes: Record<string, string>): void {
  const { base_url, app } = service.demo
  const parameters = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: 'https://tidepool.example/callback',
    response_type: 'code',
    scope: 'openid entitlements',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    ...changes,
  })
  const location = `${base_url}/o/auth?${parameters}`
  answer = (_request, response) => response.writeHead(302, { location }).end()
}

test('the sign-in that the Login URL starts is compared with the settings', async () => {
  const uri = 'https://tidepool.example/callback'
  const post_logout = ['https://tidepool.example/']
  await configure({ signs_in: true, redirect_uris: [uri], post_logout })
  startSignIn({})
  const right = await run()
  assert.equal(right.login_url.outcome, 'passed')
  assert.equal(right.sign_in.outcome, 'passed')
  assert.match(right.redirect_uris.text, /callback is registered, .*callback\/ is not/)
  assert.equal(right.sign_out.outcome, 'passed')
  for (const [changes, text, remedy] of [
    [{ client_id: 'app_other' }, /another client ID/, /app_/],
    [
      { redirect_uri: `${uri}/` },
      /not registered/,
      /The registered URI is https.*callback\. Make both/,
    ],
    [{ redirect_uri: 'https://tidepool.example/x' }, /not registered/, /Add it/],
    [{ scope: 'openid profile' }, /openid profile/, /openid entitlements/],
    [{ code_challenge_method: 'plain' }, /no PKCE/, /S256/],
  ] as const) {
    service.clock.pass(600)
    startSignIn(changes)
    const { sign_in } = await run()
    assert.equal(sign_in.outcome, 'error')
    assert.match(sign_in.text, text)
    assert.match(sign_in.remedy, remedy)
  }
})

test('hosted sign-in without URLs is incomplete', async () => {
  await configure({ signs_in: true })
  const found = await run()
  assert.equal(found.redirect_uris.outcome, 'error')
  assert.equal(found.sign_out.outcome, 'warning')
})

test('a * in a path is valid, with a warning that it is not a wildcard', async () => {
  const urls = ['https://tidepool.example/*']
  await configure({ signs_in: true, redirect_uris: urls, post_logout: urls })
  const { redirect_uris, sign_out } = await run()
  for (const { outcome, text, remedy } of [redirect_uris, sign_out]) {
    assert.equal(outcome, 'warning')
    assert.equal(
      text,
      'The * in https://tidepool.example/* is not a wildcard: URLs are compared exactly.',
    )
    assert.equal(remedy, 'Enter each URL in full.')
  }
})

test('a Login URL on another domain than the website is an error', async () => {
  await configure({ login: 'https://other.example/login' })
  const { return_urls, login_url } = await run()
  assert.equal(return_urls.outcome, 'error')
  assert.match(return_urls.text, /not on tidepool\.example/)
  assert.match(login_url.text, /private address/)
})

test('an app runs its checks ten times in ten minutes', async () => {
  for (let count = 0; count < 10; count++) {
    await seller.open(PAGE)
    await seller.submit('Run checks')
    assert.match(seller.text, /Checks finished.*Login URL Passed/)
  }
  await seller.open(PAGE)
  await seller.submit('Run checks')
  assert.equal(seller.page.status, 429)
})

// Threat 27
test('in production the loopback is refused as well', async () => {
  const visit = openVisits({ allows_loopback: false })
  await assert.rejects(visit(`${site}/login`), /port_refused/)
  await assert.rejects(visit('http://localhost/login'), /address_refused/)
})
