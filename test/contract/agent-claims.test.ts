import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import * as apps from '#domain/apps'
import { textOf } from '../support/agent.ts'
import { assertLimited, assertRefused, fingerprint } from '../support/answers.ts'
import { type McpAgent, mcpAgent } from '../support/mcp.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const app_slug = 'tidepool'

let service: TestService
let agent: McpAgent

before(async () => {
  service = await openTestService()
})
after(async () => {
  await service.close()
})
beforeEach(async () => {
  agent = await mcpAgent(service, { email: service.demo.seller.email })
})

let network = 0
/** Reads an address from another network. */
async function read(
  url: string,
  facts: {
    method?: 'GET' | 'HEAD' | 'OPTIONS'
    headers?: Record<string, string>
    from?: string
  } = {},
) {
  const { method = 'GET', headers = {} } = facts
  network++
  const remoteAddress = facts.from ?? `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`
  return await service.app.inject({ method, url, headers, remoteAddress })
}

async function rotate(): Promise<{ path: string; expires_at: string }> {
  const { json, is_error } = await agent.call('regenerate_client_secret', { app_slug })
  assert.equal(is_error, false, JSON.stringify(json))
  const { origin, pathname } = new URL(json.claim_url)
  assert.equal(origin, service.world.config.base_url)
  assert.match(pathname, /^\/claim\/[\w-]{43}$/)
  return { path: pathname, expires_at: json.expires_at }
}

/** Whether the service accepts a secret of the app. */
async function isGood(client_secret: string): Promise<boolean> {
  const { client_id } = service.demo.app
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { authorization: `Basic ${basic}` },
    payload: { key: 'key_x' },
  })
  const { error } = answer.json()
  assert.ok(['invalid_client', 'unknown_key'].includes(error))
  return error === 'unknown_key'
}

async function assertGone(path: string): Promise<void> {
  assertRefused(await read(path), 404, 'unknown_claim')
}

test('the old secret stops at once, and the answer contains a claim URL instead of the new one', async () => {
  const { path, expires_at } = await rotate()
  assert.equal(expires_at, '2026-03-10T12:10:00Z')
  assert.equal(await isGood(service.demo.app.client_secret), false)
  const answer = await read(path)
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['referrer-policy'], 'no-referrer')
  assert.match(answer.body, /^[\w-]{43}$/)
  assert.equal(await isGood(answer.body), true)
  await assertGone(path)
})

