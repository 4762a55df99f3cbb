import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLog } from '#platform/log'
import { databaseFolder, OfAnotherUser, openDatabase } from '#platform/open-database'
import { prepareDataFolder } from '../support/database.ts'

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
