/** The FastAPI starter against a service of the test, without its packages. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { license, type ReceivedRequest, startFakeService } from './fake-service.ts'

const run = promisify(execFile)

/** The part of httpx that the starter uses, with the standard library. */
const HTTPX = `
import json
from urllib.error import HTTPError as Refused, URLError
from urllib.request import Request, urlopen

class HTTPError(Exception):
    pass

BasicAuth = lambda user, password: None

class Answer:
    def __init__(self, found):
        self.status_code, self.headers, self.text = found.status, found.headers, found.read()
    def raise_for_status(self):
        if self.status_code >= 400:
            raise HTTPError(self.status_code)
        return self
    def json(self):
        return json.loads(self.text)

class AsyncClient:
    def __init__(self, base_url, **_):
        self.base_url = base_url
    async def get(self, path, data=None):
        headers = {"content-type": "application/json"}
        try:
            return Answer(urlopen(Request(self.base_url + path, data, headers)))
        except Refused as answer:
            return Answer(answer)
        except URLError as error:
            raise HTTPError(error)
    async def post(self, path, json, timeout=None):
        return await self.get(path, __import__("json").dumps(json).encode())
`

/** The part of FastAPI that the starter uses: its pages are functions that a test calls. */
const FASTAPI = {
  '__init__.py': `
from typing import Any as Request

class FastAPI:
    def get(self, path):
        return lambda handler: handler
    exception_handler = get

class HTTPException(Exception):
    pass

def Cookie(alias=None):
    pass

def Depends(found):
    pass
`,
  'responses.py': `
class Response:
    def __init__(self, content, status_code=200):
        self.content, self.status_code, self.headers, self.session = content, status_code, {}, None
    def set_cookie(self, name, value, **_):
        self.session = value
    def seen(self):
        return [self.status_code, self.content, self.session]

HTMLResponse = RedirectResponse = Response
`,
}

const folder = mkdtempSync(join(tmpdir(), 'purser-fastapi-'))
writeFileSync(join(folder, 'httpx.py'), HTTPX)
mkdirSync(join(folder, 'fastapi'))
for (const [name, code] of Object.entries(FASTAPI)) {
  writeFileSync(join(folder, 'fastapi', name), code)
}
after(() => rmSync(folder, { recursive: true, force: true }))

/** What an expression over the starter's modules returns, as JSON. */
async function resultOf(url: string, expression: string): Promise<unknown> {
  return await returned(url, `return ${expression}`)
}

/** What a function with these lines over the starter's modules returns, as JSON. */
async function returned(url: string, ...lines: string[]): Promise<unknown> {
  const starter = resolve('examples/starters/fastapi-license-keys')
  const code = `import asyncio, json, main, purser
async def value():
    ${lines.join('\n    ')}
print(json.dumps(asyncio.run(value())))`
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: `${folder}:${starter}`,
    PYTHONDONTWRITEBYTECODE: '1',
    PURSER_URL: url,
    PURSER_CLIENT_ID: 'app_1',
    PURSER_CLIENT_SECRET: 'secret',
  }
  return JSON.parse((await run('python3', ['-c', code], { env })).stdout)
}

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
)
const options = { skip: hasPython ? false : 'needs python3' }

test('returns how long to wait while a payment is processing', options, async () => {
  await using service = await startFakeService(() => {
    return { status: 202, headers: { 'retry-after': '2' }, body: { status: 'processing' } }
  })
  const order = await resultOf(service.url, 'await purser.order("ref")')
  assert.deepEqual(order, { status: 'processing', retry_after: '2' })
})

test('calls a very long order reference unknown, without a request', options, async () => {
  await using service = await startFakeService(() => ({ status: 431 }))
  assert.equal(await resultOf(service.url, 'await purser.order("x" * 10_000)'), null)
  assert.equal(service.requests.length, 0)
})

test('a slash at the end of PURSER_URL changes nothing', options, async () => {
  await using service = await startFakeService(() => ({ body: { prices: [] } }))
  const link = await returned(
    `${service.url}/`,
    'await purser.prices()',
    'return purser.buy_link("prc_1", "https://your-app.example")',
  )
  const next = encodeURIComponent('https://your-app.example')
  assert.equal(link, `${service.url}/buy/prc_1/?next=${next}`)
  assert.equal(service.requests[0]?.path, '/api/v1/public/apps/app_1/prices/')
})

test('reads the prices once a minute', options, async () => {
  await using service = await startFakeService(() => ({ body: { prices: [] } }))
  const twice = '[await purser.prices() for _ in range(2)]'
  assert.deepEqual(await resultOf(service.url, twice), [{ prices: [] }, { prices: [] }])
  assert.equal(service.requests.length, 1)
})

for (const [when, period_end, requests] of [
  ['caches a license whose period ends later', '9999-12-31', 1],
  ['caches a license without a period', null, 1],
  ['validates again on the day on which the period ends', '2026-01-01', 2],
] as const) {
  test(when, options, async () => {
    await using service = await startFakeService(() => ({ body: license({ period_end }) }))
    const twice = '[await purser.validate("key_1") for _ in range(2)]'
    assert.equal(((await resultOf(service.url, twice)) as unknown[]).length, 2)
    assert.equal(service.requests.length, requests)
  })
}

