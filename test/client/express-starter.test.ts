/** The return page of the Express starter, with a service of the test and sessions in memory. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { SiteBrowser, type SiteProcess, startSite } from '../support/site-process.ts'
import { license, startFakeService } from './fake-service.ts'

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
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  writeFileSync(join(modules, 'express-session/package.json'), '{"type":"module"}')
  writeFileSync(join(modules, 'express-session/index.js'), SESSION)
  cpSync('examples/starters/express-license-keys', folder, { recursive: true })
  const env = { PURSER_URL, PURSER_CLIENT_ID: 'app_1', PURSER_CLIENT_SECRET: 'secret' }
  return await startSite([process.execPath, 'server.js'], { cwd: folder, env })
}

test('a return page that is reloaded opens the app again, and one with two orders is refused', async () => {
  await using service = await startFakeService(({ path }) => {
    const price = { public_id: 'prc_1', product_name: 'Pro', amount: '12.00', frequency: null }
    const prices = { client_id: 'app_1', app_name: 'Tidepool', prices: [price] }
    if (path.endsWith('/prices/')) return { body: prices }
    return { body: license({ license_key: 'key_1' }) }
  })
  await using site = await startStarter(service.url)
  const browser = new SiteBrowser(site, `http://localhost:${site.port}`)
  const { body } = await browser.open('/')
  const [, purchase] = /purchase%3D([\w-]+)/.exec(body) ?? []
  const address = `/return?purchase=${purchase}&svc_order=ref`
  for (let visit = 0; visit < 2; visit++) {
    const { status, location } = await browser.open(address)
    assert.deepEqual([status, location], [302, '/app'])
  }
  const twice = await browser.open(`${address}&svc_order=ref`)
  assert.equal(twice.status, 400)
  assert.match(twice.body, /This order is not known/)
})
