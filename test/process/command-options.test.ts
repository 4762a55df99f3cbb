import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { runCommand, runProgram } from '../support/command.ts'

// No database is there, so a command that does not refuse its options fails in another way.
const NOWHERE = { DATABASE_URL: 'postgres://purser@127.0.0.1:1/none', STRIPE_SECRET_KEY: '' }
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
/** They take nothing: the service and its supervisor, the official suite, and other programs. */
const WITHOUT_OPTIONS = ['start', 'dev', 'conformance', 'check']

/** The program of each command that takes options, by its name. */
const PROGRAMS = Object.entries(scripts).flatMap(([name, line]): [string, string][] => {
  const [program] = /\b(scripts|bench|deploy|test)\/[\w/-]+\.ts/.exec(line) ?? []
  const isHook = /^(pre|post)/.test(name)
  return !program || isHook || WITHOUT_OPTIONS.includes(name) ? [] : [[name, program]]
})

describe('the options of commands', { concurrency: 2 }, () => {
  for (const [name, program] of PROGRAMS) {
    test(`npm run ${name} prints its usage when asked, and in place of other options`, async () => {
      const help = await runProgram(program, NOWHERE, '--help')
      assert.deepEqual([help.status, help.error], [0, ''])
      assert.match(help.out, /^Usage: npm (run [\w:]+|test).*\n\n[A-Z][^\n]+/)
      const mistyped = await runProgram(program, NOWHERE, '--bogus')
      assert.deepEqual([mistyped.status, mistyped.out, mistyped.error], [2, '', help.out])
    })
  }
})

test('the short option for help is the same', async () => {
  const { status, out, error } = await runCommand('migrate', NOWHERE, '-h')
  assert.deepEqual([status, error], [0, ''])
  assert.match(out, /^Usage: npm run migrate/)
})

for (const [name, command, option] of [
  ['migrate', 'migrate', 'check'],
  ['keys-rotate', 'keys:rotate', 'at-once'],
  ['ledger-check', 'ledger:check', 'incremental'],
  ['doctor', 'doctor', 'json'],
] as const) {
  test(`npm run ${command} refuses an argument, and an option that npm kept to itself`, async () => {
    for (const [settings, args] of [
      [{}, [option]],
      // `npm run COMMAND --OPTION`, without `--`.
      [{ [`npm_config_${option.replaceAll('-', '_')}`]: 'true' }, []],
    ] as const) {
      const { status, out, error } = await runCommand(name, { ...NOWHERE, ...settings }, ...args)
      assert.deepEqual([status, out], [2, ''])
      assert.ok(error.startsWith(`Usage: npm run ${command} [-- --${option}]\n`), error)
    }
    const given = await runCommand(name, NOWHERE, `--${option}`)
    assert.match(given.error + given.out, /ECONNREFUSED/)
  })
}

test('npm run backup refuses an option, which it would take for the name of its file', async () => {
  for (const args of [[], ['a.backup', 'b.backup'], ['-o', 'a.backup']]) {
    const { status, out, error } = await runCommand('backup', NOWHERE, ...args)
    assert.deepEqual([status, out], [2, ''])
    assert.match(error, /^Usage: npm run backup -- FILE\n/)
  }
})
