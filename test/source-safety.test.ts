import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** What the service runs: its own sources, and those that are built for browsers. */
const sources = globSync(['src/**/*.{ts,tsx,js}']).map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

/** The sources with this in them, but those that may. */
function holders(pattern: RegExp, allowed: string[] = []): string[] {
  const found = sources.filter(({ path, text }) => {
    return pattern.test(text) && !allowed.some((each) => path.startsWith(each))
  })
  return found.map(({ path }) => path)
}

test("no text runs as code, as a shell command or as a visitor's pattern", () => {
  assert.deepEqual(holders(/\beval\(|new Function\b|node:vm|node:child_process|setTimeout\('/), [])
  // The one pattern that is put together is made of a constant port. The other is in the text of
  // code that sellers copy, and is made of the name of a cookie.
  const made = ['src/domain/grants/agent.ts', 'src/surfaces/dashboard/license-snippets.ts']
  assert.deepEqual(holders(/new RegExp\(|[^.\w]RegExp\(/, made), [])
})

test('only the page renderer writes HTML, except for sanitized texts and data for programs', () => {
  const raw = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/
  assert.deepEqual(
    holders(raw, ['src/platform/design/reading.tsx', 'src/platform/design/sharing.tsx']),
    [],
  )
  assert.match(readFileSync('src/platform/design/reading.tsx', 'utf8'), /__html: clean_html/)
  assert.match(readFileSync('src/platform/design/sharing.tsx', 'utf8'), /__html: dataText\(/)
})

test('scripts store nothing in a browser, and accept messages of no other window', () => {
  const browser = /localStorage|sessionStorage|indexedDB|document\.cookie|caches\.open/
  assert.deepEqual(holders(browser), [])
  // Threads of the service exchange messages too; what runs in a browser has none.
  const messages = /postMessage|addEventListener\('message'|onmessage/
  const threads = holders(/node:worker_threads/)
  assert.deepEqual(holders(messages, threads), [])
})

test('only the adapters of processor, mail, limits and database open connections', () => {
  const adapters = [
    'src/stripe/',
    'src/platform/mail.ts',
    'src/platform/outbound.ts',
    'src/platform/limits.ts',
    'src/platform/db',
    'src/platform/reconnecting.ts',
  ]
  const clients = /from '(?:nodemailer|stripe|pg|iovalkey|undici|node:https|node:tls|node:dgram)'/
  assert.deepEqual(holders(clients, adapters), [])
  const calls = /(?<![.\w])fetch\(|\b(?:http|https|net)\.(?:request|get|connect)\(/
  // A browser asks its own origin, as the page's policy requires; docs show code of sellers. The
  // bucket is the one that the settings name.
  const callers = ['src/platform/design/browser/', 'src/surfaces/docs/', 'src/platform/storage.ts']
  assert.deepEqual(holders(calls, callers), [])
})

test('certificates are verified wherever a connection is made', () => {
  const loose = /rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED|insecureHTTPParser/
  assert.deepEqual(holders(loose), [])
})

test('ciphers and hashes are on one list, and computed by Node and known libraries', () => {
  const weak = /\bmd5\b|\bsha-?1\b|\becb\b|\bcbc\b|\brc4\b|\bdes-|'none' as alg|createCipher\(/i
  // The codes of authenticator apps are HMAC-SHA-1, as all such apps have it (RFC 6238).
  assert.deepEqual(holders(weak, ['src/domain/identity/authenticator-code.ts']), [])
  const crypto = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:createHmac|createHash|hash|hkdfSync)\('([\w-]+)'/g)].map(
      ([, name]) => `${path} ${name}`,
    ),
  )
  assert.ok(crypto.length > 0)
  assert.deepEqual(
    crypto.filter((each) => !each.endsWith(' sha256')),
    [],
  )
  const ciphers = sources.flatMap(({ text }) =>
    [...text.matchAll(/'(aes-[\w-]+)'/g)].map(([, name]) => name),
  )
  assert.deepEqual([...new Set(ciphers)], ['aes-256-gcm'])
})

test('every third-party package has an exact version, with the digest of what was reviewed', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<
      string,
      { version?: string; integrity?: string; link?: boolean; inBundle?: boolean }
    >
  }
  const installed = Object.entries(lock.packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle,
  )
  assert.ok(installed.length > 100)
  const loose = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  assert.deepEqual(
    loose.map(([path]) => path),
    [],
  )
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  assert.deepEqual(
    wanted.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version))),
    [],
  )
})

test('the sources contain no secret', () => {
  const secret = /sk_live_\w{8}|rk_live_\w{8}|whsec_[A-Za-z0-9]{16}|-----BEGIN [A-Z ]*PRIVATE KEY/
  assert.deepEqual(holders(secret), [])
})

test('a password field masks its text, and allows password managers and pasting', () => {
  const fields = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/<(?:Field|input)\b[^>]*?name="password"[^>]*?>/gs)].map(([field]) => ({
      path,
      field,
    })),
  )
  assert.ok(fields.length >= 4)
  for (const { path, field } of fields) {
    assert.match(field, /type="password"/, path)
    assert.match(field, /autocomplete="(current|new)-password"/, path)
  }
  assert.deepEqual(
    holders(/\bonpaste\b|addEventListener\('paste'|autocomplete="off"[^>]*password/i),
    [],
  )
})