/** A service that answers the first validation, and then with this status. */
async function failingWith(status: number, state: object = {}) {
  let requests = 0
  return await startFakeService(() => {
    requests++
    return requests === 1 ? { body: license(state) } : { status, body: { error: 'any' } }
  })
}

for (const status of [429, 500, 503]) {
  test(`keeps a buyer in while Purser answers ${status}`, options, async () => {
    await using service = await failingWith(status)
    const states = (await returned(
      service.url,
      'purser.LICENSE_SECONDS = 0',
      'return [await purser.validate("key_1") for _ in range(5)]',
    )) as { entitled: boolean }[]
    assert.deepEqual(
      states.map(({ entitled }) => entitled),
      Array(5).fill(true),
    )
    // An outage causes a request every five seconds, not for each page.
    assert.equal(service.requests.length, 2)
  })
}

test('keeps a buyer in while Purser cannot be reached', options, async () => {
  await using service = await failingWith(500)
  const seen = await returned(
    service.url,
    'purser.LICENSE_SECONDS = 0',
    'await purser.validate("key_1")',
    'purser.http.base_url = "http://127.0.0.1:1"',
    'return (await purser.validate("key_1"))["entitled"]',
  )
  assert.equal(seen, true)
})

for (const [when, state, grace] of [
  ['after the grace period', {}, 0],
  ['after the day on which a canceled license ends', { canceled_at: '2026-01-01' }, 3600],
] as const) {
  test(`validates at Purser only ${when}`, options, async () => {
    await using service = await failingWith(503, state)
    const raised = await returned(
      service.url,
      `purser.LICENSE_SECONDS, purser.GRACE_SECONDS = 0, ${grace}`,
      'await purser.validate("key_1")',
      'try:',
      '    return await purser.validate("key_1")',
      'except purser.httpx.HTTPError:',
      '    return "raised"',
    )
    assert.equal(raised, 'raised')
  })
}

for (const [what, refusal] of [
  ['a refused license', { body: license({ entitled: false, status: 'past_due' }) }],
  ['an unknown key', { status: 404, body: { error: 'unknown_key' } }],
] as const) {
  test(`has no grace for ${what}`, options, async () => {
    const answers = [{ body: license() }, refusal, { status: 503 }]
    await using service = await startFakeService(() => answers.shift() ?? { status: 503 })
    const raised = await returned(
      service.url,
      'purser.LICENSE_SECONDS = 0',
      'for _ in range(2): await purser.validate("key_1")',
      'try:',
      '    return await purser.validate("key_1")',
      'except purser.httpx.HTTPError:',
      '    return "raised"',
    )
    assert.equal(raised, 'raised')
  })
}

/** The status, the page or address, and the cookie of an answer. */
type Shown = [status: number, content: string, session: string | null]

/** What the service answers: no price, and another key for each lookup of an order. */
function answers() {
  let lookups = 0
  return ({ path }: ReceivedRequest) => {
    const prices = { app_name: 'Tidepool', prices: [] }
    if (path.endsWith('/prices/')) return { body: prices }
    return { body: license({ license_key: `key_${++lookups}` }) }
  }
}

test('sets the cookie of a session once', options, async () => {
  await using service = await startFakeService(answers())
  // A request of another tab may be answered after the purchase, which began a new session.
  const [first, again, asked] = (await returned(
    service.url,
    'first = (await main.plans()).seen()',
    'again = (await main.plans(first[2])).seen()',
    'asked = (await main.after_purchase("forged", "ref", first[2])).seen()',
    'return [first, again, asked]',
  )) as [Shown, Shown, Shown]
  assert.ok(first[2])
  assert.equal(again[2], null)
  assert.match(asked[1], /Use this purchase in this browser/)
  assert.equal(asked[2], null)
})

test('shows the app if the page of an adopted purchase is reloaded', options, async () => {
  await using service = await startFakeService(answers())
  const [adopted, reloaded, other, key] = (await returned(
    service.url,
    'session = (await main.plans()).seen()[2]',
    'address = [main.sessions[session]["purchase"], "ref"]',
    'adopted = (await main.after_purchase(*address, session)).seen()',
    'reloaded = (await main.after_purchase(*address, adopted[2])).seen()',
    'other = (await main.after_purchase(address[0], "other", adopted[2])).seen()',
    'key = main.sessions[reloaded[2]]["license_key"]',
    'return [adopted, reloaded, other, key]',
  )) as [Shown, Shown, Shown, string]
  for (const each of [adopted, reloaded]) assert.deepEqual(each.slice(0, 2), [303, '/app'])
  // The buyer may have replaced the key.
  assert.equal(key, 'key_2')
  assert.match(other[1], /Use this purchase in this browser/)
})

test('answers 502 with a message if Purser does not answer', options, async () => {
  await using service = await startFakeService(answers())
  const seen = '(await main.unavailable(None, main.httpx.HTTPError())).seen()'
  const [status, content] = (await resultOf(service.url, seen)) as Shown
  assert.equal(status, 502)
  assert.match(content, /Something went wrong. Try again/)
})
