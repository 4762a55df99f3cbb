import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { NEW_DATABASE, openEmbedded } from '#platform/db-embedded'
import { sql } from '#platform/sql'
import { createCluster } from '../../scripts/prepare-cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-new-database-'))
after(() => rmSync(folder, { recursive: true }))

/** The files of a database, without those that have its number and the time of its creation. */
function filesOf(database: string): Map<string, Buffer> {
  const entries = readdirSync(database, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(database.length + 1))
  const same = paths.filter((path) => path !== 'global/pg_control' && !path.startsWith('pg_wal/'))
  return new Map(same.sort().map((path) => [path, readFileSync(join(database, path))]))
}

test('a new database has the files that this version of the engine creates', async () => {
  const prepared = join(folder, 'prepared')
  const created = join(folder, 'created')
  mkdirSync(prepared)
  const tar = brotliDecompressSync(readFileSync(NEW_DATABASE))
  execFileSync('tar', ['-xf', '-', '-C', prepared], { input: tar })
  await createCluster(created)
  const [unpacked, expected] = [filesOf(prepared), filesOf(created)]
  assert.deepEqual([...unpacked.keys()], [...expected.keys()])
  const differing = [...expected].filter(([path, content]) => !unpacked.get(path)!.equals(content))
  const advice = 'run scripts/prepare-cluster.ts for this version of the engine'
  assert.deepEqual(
    differing.map(([path]) => path),
    [],
    advice,
  )
})

test('a first start that was interrupted while it unpacked begins again', async () => {
  const dataDir = join(folder, 'interrupted')
  mkdirSync(join(dataDir, 'global'), { recursive: true })
  writeFileSync(join(dataDir, 'global/pg_control'), 'half of it')
  const db = await openEmbedded({ dataDir })
  assert.deepEqual(await db.rows(sql`select 1 as one`), [{ one: 1 }])
  await db.close()
})
