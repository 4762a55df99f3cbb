import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TSX = ['--import', './scripts/register-tsx.mjs']

/** A release in a folder of its own, ready to start. */
export interface Release {
  folder: string
  /** Its commit; undefined for the current one with what is not committed. */
  commit: string | undefined
  remove(): void
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/**
 * The commit of the previous release: the oldest one whose migrations are the current ones. Older
 * ones have other texts under the same names, because the files are edited in place until the first
 * release is out.
 */
function previousCommit(): string | undefined {
  const commit = git('log', '-1', '--format=%H', '--', 'migrations').trim()
  return git('status', '--porcelain', '--', 'migrations') === '' ? commit : undefined
}

/** Why two releases cannot be had here; undefined if they can. */
export function lacksReleases(): string | undefined {
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return 'a shallow clone'
    return previousCommit() ? undefined : 'migrations that are not committed'
  } catch {
    return 'no history (it is not a clone of the repository)'
  }
}

/** The previous release. */
export function previousRelease(): Release {
  const commit = previousCommit()!
  const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 })
  return assemble(files, commit)
}

/** A release that adds migrations. */
export interface NextRelease extends Release {
  migrations: string[]
}

/** What the next release migrates: columns, a table, and an index. */
const PLANTED = {
  '900_planted.sql': `-- Oldest release: VERSION
alter table licenses add column planted text;
create table planted (id text primary key, license_id text references licenses);
`,
  '901_planted_index.sql': `-- Oldest release: VERSION
create index concurrently licenses_planted on licenses (planted);
`,
  // A migration that locks two tables may deadlock with a request that reads both.
  '902_planted_invoices.sql': `-- Oldest release: VERSION
alter table invoices add column planted boolean not null default false;
`,
}

/** The current release, as the next version, with migrations that only add. */
export function nextRelease(): NextRelease {
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard', '-z')
  const tar = ['-c', '--null', '--ignore-failed-read', '-T', '-']
  const files = spawnSync('tar', tar, { cwd: root, input: listed, maxBuffer: 2 ** 30 })
  const release = assemble(files.stdout, undefined)
  const package_file = join(release.folder, 'package.json')
  const facts = JSON.parse(readFileSync(package_file, 'utf8'))
  for (const [name, text] of Object.entries(PLANTED)) {
    const file = join(release.folder, 'migrations', name)
    writeFileSync(file, text.replace('VERSION', facts.version))
  }
  const [major, minor] = facts.version.split('.').map(Number)
  writeFileSync(package_file, JSON.stringify({ ...facts, version: `${major}.${minor + 1}.0` }))
  return { ...release, migrations: Object.keys(PLANTED) }
}

function assemble(files: Buffer, commit: string | undefined): Release {
  const folder = mkdtempSync(join(tmpdir(), 'purser-release-'))
  execFileSync('tar', ['-x', '-C', folder], { input: files })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, [...TSX, 'scripts/build-assets.ts'], { cwd: folder })
  return { folder, commit, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Migrates a database as an operator does; asserts that it applied these migrations. */
export async function migrateTo(
  { folder, migrations }: NextRelease,
  settings: Record<string, string>,
): Promise<void> {
  const command = [...TSX, 'scripts/migrate.ts']
  const env = { PATH: process.env.PATH, ENV_FILE: devNull, ...settings }
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env })
  const applied = [...stdout.matchAll(/^(\S+): applied/gm)].map(([, name]) => name)
  assert.deepEqual(applied, migrations)
}
