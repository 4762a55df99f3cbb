import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { writeBackup } from '#platform/backup'
import { openEmbedded } from '#platform/db-embedded'
import { restoredAt } from '#platform/installation'
import { sql } from '#platform/sql'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { Agent } from '../support/agent.ts'
import { runCommand } from '../support/command.ts'
import { prepareDataFolder } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { endProcesses, overHttp, readDemo, startProcess } from '../support/process.ts'
import { enterCard } from '../support/purchase.ts'
import { canMount, mountDisk } from '../support/small-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-backup-'))
const SECRET_KEY = randomBytes(32).toString('hex')
const file = join(folder, 'purser.backup')
let original: Record<string, string>
before(async () => {
  original = { DATA_DIR: join(folder, 'one'), SECRET_KEY, PORT: String(await freePort()) }
  mkdirSync(original.DATA_DIR!)
  await prepareDataFolder(original.DATA_DIR!)
})
after(() => {
  endProcesses()
  rmSync(folder, { recursive: true, force: true })
})
const into = (name: string) => ({ ...original, DATA_DIR: join(folder, name) })

async function emailsOfBuyers(data_dir: string) {
  const db = await openEmbedded({ dataDir: join(data_dir, 'database') })
  try {
    const rows = await db.rows<{ email: string }>(sql`select email from users
      where email like 'buyer-%' order by email`)
    return { emails: rows.map(({ email }) => email), restored: await restoredAt(db) }
  } finally {
    await db.close()
  }
}

test('a backup of a running service has all sales until then, and restores into an empty folder', async () => {
  const running = await startProcess('src/main.ts', { ...original, DEMO: '1' })
  const demo = readDemo(original.DATA_DIR!)
  const buy = async (email: string) => {
    const agent = new Agent(overHttp(running.base_url), running.base_url)
    await agent.open(`/buy/${demo.app.prices[0]!.public_id}/`)
    await agent.submit('Continue', { email, country: 'US', zip: '97365' })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    assert.match(agent.text, /is yours/)
  }
  await buy('buyer-before@example.com')
  const made = await runCommand('backup', original, file)
  assert.equal(made.status, 0, made.error)
  assert.match(made.out, /purser\.backup: \d+\.\d MB\. Keep SECRET_KEY too/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  await buy('buyer-after@example.com')
  running.process.kill('SIGTERM')
  assert.equal(await running.exit, 0)

  const settings = into('two')
  const done = await runCommand('restore', settings, file)
  assert.equal(done.status, 0, done.error)
  assert.match(done.out, /marked as restored.*nothing renews/)
  const { emails, restored } = await emailsOfBuyers(settings.DATA_DIR)
  assert.deepEqual(emails, ['buyer-before@example.com'])
  assert.ok(restored)
  const again = await startProcess('src/main.ts', { ...settings, DEMO: '0' })
  await eventually('the restored service to be ready', async () => {
    return (await fetch(`${again.base_url}/readyz`)).status === 200
  })
  again.process.kill('SIGTERM')
  assert.equal(await again.exit, 0)
})

test('a stopped service is backed up too, and a file or a database that exists is never replaced', async () => {
  const other = join(folder, 'stopped.backup')
  assert.equal((await runCommand('backup', original, other)).status, 0)
  const taken = await runCommand('backup', original, other)
  assert.deepEqual([taken.status, taken.error], [1, `${other} exists. Choose another name.\n`])
  const nowhere = await runCommand('backup', original, join(folder, 'none', 'a.backup'))
  assert.equal(nowhere.status, 1)
  assert.match(
    nowhere.error,
    /^The backup was not written \(ENOENT[^\n]* folder that exists[^\n]*\n$/,
  )
  const full = await runCommand('restore', original, other)
  assert.equal(full.status, 1)
  assert.match(full.error, /^DATA_DIR: \S+ exists\. Move it away/)
  assert.equal((await runCommand('restore', into('three'), other)).status, 0)
  const { emails } = await emailsOfBuyers(into('three').DATA_DIR)
  assert.deepEqual(emails, ['buyer-after@example.com', 'buyer-before@example.com'])
})

test('a damaged backup, or one of another SECRET_KEY, is refused and leaves nothing behind', async () => {
  const damaged = join(folder, 'damaged.backup')
  writeFileSync(damaged, readFileSync(file).subarray(0, 100_000))
  const broken = await runCommand('restore', into('four'), damaged)
  assert.equal(broken.status, 1)
  assert.match(broken.error, /damaged\.backup is not a backup that can be read/)
  const key = { ...into('four'), SECRET_KEY: randomBytes(32).toString('hex') }
  const wrong = await runCommand('restore', key, file)
  assert.equal(wrong.status, 1)
  assert.match(wrong.error, /^SECRET_KEY: this database was written with another key/)
  assert.ok(!existsSync(join(key.DATA_DIR, 'database')))
  const keyless = { DATA_DIR: into('five').DATA_DIR }
  const made = await runCommand('restore', keyless, file)
  assert.match(made.error, /^SECRET_KEY: this database was written with another key/)
  for (const { DATA_DIR } of [key, keyless]) assert.deepEqual(readdirSync(DATA_DIR), [])
  const unsaid = await runCommand('restore', into('four'))
  assert.deepEqual([unsaid.status, unsaid.error.slice(0, 6)], [2, 'Usage:'])
})

test('a restore on a full disk says so, and leaves nothing behind', {
  skip: !canMount() && 'only root may mount a small file system',
}, async () => {
  const { folder: disk, unmount } = mountDisk(30)
  try {
    const DATA_DIR = join(disk, 'data')
    const { status, error } = await runCommand('restore', { ...original, DATA_DIR }, file)
    assert.equal(status, 1)
    assert.match(error, /^DATA_DIR: the disk of \S+ is full\. Free some space[^\n]+\n$/)
    assert.deepEqual(readdirSync(DATA_DIR), [])
  } finally {
    unmount()
  }
})

test('root is refused in a folder of another user, who could not open what it restores', {
  skip: process.geteuid?.() !== 0 && 'only root can give a folder to another user',
}, async () => {
  const settings = into('of-another')
  mkdirSync(settings.DATA_DIR)
  chownSync(settings.DATA_DIR, 65_534, 65_534)
  const { status, error } = await runCommand('restore', settings, file)
  assert.equal(status, 1)
  assert.match(error, /belongs to the user 65534, .* \(sudo -u '#65534'\)/)
  assert.deepEqual(readdirSync(settings.DATA_DIR), [])
})

test('an archive or a database of another program is refused in one sentence, and leaves nothing behind', async () => {
  const archive = join(folder, 'archive.backup')
  writeFileSync(archive, gzipSync('no database'))
  const strange = join(folder, 'strange.backup')
  const db = await openEmbedded({})
  await writeBackup(db, strange)
  await db.close()
  const refusals: [from: string, sentence: RegExp][] = [
    [archive, /^\S+archive\.backup is not a backup that can be opened: [^\n]+\n$/],
    [strange, /^The database has no tables of the service[^\n]+\n$/],
  ]
  for (const [from, sentence] of refusals) {
    const { status, error } = await runCommand('restore', into('six'), from)
    assert.equal(status, 1)
    assert.match(error, sentence)
    assert.deepEqual(readdirSync(into('six').DATA_DIR), [])
  }
})
