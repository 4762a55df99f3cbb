/** The return page of the Express starter, with a service of the test and sessions in memory. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { SiteBrowser, type SiteProcess, startSite } from '../support/site-process.ts'
import {
  license,
  type ReceivedRequest,
  type Reply,
  refusal,
  startFakeService,
} from './fake-service.ts'

/** The part of express-session that the starter uses: one session. */
const SESSION = `const session = {}
export default () => (request, _response, next) => {
  request.session = session
  next()
}`

const folder = mkdtempSync(join(tmpdir(), 'purser-express-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The starter in a process of its own, against a service. */
async function startStarter(PURSER_URL: string): Promise<SiteProcess> {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'express-session'), { recursive: true })
  for (const name of ['@purser', 'express']) {
    rmSync(join(modules, name), { force: true })
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  writeFileSync(join(modules, 'express-session/package.json'), '{"type":"module"}')
  writeFileSync(join(modules, 'express-session/index.js'), SESSION)
  cpSync('examples/starters/express-license-keys', folder, { recursive: true })
  const env = { PURSER_URL, PURSER_CLIENT_ID: 'app_1', PURSER_CLIENT_SECRET: 'secret' }
  return await startSite([process.execPath, 'server.js'], { cwd: folder, env })
}

/** What the starter's service answers: one price, and one license. */
function answerTo({ path }: ReceivedRequest): Reply {
  const price = { public_id: 'prc_1', product_name: 'Pro', amount: '12.00', frequency: null }
  const prices = { client_id: 'app_1', app_name: 'Tidepool', prices: [price] }
  if (path.endsWith('/prices/')) return { body: prices }
  return { body: license({ license_key: 'key_1' }) }
}

const browserOn = (site: SiteProcess) => new SiteBrowser(site, `http://localhost:${site.port}`)

test('a return page that is reloaded opens the app again, and one with two orders is refused', async () => {
  await using service = await startFakeService(answerTo)
  await using site = await startStarter(service.url)
  const browser = browserOn(site)
  const { body } = await browser.open('/')
  const [, purchase] = /purchase%3D([\w-]+)/.exec(body) ?? []
  const address = `/login?purchase=${purchase}&svc_order=ref`
  for (let visit = 0; visit < 2; visit++) {
    const { status, location } = await browser.open(address)
    assert.deepEqual([status, location], [302, '/app'])
  }
  const twice = await browser.open(`${address}&svc_order=ref`)
  assert.equal(twice.status, 404)
  assert.match(twice.body, /This order is not known.+<a href="\/">See the plans/)
})

test('the Login URL asks before it adopts a purchase that began elsewhere, and shows a page without one', async () => {
  await using service = await startFakeService(answerTo)
  await using site = await startStarter(service.url)
  const browser = browserOn(site)
  const launched = await browser.open('/login')
  assert.deepEqual([launched.status, /<a href="\/app">/.test(launched.body)], [200, true])
  const asked = await browser.open('/login?svc_order=ref&purchase=forged')
  assert.equal(asked.status, 200)
  assert.ok(service.requests.every(({ path }) => !path.startsWith('/api/v1/orders/')))
  const [, own = ''] = /<a href="([^"]+)">Use this purchase</.exec(asked.body) ?? []
  const { status, location } = await browser.open(`/login${own.replaceAll('&amp;', '&')}`)
  assert.deepEqual([status, location], [302, '/app'])
})

test('prices are read once a minute, and again at once after an error', async () => {
  let is_down = true
  await using service = await startFakeService((request) =>
    is_down ? refusal(400, 'invalid_request') : answerTo(request),
  )
  await using site = await startStarter(service.url)
  const browser = browserOn(site)
  // An error of Purser is not the visitor's.
  assert.equal((await browser.open('/')).status, 500)
  is_down = false
  const before = service.requests.length
  for (let visit = 0; visit < 3; visit++) assert.equal((await browser.open('/')).status, 200)
  assert.equal(service.requests.length, before + 1)
})
