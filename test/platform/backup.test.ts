import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readBackup, writeBackup } from '#platform/backup'
import { openEmbedded } from '#platform/db-embedded'

test('two backups to one file at once write one, and refuse the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-backup-'))
  const file = join(folder, 'purser.backup')
  const db = await openEmbedded({})
  try {
    const written = await Promise.allSettled([writeBackup(db, file), writeBackup(db, file)])
    const refused = written.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['EEXIST'],
    )
    assert.deepEqual(readdirSync(folder), ['purser.backup'])
    assert.ok((await readBackup(file)).size > 0)
  } finally {
    await db.close()
    rmSync(folder, { recursive: true })
  }
})
