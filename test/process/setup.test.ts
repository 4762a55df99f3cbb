import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ConfigError, readConfig } from '#platform/config'
import { environment } from '#platform/env-file'
import { systemRandom } from '#platform/random'
import { startedOnTerminal } from '../support/running-command.ts'
import { canMount, mountDisk } from '../support/small-disk.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'purser-setup-'))
const ENV_FILE = join(folder, '.env')
after(() => rmSync(folder, { recursive: true, force: true }))

function setUp(...flags: string[]) {
  return setUpIn(ENV_FILE, ...flags)
}

function setUpIn(file: string, ...flags: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './scripts/register-tsx.mjs', 'scripts/setup.ts', ...flags],
    { cwd: root, env: { ...process.env, ENV_FILE: file }, encoding: 'utf8', input: '' },
  )
  return { status, output: stdout + stderr }
}

const FLAGS = [
  `--operator-name=Harbor & O'Brien "Software", Inc.`,
  '--operator-address=1 Main Street #4; Wilmington, DE 19801',
  '--operator-tax-id=12-3456789',
  '--support-email=help@harbor.example',
  '--statement-descriptor=HARBOR SOFTWARE',
  '--governing-law=Delaware',
]

// F26
test('setup reports every missing or wrong answer and saves nothing', () => {
  const { status, output } = setUp('--operator-name=Harbor', '--statement-descriptor=ABC')
  assert.equal(status, 1)
  assert.match(output, /--operator-address: must be set/)
  assert.match(output, /--statement-descriptor: must have 5 to 22/)
  assert.throws(() => statSync(ENV_FILE), /ENOENT/)
})

test('setup writes the file that a start reads, and keeps its other lines', () => {
  writeFileSync(ENV_FILE, '# ours\nPORT=4100\nSUPPORT_EMAIL=old@harbor.example\n')
  assert.deepEqual(setUp(...FLAGS).status, 0)
  const text = readFileSync(ENV_FILE, 'utf8')
  assert.match(text, /^# ours\nPORT=4100\nSUPPORT_EMAIL='help@harbor.example'\n/)
  const config = readConfig(environment({ ENV_FILE, DATA_DIR: folder }), systemRandom)
  assert.equal(config.port, 4100)
  assert.equal(config.operator.legal_name, `Harbor & O'Brien "Software", Inc.`)
  assert.deepEqual(config.operator.address, ['1 Main Street #4', 'Wilmington, DE 19801'])
  assert.equal(setUp('--governing-law=Oregon').status, 0, 'one answer can be changed alone')
  assert.match(readFileSync(ENV_FILE, 'utf8'), /GOVERNING_LAW='Oregon'/)
})

test('setup names a file that it cannot read or write', () => {
  const read = setUpIn(folder, ...FLAGS)
  assert.equal(read.status, 1)
  assert.match(read.output, /^ENV_FILE: \S+ cannot be read: EISDIR[^\n]*\n$/)
  const written = setUpIn(join(folder, 'absent', '.env'), ...FLAGS)
  assert.equal(written.status, 1)
  assert.match(written.output, /^ENV_FILE: \S+ cannot be written: ENOENT[^\n]*\n$/)
})

test('setup keeps the mode and the owner of the file, and a symbolic link to it', () => {
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  const target = join(shared, 'purser.env')
  writeFileSync(target, 'PORT=4100\n')
  chmodSync(target, 0o660)
  if (process.geteuid?.() === 0) chownSync(target, 65_534, 65_534)
  const facts = ({ mode, uid, gid } = statSync(target)) => ({ mode, uid, gid })
  const before = facts()
  const link = join(folder, 'link.env')
  symlinkSync('shared/purser.env', link)
  assert.equal(setUpIn(link, ...FLAGS).status, 0)
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.match(readFileSync(target, 'utf8'), /^PORT=4100\nOPERATOR_NAME=/)
  assert.deepEqual(facts(), before)
  assert.deepEqual(readdirSync(shared), ['purser.env'])
  rmSync(target)
  assert.equal(setUpIn(link, ...FLAGS).status, 0, 'its target does not exist')
  assert.equal(statSync(target).mode & 0o777, 0o600)
})

test('setup loses no line of the file on a full disk', {
  skip: !canMount() && 'only root may mount a small file system',
}, () => {
  const { folder: disk, unmount } = mountDisk(1)
  try {
    const file = join(disk, '.env')
    const before = `SECRET_KEY=${'ab'.repeat(32)}\n# ${'-'.repeat(4000)}\n`
    writeFileSync(file, before)
    const fill = () => writeFileSync(join(disk, 'other'), Buffer.alloc(2 ** 20))
    assert.throws(fill, /ENOSPC/)
    const { status, output } = setUpIn(file, ...FLAGS)
    assert.equal(status, 1)
    assert.match(output, /^ENV_FILE: \S+ cannot be written: ENOSPC[^\n]*\n$/)
    assert.equal(readFileSync(file, 'utf8'), before)
    assert.deepEqual(readdirSync(disk).toSorted(), ['.env', 'other'])
  } finally {
    unmount()
  }
})

test('setup saves nothing if it is left with Ctrl-C or Ctrl-D', async () => {
  const file = join(folder, 'left.env')
  const program = [process.execPath, '--import', './scripts/register-tsx.mjs', 'scripts/setup.ts']
  const env = { PATH: process.env.PATH ?? '', ENV_FILE: file }
  for (const key of ['\x03', '\x04']) {
    const asked = startedOnTerminal(program, { cwd: root, env })
    await asked.seen(/Legal name .*: /)
    asked.type('Harbor\r')
    await asked.seen(/Postal address.*: /)
    asked.type(key)
    const { code, stdout } = await asked.end
    assert.equal(code, 130, stdout)
    assert.match(stdout, /Nothing was saved\.\s*$/)
    assert.doesNotMatch(stdout, /Error/)
    assert.throws(() => statSync(file), /ENOENT/)
  }
})

test('the environment takes precedence over the file, and a named file must exist', () => {
  assert.equal(environment({ ENV_FILE, PORT: '4200' }).PORT, '4200')
  assert.equal(environment({ ENV_FILE, PORT: '' }).PORT, '4100')
  const absent = join(folder, 'absent.env')
  assert.throws(() => environment({ ENV_FILE: absent }), ConfigError)
})
