import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { databaseFolder } from '#platform/open-database'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { Agent, textOf } from '../support/agent.ts'
import { FULL_ONLY } from '../support/budget.ts'
import { createServerDatabase, prepareDataFolder, SERVER_URL } from '../support/database.ts'
import { endProcesses, overHttp, startProcess } from '../support/process.ts'

const PASSWORD = 'a walk along the shore'

const cleanups: (() => unknown)[] = []
after(async () => {
  endProcesses()
  for (const clean of cleanups) await clean()
})

/** The settings of a service without the demo, on a database of its own. */
async function settingsOn(engine: 'embedded' | 'postgres'): Promise<Record<string, string>> {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-staff-'))
  cleanups.push(() => rmSync(data_dir, { recursive: true, force: true }))
  const settings = { DATA_DIR: data_dir, DEMO: '0', PORT: String(await freePort()) }
  if (engine === 'embedded') {
    await prepareDataFolder(data_dir)
    return settings
  }
  const { url, drop } = await createServerDatabase(SERVER_URL!)
  cleanups.push(drop)
  return { ...settings, DATABASE_URL: url.href }
}

/** Runs the command as npm does, and returns what it printed. */
async function staffAdd(settings: Record<string, string>, ...args: string[]) {
  const program = ['--import', './scripts/register-tsx.mjs', 'scripts/staff-add.ts', ...args]
  const env = { PATH: process.env.PATH, ENV_FILE: devNull, ...settings }
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { out, err, code }
}

/** The URL that the command printed, which is all that it printed. */
async function linkFrom(settings: Record<string, string>, email: string): Promise<string> {
  const { out, err, code } = await staffAdd(settings, email)
  assert.equal(code, 0, err)
  assert.match(out, /^http:\/\/localhost:\d+\/link\/staff\/[\w-]+\n$/)
  assert.match(err, /works once, within 24 hours/)
  return out.trim()
}

/** Opens a link in a browser and sets a password: the next step is the second factor. */
async function joinStaff(base_url: string, link: string): Promise<void> {
  const agent = new Agent(overHttp(base_url), base_url)
  await agent.open(link)
  await agent.submit('Join the staff', { password: PASSWORD })
  assert.match(agent.text, /Set up a second factor/)
  assert.equal((await agent.open(link)).status, 404)
}

// Guards F50
for (const engine of ['embedded', 'postgres'] as const) {
  const { skip } = engine === 'embedded' ? {} : SERVER_URL ? FULL_ONLY : { skip: true }
  test(`the command prints one link on ${engine}, while the service runs and while it is stopped`, {
    skip,
  }, async () => {
    const settings = await settingsOn(engine)
    const early = await linkFrom(settings, 'ada@example.com')
    const service = await startProcess('src/main.ts', settings)
    const home = await (await fetch(service.base_url)).text()
    assert.match(textOf(home), /No staff yet/)
    await joinStaff(service.base_url, early)
    const later = await linkFrom(settings, 'bo@example.com')
    await joinStaff(service.base_url, later)
    assert.doesNotMatch(textOf(await (await fetch(service.base_url)).text()), /No staff yet/)
    service.process.kill('SIGTERM')
    assert.equal(await service.exit, 0)
  })
}

test(
  'only the owner of the data folder can open the socket, also after a kill',
  FULL_ONLY,
  async () => {
    const settings = await settingsOn('embedded')
    const folder = join(settings.DATA_DIR!, 'control')
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const service = await startProcess('src/main.ts', settings)
      assert.equal(statSync(folder).mode & 0o777, 0o700)
      assert.equal(statSync(join(folder, 'socket')).mode & 0o777, 0o600)
      await linkFrom(settings, 'ada@example.com')
      service.process.kill(signal)
      await service.exit
    }
    await linkFrom(settings, 'ada@example.com')
  },
)

test('keeps running after a malformed command request', FULL_ONLY, async () => {
  const settings = await settingsOn('embedded')
  const service = await startProcess('src/main.ts', settings)
  const path = join(settings.DATA_DIR!, 'control', 'socket')
  for (const sent of ['', '{', '[]', `"${'x'.repeat(10_000)}"`, '{"command":"stop"}']) {
    const socket = connect({ path })
    socket.on('error', () => {})
    socket.end(sent)
    const answer = await text(socket).catch(() => '')
    assert.doesNotMatch(answer, /link/)
  }
  await linkFrom(settings, 'ada@example.com')
  service.process.kill('SIGTERM')
  assert.equal(await service.exit, 0)
})

test('wrong arguments print how it is used, and grant nothing', async () => {
  const settings = await settingsOn('embedded')
  const wrong: [args: string[], env?: Record<string, string>][] = [
    [[]],
    [['ada@example.com', 'finance']],
    [['ada@example.com', '--role', 'owner']],
    [['ada@example.com', '--rank', 'admin']],
    // npm took a flag that was not behind `--`.
    [['ada@example.com'], { npm_config_role: 'support' }],
  ]
  for (const [args, env] of wrong) {
    const { out, err, code } = await staffAdd({ ...settings, ...env }, ...args)
    assert.deepEqual([out, code], ['', 2], args.join(' '))
    assert.match(
      err,
      /^Usage: npm run staff:add you@example\.com \[-- --role support\|finance\|admin\]/,
    )
  }
})

test('a PostgreSQL database that no service has used is refused, and left empty', {
  skip: !SERVER_URL,
}, async () => {
  const { url, drop } = await createServerDatabase(SERVER_URL!, 'template0')
  cleanups.push(drop)
  const settings = { ...(await settingsOn('embedded')), DATABASE_URL: url.href }
  for (let time = 0; time < 2; time++) {
    const { out, err, code } = await staffAdd(settings, 'ada@example.com')
    assert.deepEqual([out, code], ['', 1])
    assert.equal(
      err,
      'DATABASE_URL: this database has no tables of Purser. Correct the setting, or start the ' +
        'service, which creates them.\n',
    )
  }
})

test('an empty database is not migrated where a start may not', async () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-staff-'))
  cleanups.push(() => rmSync(data_dir, { recursive: true, force: true }))
  mkdirSync(databaseFolder({ data_dir }))
  const settings = { DATA_DIR: data_dir, DEMO: '0', MIGRATE_ON_START: '0' }
  const { out, err, code } = await staffAdd(settings, 'ada@example.com')
  assert.deepEqual([out, code], ['', 1])
  assert.match(err, /^The database lacks \d+ migrations .*Run `npm run migrate` first\.\n$/)
})
