/** The page on other languages: its commands generate clients, and its programs run. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { blocksOf, type DocsBlock } from '../support/docs-blocks.ts'
import { buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const PAGE = 'docs/site/other-languages.md'
/** Where Debian has the sources of Go packages. */
const DEBIAN = '/usr/share/gocode'

let service: TestService
let blocks: DocsBlock[]
let env: NodeJS.ProcessEnv
let bought: { license_key: string; svc_order: string }
let missing: string | undefined
const cwd = mkdtempSync(join(tmpdir(), 'purser-generated-'))
before(async () => {
  service = await openTestService()
  await service.listen()
  const { base_url } = service.world.config
  const { client_id, client_secret } = service.demo.app
  blocks = blocksOf(PAGE, await readFile(PAGE, 'utf8'), { base_url })
  const page = await purchase(service, buyer(service), { email: 'generated@example.com' })
  bought = { license_key: licenseKey(page), svc_order: orderReference(page) }
  env = {
    ...process.env,
    NODE_OPTIONS: '',
    PURSER_CLIENT_ID: client_id,
    PURSER_CLIENT_SECRET: client_secret,
    LICENSE_KEY: bought.license_key,
    SVC_ORDER: bought.svc_order,
    npm_config_cache: resolve('node_modules/.cache/npm'),
    npm_config_prefer_offline: 'true',
    PIP_RETRIES: '0',
  }
  missing = await reasonFrom(() => commands('npm install'), 'OpenAPI Generator')
  missing ??= await reasonFrom(() => run('java', ['-version']), 'Java')
  await commands('curl -o purser.json')
})
after(async () => {
  rmSync(cwd, { recursive: true, force: true })
  await service?.close()
})

/** How a program, a registry or a package that is not reachable shows. */
const UNAVAILABLE =
  /ENOENT|E(NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT)|no such host|ensurepip|No matching distribution/

/** Why something outside of the project is not there; undefined if it is. */
async function reasonFrom(use: () => Promise<unknown>, name: string): Promise<string | undefined> {
  try {
    await use()
  } catch (error) {
    const { message } = error as Error
    if (!UNAVAILABLE.test(message)) throw error
    return `${name} could not be installed: ${message.split('\n')[1] ?? message}`
  }
}

/** Runs the commands of the page whose first line begins with these words. */
async function commands(start: string) {
  const found = blocks.find(({ tag, code }) => tag === 'sh' && code.startsWith(start))
  assert.ok(found, start)
  return await run('bash', ['-ec', found.code], { cwd, env, timeout: 300_000 })
}

/** Writes a file of the page. */
function write(label: string, folder = cwd): void {
  const found = blocks.find((block) => block.label === label)
  assert.ok(found, label)
  writeFileSync(join(folder, label), `${found.code}\n`)
}

const printed = () => `active\n${bought.license_key}\nunknown_key\n`

test('a client in Python validates a key, looks up an order and handles unknown_key', async (t) => {
  if (missing) return t.skip(missing)
  await commands('npx openapi-generator generate -i purser.json -g python')
  const none = await reasonFrom(() => commands('python3 -m venv'), 'Python and its packages')
  if (none) return t.skip(none)
  write('validate.py')
  const { stdout } = await commands('.venv/bin/python validate.py')
  assert.equal(stdout, printed())
})

test('a client in Go validates a key, looks up an order and handles unknown_key', async (t) => {
  const none = missing ?? (await reasonFrom(() => run('go', ['version']), 'Go'))
  if (none) return t.skip(none)
  await commands('npx openapi-generator generate -i purser.json -g go-experimental')
  write('main.go')
  const tidied = await reasonFrom(
    () => run('go', ['mod', 'tidy'], { cwd, env }),
    'golang.org/x/oauth2',
  )
  if (tidied === undefined) {
    const { stdout } = await commands('go mod tidy')
    assert.equal(stdout, printed())
    return
  }
  // Without the module proxy, the package that the client imports may come from Debian.
  if (!existsSync(join(DEBIAN, 'src/golang.org/x/oauth2'))) return t.skip(tidied)
  const path = join(cwd, 'gopath')
  mkdirSync(join(path, 'src'), { recursive: true })
  symlinkSync(cwd, join(path, 'src/your-app.example'))
  const settings = { ...env, GO111MODULE: 'off', GOPATH: `${path}:${DEBIAN}`, GOFLAGS: '' }
  const args = ['run', 'main.go', bought.license_key, bought.svc_order]
  const folder = join(path, 'src/your-app.example')
  const { stdout } = await run('go', args, { cwd: folder, env: { ...settings, PWD: folder } })
  assert.equal(stdout, printed())
})
