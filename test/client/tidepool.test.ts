import assert from 'node:assert/strict'
import { test } from 'node:test'
import { license, refusal, startFakeService } from './fake-service.ts'
import { key, openTidepoolTest, prices, visitorOf } from './tidepool-test.ts'

test('the home page shows every live price with its own Buy link and the free column', async () => {
  await using setup = await openTidepoolTest()
  const { page } = await visitorOf(setup.tidepool.url).get('/')
  for (const { public_id } of prices.prices) {
    const next = encodeURIComponent(`${setup.tidepool.url}/return?visit=`)
    assert.match(page, new RegExp(`href="${setup.service.url}/buy/${public_id}/\\?next=${next}`))
  }
  for (const shown of ['$12.00', '$96.00', '$180.00', 'Save 33%', '>Free<']) {
    assert.ok(page.includes(shown), shown)
  }
  setup.replies.prices = { body: { ...prices, has_free_tier: false } }
  assert.ok(!(await visitorOf(setup.tidepool.url).get('/')).page.includes('>Free<'))
})

test('prices are cached for max_age_seconds, so that a busy site stays within limits', async () => {
  await using setup = await openTidepoolTest({ max_age_seconds: 60 })
  for (let view = 0; view < 3; view++) await visitorOf(setup.tidepool.url).get('/')
  assert.equal(setup.service.requests.length, 1)
})

test('a home page without prices works, and says why there are none', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  setup.replies.prices = refusal(404, 'not_found')
  assert.match((await visitor.get('/')).page, /Not on sale yet/)
  setup.replies.prices = refusal(503, 'internal_error')
  const { status, page } = await visitor.get('/')
  assert.equal(status, 200)
  assert.match(page, /The prices are out of reach/)
  assert.ok(!page.includes('/buy/'))
})

test('a buyer who returns to the same browser is signed in at once', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  const back = await visitor.get(await visitor.returnPath('order'))
  assert.deepEqual([back.status, back.location], [303, '/app'])
  const { status, page } = await visitor.get('/app')
  assert.equal(status, 200)
  for (const shown of [
    'License verified',
    'Pro',
    'Active',
    'Renews on April 1, 2026',
    key.slice(-4),
  ]) {
    assert.ok(page.includes(shown), shown)
  }
  assert.ok(!page.includes(key), 'the key itself stays on the server')
  assert.ok(![...visitor.jar.values()].includes(key))
})

test("an order in another person's link is adopted only after the visitor agrees", async () => {
  await using setup = await openTidepoolTest()
  const [attacker, victim] = [visitorOf(setup.tidepool.url), visitorOf(setup.tidepool.url)]
  await victim.get('/')
  for (const planted of [
    await attacker.returnPath('order'),
    '/return?svc_order=order',
    '/login?svc_order=order',
    '/return?svc_order=order&visit=',
  ]) {
    const requests = await victim.get(planted)
    assert.equal(requests.status, 200)
    assert.match(requests.page, /Is this purchase yours\?/)
    assert.equal((await victim.get('/app')).status, 403, planted)
  }
  const yes = await victim.post('/return', { svc_order: 'order' })
  assert.equal((await victim.get(yes.location ?? '')).location, '/app')
  assert.equal((await victim.get('/app')).status, 200)
})

test('a nonce returns one purchase, and a second order with it needs confirmation', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  const path = await visitor.returnPath('order')
  await visitor.get(path)
  setup.replies.order = { body: license({ license_key: 'key_of_another' }) }
  assert.match((await visitor.get(path)).page, /Is this purchase yours\?/)
})

test('a pending payment shows a page that checks again, and then signs in', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  const { order } = setup.replies
  setup.replies.order = {
    status: 202,
    headers: { 'retry-after': '9' },
    body: { status: 'processing' },
  }
  const path = await visitor.returnPath('order')
  const waiting = await visitor.get(path)
  assert.deepEqual([waiting.status, waiting.headers.get('refresh')], [202, '9'])
  assert.match(waiting.page, /Still confirming your payment/)
  setup.replies.order = order
  assert.equal((await visitor.get(path)).location, '/app')
})

test('an unknown or missing order shows a clear page with next steps', async () => {
  await using setup = await openTidepoolTest()
  setup.replies.order = refusal(404, 'unknown_order')
  const visitor = visitorOf(setup.tidepool.url)
  for (const path of ['/return?svc_order=forged', '/return', '/return?svc_order=a&svc_order=b']) {
    const { status, page } = await visitor.get(path)
    assert.equal(status, 404)
    assert.match(page, /We cannot find this purchase/)
    assert.ok(page.includes(`${setup.service.url}/manage/app_tidepool/`))
  }
})