test('neither the answer nor the log of changes nor a table contains the secret in plain text', async () => {
  const { path } = await rotate()
  const tables = ['clients', 'secret_claims', 'app_changes', 'audit_log']
  const kept = await Promise.all(
    tables.map(async (table) => (await service.world.db.raw(`select * from ${table}`)).rows),
  )
  const secret = (await read(path)).body
  const text = JSON.stringify(kept, (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  assert.ok(text.includes('integration.secret_rotated'))
  assert.ok(!text.includes(secret))
  assert.ok(!text.includes(path.split('/').at(-1)!), 'nor the token that fetches it')
})

test('of 200 simultaneous reads one gets the secret', async () => {
  const { path } = await rotate()
  const answers = await Promise.all(Array.from({ length: 200 }, () => read(path)))
  const good = answers.filter(({ statusCode }) => statusCode === 200)
  assert.equal(good.length, 1)
  assert.equal(await isGood(good[0]!.body), true)
  assert.equal(answers.filter(({ statusCode }) => statusCode === 404).length, 199)
  assert.deepEqual((await service.world.db.raw('select 1 from secret_claims')).rows, [])
})

test('HEAD, OPTIONS and prefetching do not use it up', async () => {
  const { path } = await rotate()
  assert.equal((await read(path, { method: 'HEAD' })).statusCode, 200)
  assertRefused(await read(path, { method: 'OPTIONS' }), 405, 'method_not_allowed')
  const ahead: Record<string, string>[] = [
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
    { 'x-purpose': 'preview' },
  ]
  for (const headers of ahead) {
    assertRefused(await read(path, { headers }), 403, 'not_read_ahead')
  }
  assert.equal((await read(path)).statusCode, 200)
  const head = await read(path, { method: 'HEAD' })
  assert.deepEqual([head.statusCode, head.body], [404, ''])
})

/** What chats, mail and social networks send to preview a pasted link. */
const PREVIEWERS = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slackbot 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy (+https://api.slack.com/robots)',
  'Twitterbot/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 Safari/601.2.4 facebookexternalhit/1.1 Facebot',
  'Mozilla/5.0 (Macintosh) Version/17.4 Safari/605.1.15 (Applebot/0.1)',
  'Mattermost-Bot/1.1',
  'Synapse (bot; +https://github.com/matrix-org/synapse)',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
]

test('previews of chats do not use it up, and do not say whether it exists', async () => {
  const { path } = await rotate()
  for (const agent of PREVIEWERS) {
    const headers = { 'user-agent': agent }
    const [page, unknown] = await Promise.all([
      read(path, { headers }),
      read(`/claim/${'A'.repeat(43)}`, { headers }),
    ])
    assert.equal(page.statusCode, 200, agent)
    assert.match(textOf(page.body), /shows a client secret once.+Previews do not use it up\./)
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
    assert.deepEqual(fingerprint(unknown), fingerprint(page))
    for (const url of [path, '/claim/x']) {
      const head = await read(url, { method: 'HEAD', headers })
      assert.deepEqual([head.statusCode, head.body], [200, ''])
    }
  }
  assert.equal(await isGood((await read(path)).body), true)
})

test('ordinary programs and browsers read it', async () => {
  for (const agent of [
    'curl/8.5.0',
    'node',
    'python-requests/2.32.3',
    'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 [LinkedInApp]/9.1',
    'deploybot',
  ]) {
    service.clock.pass(60)
    const { path } = await rotate()
    const answer = await read(path, { headers: { 'user-agent': agent } })
    assert.equal(await isGood(answer.body), true, agent)
    await assertGone(path)
  }
})

test('a person is shown a page to copy it from, once', async () => {
  const { path } = await rotate()
  const headers = { accept: 'text/html,application/xhtml+xml' }
  const page = await read(path, { headers })
  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.equal(page.headers['referrer-policy'], 'no-referrer')
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  const secret = /(?<![\w-])[\w-]{43}(?![\w-])/.exec(textOf(page.body))?.[0]
  assert.equal(await isGood(secret!), true)
  const gone = await read(path, { headers })
  assert.equal(gone.statusCode, 404)
  assert.match(String(gone.headers['content-type']), /^text\/html/)
  assert.match(textOf(gone.body), /This link was already used, has expired/)
})

test('expires after ten minutes; used, expired and unknown links answer alike', async () => {
  const used = await rotate()
  await read(used.path)
  const late = await rotate()
  service.clock.pass(599)
  assert.equal((await read(late.path, { method: 'HEAD' })).statusCode, 200)
  service.clock.pass(1)
  const unknown = `/claim/${'A'.repeat(43)}`
  const answers = [used.path, late.path, unknown, '/claim/x'].map((path) => read(path))
  const [first, ...others] = (await Promise.all(answers)).map(fingerprint)
  assert.equal(first!.status, 404)
  for (const each of others) assert.deepEqual(each, first)
})

test('a secret that was not fetched is deleted', async () => {
  const { db, clock } = service.world
  await rotate()
  service.clock.pass(600)
  const kept = async () => (await db.raw('select 1 from secret_claims')).rows.length
  assert.equal(await kept(), 1)
  await apps.sweepClaims(db, clock.now())
  assert.equal(await kept(), 0)
})

test('a newer secret ends the claim on the one before, from wherever it was made', async () => {
  const first = await rotate()
  const second = await rotate()
  await assertGone(first.path)
  const browser = await signedIn(service, service.demo.seller)
  await browser.open(`/dashboard/apps/${app_slug}/integration/secret/`)
  await browser.submit('Rotate secret')
  assert.equal(browser.page.status, 200)
  await assertGone(second.path)
})

test('a dry run leaves the secret as it is, and a claim on it as well', async () => {
  const { path } = await rotate()
  const { json } = await agent.call('regenerate_client_secret', { app_slug, dry_run: true })
  assert.deepEqual(
    [json.claim_url, json.expires_at, json.audit_id, json.dry_run],
    [null, null, null, true],
  )
  const secret = (await read(path)).body
  assert.equal(await isGood(secret), true)
})

test('a network reads thirty times a minute; what is refused uses nothing up', async () => {
  const { path } = await rotate()
  const from = '192.0.2.7'
  for (let count = 0; count < 30; count++) {
    assertRefused(await read('/claim/guess', { from }), 404, 'unknown_claim')
  }
  const refused = await read(path, { from })
  assertLimited(refused)
  assert.equal(refused.headers['ratelimit-policy'], '"claim";q=30;w=60')
  assert.equal((await read(path)).statusCode, 200)
})
