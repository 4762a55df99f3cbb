/** The sites of the quick starts and of two starters, with a service of the test. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createTestPurser, type TestPurser } from '@purser/client/testing'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { codeOfPage } from '../support/docs-blocks.ts'
import { eventually } from '../support/eventually.ts'
import { SiteBrowser, type SiteProcess, startSite } from '../support/site-process.ts'
import {
  license,
  type ReceivedRequest,
  type Reply,
  refusal,
  startFakeService,
} from './fake-service.ts'

const work = mkdtempSync(join(tmpdir(), 'purser-sites-'))
after(() => rmSync(work, { recursive: true, force: true }))

type App = { base_url: string; client_id: string; client_secret: string }

/** Writes a site into an empty folder. */
type Write = (folder: string) => void

/** A site in a process of its own, with the packages of this project, against a service. */
async function start(write: Write, app: App): Promise<SiteProcess> {
  const cwd = mkdtempSync(join(work, 'site-'))
  const modules = join(cwd, 'node_modules')
  mkdirSync(modules)
  for (const name of ['@purser', 'express', 'openid-client', 'oauth4webapi', 'jose']) {
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  write(cwd)
  const env = {
    PURSER_URL: app.base_url,
    PURSER_CLIENT_ID: app.client_id,
    PURSER_CLIENT_SECRET: app.client_secret,
  }
  return await startSite([process.execPath, 'server.js'], { cwd, env })
}

const quickStart = (page: string) => (folder: string) => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const code = codeOfPage(`docs/site/quick-start/${page}.md`, 'server.js', {})
  writeFileSync(join(folder, 'server.js'), code)
}

/** The part of express-session that the starter uses: sessions by a cookie. */
const SESSION = `import { randomUUID } from 'node:crypto'
const sessions = new Map()
export default () => (request, response, next) => {
  const regenerate = (done) => {
    const id = randomUUID()
    request.session = { regenerate }
    sessions.set(id, request.session)
    response.cookie('sid', id)
    done()
  }
  const [, id] = /(?:^|; )sid=([\\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  request.session = sessions.get(id)
  if (!request.session) return regenerate(next)
  request.session.regenerate = regenerate
  next()
}`

