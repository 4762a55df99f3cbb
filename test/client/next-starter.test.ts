/** The page and routes of the Next.js starter, with the client's double and without Next.js. */
import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { inspect } from 'node:util'
import { createTestPurser } from '@purser/client/testing'
import { transformSync } from 'esbuild'

/** The parts of Next.js that the starter uses. */
const NEXT = {
  'headers.js':
    'export const cookies = async () => ({ get: () => ({ value: globalThis.license_key }) })',
  'navigation.js': "export const redirect = (path) => { throw new Error('redirect to ' + path) }",
  'server.js': `export class NextResponse extends Response {
  cookies = { set: (name, value) => this.headers.append('set-cookie', name + '=' + value) }
  static redirect = (location, status = 307) =>
    new NextResponse(null, { status, headers: { location } })
}`,
}

const folder = mkdtempSync(join(tmpdir(), 'purser-next-'))
const purser = createTestPurser()
const settings = {
  PURSER_URL: purser.base_url,
  PURSER_CLIENT_ID: purser.client_id,
  PURSER_CLIENT_SECRET: purser.client_secret,
  LICENSE_SECONDS: '0',
}
let restore: () => void
before(() => {
  const { mock: fetch } = mock.method(globalThis, 'fetch', purser.fetch)
  restore = () => fetch.restore()
  Object.assign(process.env, settings)
  buildStarter()
})
after(() => {
  rmSync(folder, { recursive: true, force: true })
  for (const name of Object.keys(settings)) delete process.env[name]
  Reflect.deleteProperty(globalThis, 'license_key')
  restore()
})

/** The starter with its page as Next.js would build it, beside the modules that both import. */
function buildStarter(): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'next'), { recursive: true })
  const manifest = { type: 'module', exports: { './*': './*.js' } }
  writeFileSync(join(modules, 'next/package.json'), JSON.stringify(manifest))
  for (const [name, code] of Object.entries(NEXT)) writeFileSync(join(modules, 'next', name), code)
  symlinkSync(resolve('node_modules/@purser'), join(modules, '@purser'))
  const starter = 'examples/starters/next-license-keys'
  cpSync(starter, folder, { recursive: true })
  const { code } = transformSync(readFileSync(join(starter, 'app/app/page.jsx'), 'utf8'), {
    loader: 'jsx',
    jsxFactory: 'element',
    banner: 'const element = (name, _, ...children) => ({ name, children })',
  })
  writeFileSync(join(folder, 'app/app/page.js'), code)
}

test('the page redirects a browser whose license is not entitled, also if the proxy let it pass', async () => {
  const license = purser.addLicense()
  Object.assign(globalThis, { license_key: license.license_key })
  const { default: page } = await import(join(folder, 'app/app/page.js'))
  assert.match(JSON.stringify(await page()), /Plan: prod_pro \(active\)/)
  license.status = 'canceled'
  await assert.rejects(page(), { message: 'redirect to /locked' })
})

const LOGIN = 'app/login/route.js'

/** A browser that opens route handlers and keeps their cookies. */
function createBrowser() {
  const cookies = new Map<string, string>()
  const get = (name: string) => (cookies.has(name) ? { value: cookies.get(name) } : undefined)
  return {
    cookies,
    async open(route: string, address: string, params = {}): Promise<Response> {
      const { GET } = await import(join(folder, route))
      const nextUrl = new URL(address, 'http://localhost:3000')
      const answer: Response = await GET(
        { nextUrl, cookies: { get } },
        { params: Promise.resolve(params) },
      )
      for (const set of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split('=')
        cookies.set(name, value)
      }
      return answer
    },
  }
}

test('purchases that two tabs of a browser began both return, and a forged one is only adopted by a click', async () => {
  const browser = createBrowser()
  const returns: URL[] = []
  for (const { public_id: price } of (await purser.client.prices()).prices) {
    const answer = await browser.open('app/buy/[price]/route.js', `/buy/${price}`, { price })
    const checkout = new URL(answer.headers.get('location')!)
    assert.equal(checkout.pathname, `/buy/${price}/`)
    returns.push(new URL(checkout.searchParams.get('next')!))
  }
  assert.equal(returns.length, 2)
  for (const address of returns) {
    const license = purser.addLicense()
    address.searchParams.set('svc_order', purser.addOrder(license))
    const { status } = await browser.open(LOGIN, address.href)
    assert.equal(status, 303)
    assert.equal(browser.cookies.get('license_key'), license.license_key)
  }
  const other = purser.addLicense()
  for (const visitor of [browser, createBrowser()]) {
    const forged = `/login?purchase=forged&svc_order=${purser.addOrder(other)}`
    const asked = await visitor.open(LOGIN, forged)
    assert.equal(asked.status, 200)
    assert.notEqual(visitor.cookies.get('license_key'), other.license_key)
    const [, own] = /<a href="([^"]+)">Use this purchase</.exec(await asked.text()) ?? []
    assert.equal((await visitor.open(LOGIN, `/login${own}`)).status, 303)
    assert.equal(visitor.cookies.get('license_key'), other.license_key)
  }
})

test('the Login URL shows a page without an order, and leads from an unknown one to the plans', async () => {
  const browser = createBrowser()
  assert.equal((await browser.open(LOGIN, '/login')).status, 200)
  browser.cookies.set('purchase', 'own')
  const lost = await browser.open(LOGIN, '/login?purchase=own&svc_order=unknown')
  assert.equal(lost.status, 404)
  assert.match(await lost.text(), /This order is not known.+<a href="\/">See the plans/)
})

test('the Login URL answers 502 and logs the error where Purser refuses the client secret', async (t) => {
  const { mock: log } = t.mock.method(console, 'error', () => {})
  const browser = createBrowser()
  browser.cookies.set('purchase', 'own')
  purser.failNext({ error: 'invalid_client', path: '/orders/' })
  const failed = await browser.open(LOGIN, '/login?purchase=own&svc_order=any')
  assert.equal(failed.status, 502)
  assert.match(await failed.text(), /Something went wrong\. Try again\./)
  assert.match(inspect(log.calls[0]?.arguments), /invalid_client/)
})

test('prices are read once a minute', async () => {
  const { listPrices } = await import(join(folder, 'lib/purser.js'))
  const lists = () => purser.requests.filter(({ path }) => path.endsWith('/prices/')).length
  const before = lists()
  assert.equal((await listPrices()).prices.length, 2)
  assert.equal(await listPrices(), await listPrices())
  assert.equal(lists(), before + 1)
})

test('the address of a purchase that names no price is not found', async () => {
  const browser = createBrowser()
  const answer = await browser.open('app/buy/[price]/route.js', '/buy/pro', { price: 'pro' })
  assert.equal(answer.status, 404)
  assert.deepEqual([...browser.cookies], [])
})
