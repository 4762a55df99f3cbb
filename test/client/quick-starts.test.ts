/** The sites of the quick starts, with a service of the test. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
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

/** The site of the quick start with license keys in a process of its own, against a service. */
async function startLicenseKeys(PURSER_URL: string): Promise<SiteProcess> {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  rmSync(join(modules, '@purser'), { force: true })
  symlinkSync(resolve('node_modules/@purser'), join(modules, '@purser'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const code = codeOfPage('docs/site/quick-start/license-keys.md', 'server.js', {})
  writeFileSync(join(folder, 'server.js'), code)
  const env = { PURSER_URL, PURSER_CLIENT_ID: 'app_1', PURSER_CLIENT_SECRET: 'secret' }
  return await startSite([process.execPath, 'server.js'], { cwd: folder, env })
}

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