function expressStarter(folder: string): void {
  cpSync('examples/starters/express-license-keys', folder, { recursive: true })
  const session = join(folder, 'node_modules/express-session')
  mkdirSync(session)
  writeFileSync(join(session, 'package.json'), '{"type":"module"}')
  writeFileSync(join(session, 'index.js'), SESSION)
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

/** Two browsers on a site, the requests of the site, and what the service answers from now on. */
type Visit = {
  browser: SiteBrowser
  another: SiteBrowser
  requests: ReceivedRequest[]
  /** What the site has logged. */
  log(): string
  answerWith(reply: typeof answerTo): void
}

const ERROR = () => refusal(400, 'invalid_request')

/** What every site with license keys guarantees. */
const GUARANTEES: Record<string, (visit: Visit) => Promise<void>> = {
  async 'opens the app after a purchase, and again if the return page is reloaded'({ browser }) {
    const address = await returnUrl(browser, 'ref')
    for (let visit = 0; visit < 2; visit++) {
      const { status, body } = await browser.open(address)
      assert.ok(status < 400)
      assert.doesNotMatch(body, /Use this purchase/)
      assert.match((await browser.open('/app')).body, /Plan: prod_pro/)
    }
  },

  async 'leads from an unknown order back to the plans'({ browser }) {
    const address = await returnUrl(browser, 'forged')
    const references = [address, `${address}&svc_order=forged`, `${address}${'x'.repeat(9000)}`]
    for (const each of references) {
      const { status, body } = await browser.open(each)
      assert.equal(status, 404)
      assert.match(body, /This order is not known<.+24 hours.+<a href="\/">See the plans<\/a>/s)
    }
  },

  async 'has a page at its Login URL without an order'({ browser }) {
    const { status, body } = await browser.open('/login')
    assert.deepEqual([status, /<a href="\/app">/.test(body)], [200, true])
  },

  async 'asks before it adopts an order that began elsewhere'({ browser, requests }) {
    const asked = await browser.open('/login?svc_order=ref&state=forged&purchase=forged')
    assert.equal(asked.status, 200)
    assert.ok(requests.every(({ path }) => !path.startsWith('/api/v1/orders/')))
    const [, own = ''] = /<a href="([^"]+)">Use this purchase</.exec(asked.body) ?? []
    assert.ok((await browser.open(`/login${own.replaceAll('&amp;', '&')}`)).status < 400)
    assert.match((await browser.open('/app')).body, /Plan: prod_pro/)
    const { body } = await browser.open('/login?svc_order=another&state=forged&purchase=forged')
    assert.match(body, /Use this purchase/)
  },

  async 'adopts an order in a new session, not in one that the browser brought'(visit) {
    const { browser, another } = visit
    await another.open('/')
    for (const [name, value] of another.cookies) browser.cookies.set(name, value)
    await browser.open(await returnUrl(browser, 'ref'))
    assert.match((await browser.open('/app')).body, /Plan: prod_pro/)
    assert.doesNotMatch((await another.open('/app')).body, /Plan: prod_pro/)
  },

  async 'reads the prices once a minute, and again at once after an error'(visit) {
    const { browser, requests, answerWith } = visit
    answerWith(ERROR)
    // An error of Purser is not the visitor's.
    assert.ok((await browser.open('/')).status >= 500)
    answerWith(answerTo)
    const before = requests.length
    for (let visit = 0; visit < 3; visit++) assert.equal((await browser.open('/')).status, 200)
    assert.equal(requests.length, before + 1)
  },

  async 'keeps running after a request for an address that is not a URL'({ browser }) {
    assert.ok((await browser.open('http://localhost//')).status < 500)
    assert.equal((await browser.open('/')).status, 200)
  },

  async 'locks the app if the key of the buyer was replaced, until the order brings the new one'({
    browser,
    answerWith,
  }) {
    const address = await returnUrl(browser, 'ref')
    await browser.open(address)
    answerWith((request) => {
      const isOld = request.body.includes('key_1')
      return isOld ? refusal(404, 'unknown_key') : { body: license({ license_key: 'key_2' }) }
    })
    const { status, body } = await browser.open('/app')
    assert.ok(status < 500, `${status}`)
    assert.match(body, /<a href="\/">See the/)
    // A buy link leads an owner back with the reference of the same order.
    await browser.open(address)
    assert.match((await browser.open('/app')).body, /Plan: prod_pro/)
  },

  async 'answers 502 and logs the error where Purser refuses the client secret'(visit) {
    const { browser, answerWith, log } = visit
    const failsAt = async (address: string) => {
      answerWith(() => refusal(401, 'invalid_client'))
      const logged = log().length
      const { status, body } = await browser.open(address)
      assert.deepEqual([status, /Something went wrong\. Try again\./.test(body)], [502, true])
      const isLogged = async () => log().slice(logged).includes('invalid_client')
      await eventually('the error in the log', isLogged)
      answerWith(answerTo)
    }
    const address = await returnUrl(browser, 'ref')
    await failsAt(address)
    await browser.open(address)
    await failsAt('/app')
  },
}

const SITES = {
  'the quick start with license keys': quickStart('license-keys'),
  'the Express starter': expressStarter,
}

for (const [name, write] of Object.entries(SITES)) {
  for (const [guarantee, check] of Object.entries(GUARANTEES)) {
    test(`${name} ${guarantee}`, async () => {
      // The site has read no prices when it is visited.
      let reply: typeof answerTo = ERROR
      const answerWith = (next: typeof answerTo) => {
        reply = next
      }
      await using service = await startFakeService((request) => reply(request))
      const app = { base_url: service.url, client_id: 'app_1', client_secret: 'secret' }
      await using site = await start(write, app)
      answerWith(answerTo)
      const [browser, another] = [browserOn(site), browserOn(site)]
      const { requests } = service
      await check({ browser, another, requests, answerWith, log: site.output })
    })
  }
}

