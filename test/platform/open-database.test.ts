import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '#platform/config'
import { makeDataFolder } from '#platform/data-folder'
import { lockFile } from '#platform/lock'
import { openLog } from '#platform/log'
import {
  DatabaseNotOpened,
  databaseFolder,
  OfAnotherUser,
  openDatabase,
  serverName,
} from '#platform/open-database'
import { prepareDataFolder, SERVER_URL } from '../support/database.ts'
import { canMount, mountDisk } from '../support/small-disk.ts'

const OTHER_USER = 65_534
const NOT_ROOT = process.geteuid?.() !== 0 && 'only root can open files of another user'

test('root is refused where the embedded database belongs to another user, and leaves no file', {
  skip: NOT_ROOT,
}, async () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-owner-'))
  const settings = { data_dir, database_url: undefined, live_url: undefined }
  const open = () => openDatabase(settings, openLog('silent'))
  const files = () => readdirSync(databaseFolder(settings), { recursive: true }).toSorted()
  try {
    await prepareDataFolder(data_dir)
    chownSync(databaseFolder(settings), OTHER_USER, OTHER_USER)
    const before = files()
    await assert.rejects(open, (error: Error) => {
      assert.ok(error instanceof OfAnotherUser)
      assert.match(error.message, /belongs to the user 65534, .* \(sudo -u '#65534'\)\.$/)
      return true
    })
    assert.deepEqual(files(), before)
    // The folder is not locked either.
    chownSync(databaseFolder(settings), 0, 0)
    await (await open()).close()
  } finally {
    rmSync(data_dir, { recursive: true })
  }
})

test('only its owner can open a new data folder and its database', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'purser-new-'))
  const data_dir = join(parent, 'data')
  try {
    assert.equal(makeDataFolder(data_dir), undefined)
    await prepareDataFolder(data_dir)
    for (const folder of [data_dir, databaseFolder({ data_dir })]) {
      assert.equal(statSync(folder).mode & 0o777, 0o700, folder)
    }
  } finally {
    rmSync(parent, { recursive: true })
  }
})

test('no database is created on a disk that it would fill', {
  skip: !canMount() && 'only root may mount a small file system',
}, async () => {
  const { folder: data_dir, unmount } = mountDisk(60)
  const settings = { data_dir, database_url: undefined, live_url: undefined }
  try {
    await assert.rejects(openDatabase(settings, openLog('silent')), (error: Error) => {
      assert.ok(error instanceof DatabaseNotOpened)
      assert.match(
        error.message,
        /^DATA_DIR: a new database needs 100 MiB, and .* has \d\d left\. /,
      )
      return true
    })
    assert.ok(!existsSync(databaseFolder(settings)))
  } finally {
    unmount()
  }
})

test('a data folder that cannot be locked is named, with what to do', async () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-lock-'))
  const settings = { data_dir, database_url: undefined, live_url: undefined }
  try {
    mkdirSync(lockFile(data_dir))
    await assert.rejects(openDatabase(settings, openLog('silent')), (error: Error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /^DATA_DIR: \S+ cannot be locked \(.+\)\. Free some space if/)
      return true
    })
  } finally {
    rmSync(data_dir, { recursive: true })
  }
})

test('a server is named by its host and port, or by the folder of its socket', () => {
  assert.equal(serverName('postgres://purser:pw@db.example/purser'), 'db.example:5432')
  assert.equal(serverName('postgres://purser@[::1]:5433/purser'), '[::1]:5433')
  const socket = 'postgres://purser@localhost/purser?host=/var/run/postgresql'
  assert.equal(serverName(socket), '/var/run/postgresql')
})

test('a database that its server does not have is to be created', {
  skip: SERVER_URL === undefined && 'it needs a server',
}, async () => {
  const url = new URL(SERVER_URL!)
  url.pathname = '/purser_missing'
  const settings = { data_dir: '/nowhere', database_url: url.href, live_url: undefined }
  await assert.rejects(
    openDatabase(settings, openLog('silent')),
    /^Error: DATABASE_URL: the database purser_missing on .* Create it, or correct the URL\.$/,
  )
})
