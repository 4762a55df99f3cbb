/** The sites of the quick starts, with a service of the test. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createTestPurser, type TestPurser } from '@purser/client/testing'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { codeOfPage } from '../support/docs-blocks.ts'
import { SiteBrowser, type SiteProcess, startSite } from '../support/site-process.ts'
import {
  license,
  type ReceivedRequest,
  type Reply,
  refusal,
  startFakeService,
} from './fake-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-quick-starts-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The site of a quick start in a process of its own, against a service. */
async function startQuickStart(
  page: string,
  app: { base_url: string; client_id: string; client_secret: string },
): Promise<SiteProcess> {
  const cwd = join(folder, page)
  rmSync(cwd, { recursive: true, force: true })
  mkdirSync(cwd)
  symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'))
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}')
  const code = codeOfPage(`docs/site/quick-start/${page}.md`, 'server.js', {})
  writeFileSync(join(cwd, 'server.js'), code)
  const env = {
    PURSER_URL: app.base_url,
    PURSER_CLIENT_ID: app.client_id,
    PURSER_CLIENT_SECRET: app.client_secret,
  }
  return await startSite([process.execPath, 'server.js'], { cwd, env })
}

const startLicenseKeys = (base_url: string) =>
  startQuickStart('license-keys', { base_url, client_id: 'app_1', client_secret: 'secret' })

/** What the service answers: one price, one license, and one order, `ref`. */
function answerTo({ path }: ReceivedRequest): Reply {
  const price = { public_id: 'prc_1', product_name: 'Pro', amount: '12.00', frequency: null }
  if (path.endsWith('/prices/')) {
    return { body: { client_id: 'app_1', app_name: 'Tidepool', prices: [price] } }
  }
  if (path.includes('/orders/') && !path.endsWith('/ref')) return refusal(404, 'unknown_order')
  return { body: license({ license_key: 'key_1' }) }
}

const browserOn = (site: SiteProcess) => new SiteBrowser(site, `http://localhost:${site.port}`)

/** The return URL of the site's buy link, with an order. */
async function returnUrl(browser: SiteBrowser, svc_order: string): Promise<string> {
  const { body } = await browser.open('/')
  const [, buy = ''] = /href="([^"]+\/buy\/[^"]+)"/.exec(body) ?? []
  const next = new URL(new URL(buy).searchParams.get('next') ?? '')
  next.searchParams.set('svc_order', svc_order)
  return next.href
}

test('the quick start with license keys leads from an unknown order back to the plans', async () => {
  await using service = await startFakeService(answerTo)
  await using site = await startLicenseKeys(service.url)
  const browser = browserOn(site)
  const { status, body } = await browser.open(await returnUrl(browser, 'forged'))
  assert.equal(status, 404)
  assert.match(body, /This order is not known<.+24 hours.+<a href="\/">See the plans<\/a>/s)
  assert.match((await browser.open(await returnUrl(browser, 'ref'))).body, /Thank you/)
})

test('its Login URL shows a page without an order, and asks before it adopts one that began elsewhere', async () => {
  await using service = await startFakeService(answerTo)
  await using site = await startLicenseKeys(service.url)
  const browser = browserOn(site)
  const launched = await browser.open('/login')
  assert.deepEqual([launched.status, /<a href="\/app">/.test(launched.body)], [200, true])
  const asked = await browser.open('/login?svc_order=ref&state=forged')
  assert.equal(asked.status, 200)
  assert.ok(service.requests.every(({ path }) => !path.startsWith('/api/v1/orders/')))
  const [, own = ''] = /<a href="([^"]+)">Use this purchase</.exec(asked.body) ?? []
  assert.match((await browser.open(`/login${own}`)).body, /Thank you/)
  assert.equal((await browser.open('/favicon.ico')).status, 404)
})

test('it reads the prices once a minute, and again at once after an error', async () => {
  let is_down = true
  await using service = await startFakeService((request) =>
    is_down ? refusal(400, 'invalid_request') : answerTo(request),
  )
  await using site = await startLicenseKeys(service.url)
  const browser = browserOn(site)
  assert.equal((await browser.open('/')).status, 502)
  is_down = false
  const before = service.requests.length
  for (let visit = 0; visit < 3; visit++) assert.equal((await browser.open('/')).status, 200)
  assert.equal(service.requests.length, before + 1)
})

/** The client's double, served on a port. */
async function serveDouble(): Promise<{ purser: TestPurser } & AsyncDisposable> {
  const port = await freePort()
  const purser = createTestPurser({ base_url: `http://localhost:${port}` })
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request
    const body = method === 'GET' ? null : await text(request)
    const headers = new Headers(request.headers as Record<string, string>)
    const sent = new Request(purser.base_url + url, { method, headers, body })
    const answer = await purser.handle(sent)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(await answer.text())
  })
  await new Promise<void>((done) => server.listen(port, 'localhost', done))
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { purser, [Symbol.asyncDispose]: close }
}

test('the quick start with hosted sign-in offers another sign-in after a code that is late or of another tab', async () => {
  await using served = await serveDouble()
  const { purser } = served
  await using site = await startQuickStart('hosted-sign-in', purser)
  const browser = browserOn(site)
  const person = purser.addPerson(purser.addLicense())
  const begin = async () => purser.authorize((await browser.open('/login')).location ?? '', person)
  const ofAnotherTab = await begin()
  const late = await begin()
  purser.advance(61)
  for (const arrived of [ofAnotherTab, late]) {
    const { status, location } = await browser.open(arrived)
    assert.deepEqual([status, location], [303, '/'])
  }
  assert.match((await browser.open('/')).body, /<a href="\/login">Sign in<\/a>/)

  await browser.open(await begin())
  for (let visit = 0; visit < 3; visit++) {
    assert.match((await browser.open('/')).body, /Your plan: Pro \(active\)/)
  }
  const reads = purser.requests.filter(({ path }) => path.endsWith('/prices/'))
  assert.equal(reads.length, 1)
})
