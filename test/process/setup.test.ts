import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ConfigError, readConfig } from '#platform/config'
import { environment } from '#platform/env-file'
import { systemRandom } from '#platform/random'
import { startedOnTerminal } from '../support/running-command.ts'

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
