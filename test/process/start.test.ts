import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import type { World } from '#flows/world'
import { openLog } from '#platform/log'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { startDemo } from '../../src/demo/start.ts'
import { FULL_ONLY } from '../support/budget.ts'
import { prepareDataFolder } from '../support/database.ts'
import { endProcesses, readDemo, startCommand, startProcess } from '../support/process.ts'
import { openTestService } from '../support/service.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://purser.example',
  SMTP_URL: 'smtp://127.0.0.1:2525',
  TRUST_PROXY: 'none',
  OPERATOR_NAME: 'Harbor Software, Inc.',
  OPERATOR_ADDRESS: '1 Main Street; Wilmington, DE 19801',
  OPERATOR_TAX_ID: '12-3456789',
  SUPPORT_EMAIL: 'help@example.com',
  STATEMENT_DESCRIPTOR: 'HARBOR',
  GOVERNING_LAW: 'Delaware',
}

const folders: string[] = []
after(() => {
  endProcesses()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'purser-start-'))
  folders.push(made)
  return made
}

test('a second start on the same data folder is refused with a clear message, and the first continues', async () => {
  const data_dir = folder()
  await prepareDataFolder(data_dir)
  const first = await startProcess('src/main.ts', { DATA_DIR: data_dir, DEMO: '0' })
  const second = await startProcess('src/main.ts', { DATA_DIR: data_dir, DEMO: '0' })
  assert.equal(await second.exit, 1)
  assert.match(second.output(), /Another Purser is running on the data folder .*DATA_DIR/)
  const health = await fetch(`${first.base_url}/readyz`)
  assert.deepEqual([health.status, await health.json()], [200, { status: 'ready' }])
  first.process.kill('SIGTERM')
  assert.equal(await first.exit, 0)
})

test('the demo writes what programs need, and a restart keeps it', async () => {
  const data_dir = folder()
  const settings = { DATA_DIR: data_dir, PORT: String(await freePort()) }
  const first = await startProcess('src/main.ts', settings)
  const demo = readDemo(data_dir)
  assert.equal(demo.base_url, first.base_url)
  for (const role of [demo.seller, demo.buyer]) {
    assert.deepEqual(Object.keys(role), ['email', 'password'])
  }
  // S10: staff signs in with a second factor, so the demo file lists what its codes are made from.
  assert.deepEqual(Object.keys(demo.operator), ['email', 'password', 'totp_secret'])
  assert.match(demo.operator.totp_secret, /^[A-Z2-7]{32}$/)
  assert.deepEqual(Object.keys(demo.app), ['slug', 'client_id', 'client_secret', 'url', 'prices'])
  assert.deepEqual(
    demo.app.prices.map(({ frequency, amount }) => [frequency, amount]),
    [
      ['month', '12.00'],
      ['year', '96.00'],
      [null, '180.00'],
    ],
  )
  assert.match(first.output(), new RegExp(demo.sample_site_url))
  const site = await fetch(demo.sample_site_url)
  assert.match(await site.text(), /\$12\.00/)
  const { sign_in_app, sign_in_site_url } = demo
  assert.deepEqual(Object.keys(sign_in_app), Object.keys(demo.app))
  assert.match(first.output(), new RegExp(sign_in_site_url))
  assert.match(await (await fetch(sign_in_site_url)).text(), /Buy Pro monthly/)
  const login = await fetch(`${sign_in_site_url}/login`, { redirect: 'manual' })
  const address = new URL(login.headers.get('location') ?? '')
  assert.equal(address.origin + address.pathname, `${first.base_url}/o/auth`)
  assert.equal(address.searchParams.get('client_id'), sign_in_app.client_id)
  first.process.kill('SIGTERM')
  assert.equal(await first.exit, 0)

  const second = await startProcess('src/main.ts', settings)
  assert.deepEqual(readDemo(data_dir), demo)
  second.process.kill('SIGTERM')
  assert.equal(await second.exit, 0)
})

test('SIGTERM sent to npm start shuts the service down before npm ends', FULL_ONLY, async () => {
  const data_dir = folder()
  await prepareDataFolder(data_dir)
  // Without `prestart`, which builds: other tests read what is built.
  const npm = await startCommand('npm', ['start', '--ignore-scripts'], {
    npm_config_update_notifier: 'false',
    DATA_DIR: data_dir,
    DEMO: '0',
  })
  npm.process.kill('SIGTERM')
  assert.equal(await npm.exit, 0)
  const next = createServer().listen(Number(new URL(npm.base_url).port), '127.0.0.1')
  await once(next, 'listening')
  next.close()
})

