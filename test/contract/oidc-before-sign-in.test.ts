/** Requests of apps before a sign-in: nothing is stored for them, and they can wait. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { networksWith } from '#platform/networks'
import { textOf } from '../support/agent.ts'
import { REQUESTS } from '../support/budget.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import {
  browser,
  exchange,
  openSignInTest,
  returnPathOf,
  type SignInTest,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest

before(async () => {
  setup = await openSignInTest()
})

after(async () => {
  await setup.close()
})

const PASSWORD = 'three calm herons wade'

/** What a poll writes that closes days at the processor, however long the requests take. */
const BY_POLLS = ['balance_transactions', 'closed_days', 'ledger_entries', 'ledger_transactions']

async function rows(): Promise<number> {
  const { rows: tables } = await setup.world.db.raw(`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  let sum = 0
  for (const { name } of tables as { name: string }[]) {
    if (BY_POLLS.includes(name)) continue
    const counted = await setup.world.db.raw(`select count(*)::int as count from "${name}"`)
    sum += (counted.rows as { count: number }[])[0]!.count
  }
  return sum
}

// F37, S4
test(`${REQUESTS} requests of apps write no row before a sign-in`, async () => {
  const attempt = await startSignIn(setup.app_side, setup.callback, { state: 'x'.repeat(4096) })
  const url = attempt.url.pathname + attempt.url.search
  const before = await rows()
  for (let count = 0; count < REQUESTS; count++) {
    const answer = await setup.app.inject({
      url,
      remoteAddress: `10.${count >> 8}.${count & 255}.1`,
      headers: count % 2 === 0 ? {} : { cookie: `__Host-sign-in=forged-${count}` },
    })
    assert.equal(answer.statusCode, 303)
    assert.match(String(answer.headers.location), /^\/signin\//)
  }
  assert.equal(await rows(), before)
})

// F37, S4
test('accepts 120 requests a minute from one address, then says when to retry', async () => {
  const { url } = await startSignIn(setup.app_side, setup.callback)
  const ask = () =>
    setup.app.inject({
      url: url.pathname + url.search,
      remoteAddress: '203.0.113.9',
      headers: { accept: 'text/html' },
    })
  for (let count = 0; count < 120; count++) assert.equal((await ask()).statusCode, 303)
  const refused = await ask()
  assert.equal(refused.statusCode, 429)
  assert.ok(Number(refused.headers['retry-after']) >= 1)
})

// F37
test('one address exchanges 1,200 codes a minute, whatever clients it names', async () => {
  const limit = { name: 'oidc', points: 1200, seconds: 60 }
  const exchange = (remoteAddress: string, client_id: string) =>
    setup.app.inject({
      method: 'POST',
      url: '/o/token',
      remoteAddress,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${client_id}:wrong`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'grant_type=authorization_code&code=none',
    })
  const first = await exchange('203.0.113.10', 'app_one')
  assert.equal(first.statusCode, 401)
  assert.equal(first.headers['ratelimit-policy'], '"oidc";q=1200;w=60')
  await setup.world.limits.consume(limit, networksWith('203.0.113.10', '/o/token'), 1199)
  for (const client_id of ['app_one', 'app_two']) {
    const refused = await exchange('203.0.113.10', client_id)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) >= 1)
  }
  assert.equal((await exchange('203.0.113.11', 'app_one')).statusCode, 401)
})

// F37
test('a state of more than 4,096 bytes is refused, and the page says so', async () => {
  const { url } = await startSignIn(setup.app_side, setup.callback, { state: 'ä'.repeat(2049) })
  const page = await browser(setup).open(url.href)
  assert.equal(page.status, 400)
  assert.match(textOf(page.body), /state has 4098 bytes; use at most 4096/)
})

// F37
test('the longest state comes back to the app byte for byte', async () => {
  const state = '{"to":"é/&="} '.padEnd(4000, 'z')
  const agent = browser(setup)
  const attempt = await startSignIn(setup.app_side, setup.callback, { state })
  await agent.open(attempt.url.href)
  const page = await agent.submit('Sign in', { ...setup.demo.buyer })
  const { url } = page.url.startsWith('/o/') ? await agent.submit('Allow') : page
  assert.equal(new URL(url).searchParams.get('state'), state)
})

// F36
test('a newcomer who confirms the mailbox six days later still gets back to the app', async () => {
  const agent = browser(setup)
  const email = 'newcomer@example.org'
  const attempt = await startSignIn(setup.app_side, setup.callback)
  await agent.open(attempt.url.href)
  await agent.press('Create an account')
  await agent.submit('Create account', { email, password: PASSWORD })
  const link = linkIn(await emailTo(setup, email, /^Confirm your email/), 'sign_up')
  setup.clock.pass(6 * 86_400)
  await agent.open(link)
  const page = await agent.submit('Confirm my email')
  assert.match(textOf(page.body), /Sign in to Tidepool/)
  const { url } = await agent.submit('Allow')
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
})

// F36
test('resumes an unaltered request for seven days, in the browser that began it', async () => {
  const agent = browser(setup)
  const { url } = await startSignIn(setup.app_side, setup.callback)
  const page = await agent.open(url.href)
  const here = returnPathOf(page.url)
  const [path, body = '', signature = ''] = here.split(/[=.]/)
  const altered = Buffer.from(
    Buffer.from(body, 'base64url').toString().replace('/auth/callback', '/evil/callback'),
  ).toString('base64url')
  assert.equal((await agent.open(`${path}=${altered}.${signature}`)).status, 400)
  assert.equal((await browser(setup).open(here)).status, 400)
  assert.match((await agent.open(here)).url, /^\/signin\//)
  setup.clock.pass(7 * 86_400)
  assert.equal((await agent.open(here)).status, 400)
})

test('an app that asks for a new proof gets one that came after its request, once', async () => {
  const agent = browser(setup)
  for (const [name, value] of [
    ['prompt', 'login'],
    ['prompt', 'login select_account'],
    ['max_age', '0'],
  ] as const) {
    const attempt = await startSignIn(setup.app_side, setup.callback, { [name]: value })
    setup.clock.pass(10)
    assert.match((await agent.open(attempt.url.href)).url, /^\/(signin|o\/interaction)\//)
    if (agent.page.url.startsWith('/o/')) await agent.press('Use another account')
    assert.match(agent.page.url, /^\/signin\//)
    setup.clock.pass(10)
    const page = await agent.submit('Sign in', { ...setup.demo.buyer })
    const { url } = page.url.startsWith('/o/') ? await agent.submit('Allow') : page
    assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
  }
})