test('a pasted key opens the app, and an invalid one is explained beside the field', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  assert.match((await visitor.get('/login')).page, /<label for="license_key">License key<\/label>/)
  assert.match((await visitor.get('/app')).page, /<label for="license_key">License key<\/label>/)

  setup.replies.validate = refusal(404, 'unknown_key')
  const wrong = await visitor.post('/login', { license_key: 'key_"><b>' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.page, /aria-invalid="true"/)
  assert.ok(!wrong.page.includes('"><b>'), 'what was typed comes back escaped')

  setup.replies.validate = { body: license() }
  assert.equal((await visitor.post('/login', { license_key: ` ${key} ` })).location, '/app')
  assert.equal((await visitor.get('/app')).status, 200)
  assert.equal((await visitor.get('/login')).location, '/app')
})

test('malformed keys are rejected without a request', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  assert.equal((await visitor.post('/login', { license_key: 'hello' })).status, 422)
  assert.equal((await visitor.post('/login', {})).status, 422)
  assert.equal(setup.service.requests.length, 0)
})

test('a license that is not entitled closes the app and says what to do', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  await visitor.post('/login', { license_key: key })
  for (const [status, text] of [
    ['past_due', /Update your card/],
    ['unpaid', /Update your card/],
    ['paused', /is paused/],
    ['canceled', /Buy Pro monthly/],
  ] as const) {
    setup.replies.validate = { body: license({ entitled: false, status }) }
    const answer = await visitor.get('/app')
    assert.equal(answer.status, 403)
    assert.match(answer.page, text)
    assert.ok(!answer.page.includes('License verified'))
  }
})

test('a replaced key is dropped, and the visitor is asked for the new one', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  await visitor.post('/login', { license_key: key })
  setup.replies.validate = refusal(404, 'unknown_key')
  assert.match((await visitor.get('/app')).page, /no longer works/)
  assert.ok(!visitor.jar.has('tidepool_session'))
})

test('a verified visitor keeps access in an outage, and a new one sees that it is not their fault', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  await visitor.post('/login', { license_key: key })
  setup.replies.validate = refusal(503, 'internal_error')
  assert.equal((await visitor.get('/app')).status, 200)
  const other = await visitorOf(setup.tidepool.url).post('/login', { license_key: 'key_new' })
  assert.equal(other.status, 503)
  assert.equal(other.headers.get('retry-after'), '10')
  assert.match(other.page, /We cannot check licenses right now/)
})

test('rejects a form of another site', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  await visitor.post('/login', { license_key: key })
  for (const origin of ['https://evil.example', 'null', null]) {
    assert.equal((await visitor.post('/sign-out', {}, origin)).status, 403)
    assert.equal((await visitor.post('/return', { svc_order: 'x' }, origin)).status, 403)
    assert.equal((await visitor.post('/login', { license_key: key }, origin)).status, 403)
  }
  assert.equal((await visitor.get('/app')).status, 200)
})

test('signing out ends the session on the server, not only in the browser', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  await visitor.post('/login', { license_key: key })
  const stolen = visitor.jar.get('tidepool_session') ?? ''
  assert.equal((await visitor.post('/sign-out', {})).location, '/')
  visitor.jar.set('tidepool_session', stolen)
  assert.equal((await visitor.get('/app')).status, 403)
})

test('every page has its security headers and carries no script and no inline style', async () => {
  await using setup = await openTidepoolTest()
  const visitor = visitorOf(setup.tidepool.url)
  await visitor.post('/login', { license_key: key })
  const paths = ['/', '/app', '/return?svc_order=order', '/nowhere', '/login', '/return']
  for (const path of paths) {
    const { headers, page } = await visitor.get(path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/)
    assert.ok(!policy.includes('unsafe'))
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.doesNotMatch(page, /<script|<style|\sstyle=|\son[a-z]+=/)
  }
})

test('cookies are unavailable to scripts and cross-site posts, and Secure under https', async () => {
  await using plain = await openTidepoolTest()
  const port = await freePort()
  await using tls = await openTidepoolTest({ public_url: 'https://tidepool.example', port })
  const own = await visitorOf(plain.tidepool.url).post('/login', { license_key: key })
  assert.match(own.set[0] ?? '', /^tidepool_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/)

  assert.equal(tls.tidepool.url, 'https://tidepool.example')
  const { set, page, headers } = await visitorOf(`http://127.0.0.1:${port}`).get('/')
  assert.match(set[0] ?? '', /^__Host-tidepool_visit=.*HttpOnly; Secure; SameSite=Lax/)
  assert.ok(page.includes(encodeURIComponent('https://tidepool.example/return')))
  assert.ok(headers.has('strict-transport-security'))
})

async function freePort(): Promise<number> {
  await using service = await startFakeService(() => ({}))
  return Number(new URL(service.url).port)
}