test('a port in use is named', FULL_ONLY, async (t) => {
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  t.after(() => other.close())
  const data_dir = folder()
  await prepareDataFolder(data_dir)
  const refused = await startProcess('src/main.ts', {
    DATA_DIR: data_dir,
    PORT: String(port),
    DEMO: '0',
  })
  assert.equal(await refused.exit, 1)
  assert.match(refused.output(), new RegExp(`Port ${port} is taken`))
  const demo = await startProcess('src/main.ts', { DATA_DIR: data_dir, PORT: String(port - 1) })
  assert.equal(await demo.exit, 1)
  assert.match(demo.output(), new RegExp(`Port ${port} is taken.* the two ports after PORT`))
})

test('a wrong setting prevents the start and is named', async () => {
  const refused = await startProcess('src/main.ts', { DATA_DIR: folder(), PORT: 'http' })
  assert.equal(await refused.exit, 1)
  assert.match(refused.output(), /PORT: must be a port number/)
  assert.doesNotMatch(refused.output(), /\bat .*\.ts:\d+/, 'no stack is shown for it')
})

// Guards R15: a database that is down printed a stack, and a damaged folder "failed to initialize".
test('a database, a folder or an address that cannot be used is one sentence that names the setting', async () => {
  const data_dir = folder()
  const damaged = folder()
  await prepareDataFolder(damaged)
  rmSync(join(damaged, 'database', 'global'), { recursive: true })
  const file = join(data_dir, 'file')
  writeFileSync(file, '')
  const port = await freePort()
  const cases: [settings: Record<string, string>, sentence: RegExp][] = [
    [
      { DATABASE_URL: `postgres://purser:hidden@127.0.0.1:${port}/shop` },
      new RegExp(`^DATABASE_URL: the database shop on 127.0.0.1:${port} cannot be opened`, 'm'),
    ],
    [{ DATA_DIR: damaged }, /^DATA_DIR: the database in \S+ cannot be opened .*docs\/operate/m],
    [{ DATA_DIR: file }, /^DATA_DIR: \S+file cannot be written/m],
    [{ HOST: '192.0.2.1' }, /^HOST, PORT: cannot be listened on: .*192\.0\.2\.1/m],
  ]
  for (const [settings, sentence] of cases) {
    const refused = await startProcess('src/main.ts', {
      DATA_DIR: data_dir,
      DEMO: '0',
      ...settings,
    })
    assert.equal(await refused.exit, 1)
    assert.match(refused.output(), sentence)
    assert.doesNotMatch(refused.output(), /hidden|\n {4}at /, 'neither a password nor a stack')
  }
})

// Guards R15: production started on the embedded engine without a word.
test('production on the embedded database warns that sales may be lost', async () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) })
  const service = await openTestService({ log, settings: PRODUCTION })
  await service.close()
  assert.match(lines.join(''), /"level":"warn".*no DATABASE_URL: .*a power failure loses sales/)
})

test('in production each line on standard output is a line of the log', async () => {
  const settings = {
    ...PRODUCTION,
    DATA_DIR: folder(),
    SECRET_KEY: randomBytes(32).toString('hex'),
    PORT: String(await freePort()),
  }
  const child = spawn(process.execPath, ['--import', './scripts/register-tsx.mjs', 'src/main.ts'], {
    env: { PATH: process.env.PATH, ENV_FILE: devNull, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const messages: string[] = []
  for await (const line of createInterface(child.stdout)) {
    const { level, msg } = JSON.parse(line)
    messages.push(`${level}: ${msg}`)
    if (msg.startsWith('Purser is ready')) child.kill('SIGTERM')
  }
  assert.ok(messages.includes('info: Purser is ready at https://purser.example'), messages.join())
})

test('a demo without a data folder is refused in one sentence', async () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  const world = { config: { data_dir: file, port: 4000 } } as unknown as World
  await assert.rejects(startDemo(world), /^Error: DATA_DIR: \S+file cannot be written/)
})

// The kernel ignores a signal to the first process of a container that has no listener for it.
test('SIGTERM during the start ends the service at once', FULL_ONLY, async () => {
  const child = spawn(process.execPath, ['--import', './scripts/register-tsx.mjs', 'src/main.ts'], {
    env: { DATA_DIR: folder(), DEMO: '0', ENV_FILE: devNull, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('brought up to date')) child.kill('SIGTERM')
  }
  assert.deepEqual(await exit, [0, null])
})
