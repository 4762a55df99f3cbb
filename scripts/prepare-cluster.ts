/**
 * Creates `src/platform/new-database.tar.br`: the files of a new embedded database, which a first
 * start unpacks instead of creating them. It is in the repository: run this again when the version
 * of the engine changes.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { NEW_DATABASE } from '#platform/db-embedded'

/** In megabytes. By default it is 16, and a new database has little more than its first segment. */
const WAL_SEGMENT_SIZE = 1
/** The engine looks for this file to learn whether a folder has a database. */
const MARK = 'PG_VERSION'

/** Creates a new database in a folder, as the engine does, with one segment of its log. */
export async function createCluster(folder: string): Promise<void> {
  const initDbStartParams = [`--wal-segsize=${WAL_SEGMENT_SIZE}`]
  const engine = await PGlite.create({ dataDir: folder, initDbStartParams })
  await engine.exec('select pg_switch_wal()')
  await engine.exec('checkpoint')
  const { rows } = await engine.query<{ segment: string }>(
    'select pg_walfile_name(pg_current_wal_insert_lsn()) as segment',
  )
  await engine.close()
  // The other segments have only what is in the tables, or nothing yet.
  const log = join(folder, 'pg_wal')
  const unused = readdirSync(log).filter((name) => /^[0-9A-F]{24}$/.test(name))
  for (const name of unused) if (name !== rows[0]!.segment) rmSync(join(log, name))
}

/** The folder as an archive; the mark comes last, so that an interrupted start begins again. */
function archive(folder: string): Buffer {
  const names = readdirSync(folder).filter((name) => name !== MARK)
  const options = ['--format=ustar', '--sort=name', '--mtime=@0', '--numeric-owner', '--owner=0']
  const args = [...options, '--group=0', '-cf', '-', '-C', folder, ...names.sort(), MARK]
  return execFileSync('tar', args, { maxBuffer: 2 ** 30 })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = mkdtempSync(join(tmpdir(), 'purser-cluster-'))
  try {
    await createCluster(work)
    const tar = archive(work)
    // The window spans the databases that every cluster has, which are copies of each other.
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
    }
    writeFileSync(NEW_DATABASE, brotliCompressSync(tar, { params }))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