/** The client's double, served on a port. */
async function serveDouble(at?: number): Promise<{ purser: TestPurser } & AsyncDisposable> {
  const port = at ?? (await freePort())
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

test('the quick start with hosted sign-in offers another sign-in after a code that is late', async () => {
  await using served = await serveDouble()
  const { purser } = served
  await using site = await start(quickStart('hosted-sign-in'), purser)
  const browser = browserOn(site)
  const person = purser.addPerson(purser.addLicense())
  const begin = async () => purser.authorize((await browser.open('/login')).location ?? '', person)
  const codes = [await begin(), await begin()]
  purser.advance(61)
  for (const arrived of codes) {
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

test('the quick start with hosted sign-in finishes a sign-in after another tab began one', async () => {
  await using served = await serveDouble()
  const { purser } = served
  await using site = await start(quickStart('hosted-sign-in'), purser)
  const browser = browserOn(site)
  const { location = '' } = await browser.open('/login')
  await browser.open('/login')
  await browser.open(purser.authorize(location, purser.addPerson(purser.addLicense())))
  assert.match((await browser.open('/')).body, /Your plan: Pro \(active\)/)
})

test('the quick start with hosted sign-in keeps a user signed in while another sign-in is begun or canceled', async () => {
  await using served = await serveDouble()
  const { purser } = served
  await using site = await start(quickStart('hosted-sign-in'), purser)
  const browser = browserOn(site)
  const begin = async () => (await browser.open('/login')).location ?? ''
  await browser.open(purser.authorize(await begin(), purser.addPerson(purser.addLicense())))
  const canceled = purser.authorize(await begin(), null)
  assert.match((await browser.open('/')).body, /Your plan: Pro \(active\)/)
  assert.equal((await browser.open(canceled)).location, '/')
  assert.match((await browser.open('/')).body, /Your plan: Pro \(active\)/)
})

test('the quick start with hosted sign-in signs in to a new session, not to one that the browser brought', async () => {
  await using served = await serveDouble()
  const { purser } = served
  await using site = await start(quickStart('hosted-sign-in'), purser)
  const [browser, other] = [browserOn(site), browserOn(site)]
  for (const each of [browser, other]) each.cookies.set('session', 'planted')
  const { location = '' } = await browser.open('/login')
  await browser.open(purser.authorize(location, purser.addPerson(purser.addLicense())))
  assert.match((await browser.open('/')).body, /Your plan: Pro \(active\)/)
  assert.match((await other.open('/')).body, /<a href="\/login">Sign in<\/a>/)
})

test('the quick start with hosted sign-in starts while Purser is down, and signs in afterwards', async () => {
  const port = await freePort()
  const app = createTestPurser({ base_url: `http://localhost:${port}` })
  await using site = await start(quickStart('hosted-sign-in'), app)
  const browser = browserOn(site)
  assert.equal((await browser.open('/login')).status, 502)
  await using served = await serveDouble(port)
  const { purser } = served
  const { location = '' } = await browser.open('/login')
  await browser.open(purser.authorize(location, purser.addPerson(purser.addLicense())))
  assert.match((await browser.open('/')).body, /Your plan: Pro \(active\)/)
})

test('the quick start with hosted sign-in accepts a slash at the end of the URL of Purser', async () => {
  await using served = await serveDouble()
  const { base_url, client_id, client_secret } = served.purser
  const app = { base_url: `${base_url}/`, client_id, client_secret }
  await using site = await start(quickStart('hosted-sign-in'), app)
  const { status, location } = await browserOn(site).open('/login')
  assert.equal(status, 303, site.output())
  assert.ok(location?.startsWith(`${base_url}/o/`), location)
})

test('the quick start with hosted sign-in answers 502 to a sign-in that its settings made fail', async () => {
  await using served = await serveDouble()
  await using site = await start(quickStart('hosted-sign-in'), served.purser)
  const browser = browserOn(site)
  for (const [error, status] of [
    ['access_denied', 303],
    ['invalid_scope', 502],
  ] as const) {
    const { location = '' } = await browser.open('/login')
    const state = new URL(location).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error, state, iss: `${served.purser.base_url}/o` })
    assert.equal((await browser.open(`/callback?${query}`)).status, status)
    const elsewhere = await browser.open(`/callback?error=${error}&state=forged`)
    assert.deepEqual([elsewhere.status, elsewhere.location], [303, '/'])
  }
})

test('the quick start with hosted sign-in keeps a new session if a request of another tab is answered later', async () => {
  await using served = await serveDouble()
  const { purser } = served
  await using site = await start(quickStart('hosted-sign-in'), purser)
  const browser = browserOn(site)
  const { location = '' } = await browser.open('/login')
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  await browser.open(purser.authorize(location, purser.addPerson(purser.addLicense())))
  const of_tab = await fetch(`http://localhost:${site.port}/`, { headers: { cookie } })
  assert.deepEqual(of_tab.headers.getSetCookie(), [])
})

test('the quick start with hosted sign-in keeps running after a request for an address that is not a URL', async () => {
  await using served = await serveDouble()
  await using site = await start(quickStart('hosted-sign-in'), served.purser)
  const browser = browserOn(site)
  assert.ok((await browser.open('http://localhost//')).status < 500)
  assert.equal((await browser.open('/')).status, 200)
})

test('the edge function answers with an error of its own where Purser refuses the client secret', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  await using service = await startFakeService(() => refusal(401, 'invalid_client'))
  const { default: worker } = await import(resolve('examples/starters/static-edge/worker.js'))
  const settings = { PURSER_URL: service.url, PURSER_CLIENT_ID: 'app_1', PURSER_CLIENT_SECRET: '-' }
  for (const path of ['/login?svc_order=ref&purchase=own', '/api/license']) {
    const headers = { cookie: 'purchase=own; license_key=key_1' }
    const request = new Request(`https://your-app.example${path}`, { headers })
    assert.equal((await worker.fetch(request, settings)).status, 502)
  }
  assert.equal(log.callCount(), 2)
})
