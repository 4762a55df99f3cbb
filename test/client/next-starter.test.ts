/** The page of the Next.js starter, with the client's double and without Next.js. */
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
import { after, test } from 'node:test'
import { createTestPurser } from '@purser/client/testing'
import { transformSync } from 'esbuild'

const folder = mkdtempSync(join(tmpdir(), 'purser-next-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The part of Next.js that the page uses. */
const NEXT = {
  'headers.js':
    'export const cookies = async () => ({ get: () => ({ value: globalThis.license_key }) })',
  'navigation.js': "export const redirect = (path) => { throw new Error('redirect to ' + path) }",
}

test('the page redirects a browser whose license is not entitled, also if the proxy let it pass', async (t) => {
  const purser = createTestPurser()
  t.mock.method(globalThis, 'fetch', purser.fetch)
  const license = purser.addLicense()
  Object.assign(globalThis, { license_key: license.license_key })
  t.after(() => Reflect.deleteProperty(globalThis, 'license_key'))
  const { base_url, client_id, client_secret } = purser
  const settings = {
    PURSER_URL: base_url,
    PURSER_CLIENT_ID: client_id,
    PURSER_CLIENT_SECRET: client_secret,
    LICENSE_SECONDS: '0',
  }
  Object.assign(process.env, settings)
  t.after(() => {
    for (const name of Object.keys(settings)) delete process.env[name]
  })
  const { default: page } = await import(buildPage())
  assert.match(JSON.stringify(await page()), /Plan: prod_pro \(active\)/)
  license.status = 'canceled'
  await assert.rejects(page(), { message: 'redirect to /locked' })
})

/** The page as Next.js would build it, beside its module `lib/purser.js`. */
function buildPage(): string {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'next'), { recursive: true })
  const exports = { './headers': './headers.js', './navigation': './navigation.js' }
  writeFileSync(join(modules, 'next/package.json'), JSON.stringify({ type: 'module', exports }))
  for (const [name, code] of Object.entries(NEXT)) writeFileSync(join(modules, 'next', name), code)
  symlinkSync(resolve('node_modules/@purser'), join(modules, '@purser'))
  const starter = 'examples/starters/next-license-keys'
  cpSync(starter, folder, { recursive: true })
  const { code } = transformSync(readFileSync(join(starter, 'app/app/page.jsx'), 'utf8'), {
    loader: 'jsx',
    jsxFactory: 'element',
    banner: 'const element = (name, _, ...children) => ({ name, children })',
  })
  const path = join(folder, 'app/app/page.js')
  writeFileSync(path, code)
  return path
}
