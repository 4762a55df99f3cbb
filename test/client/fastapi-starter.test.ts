/** The Python calls of the FastAPI starter against a service of the test, without its packages. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { license, startFakeService } from './fake-service.ts'

const run = promisify(execFile)

/** The part of httpx that the starter uses, with the standard library. */
const HTTPX = `
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BasicAuth = lambda user, password: None

class Answer:
    def __init__(self, found):
        self.status_code, self.headers, self.text = found.status, found.headers, found.read()
    def raise_for_status(self):
        return self
    def json(self):
        return json.loads(self.text)

class AsyncClient:
    def __init__(self, base_url, **_):
        self.base_url = base_url
    async def get(self, path, data=None):
        headers = {"content-type": "application/json"}
        return Answer(urlopen(Request(self.base_url + path, data, headers)))
    async def post(self, path, json):
        return await self.get(path, __import__("json").dumps(json).encode())
`

const folder = mkdtempSync(join(tmpdir(), 'purser-fastapi-'))
writeFileSync(join(folder, 'httpx.py'), HTTPX)
after(() => rmSync(folder, { recursive: true, force: true }))

/** What an expression over the starter's module `purser` returns, as JSON. */
async function resultOf(url: string, expression: string): Promise<unknown> {
  const starter = resolve('examples/starters/fastapi-license-keys')
  const code = `import asyncio, json, purser
async def value():
    return ${expression}
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
