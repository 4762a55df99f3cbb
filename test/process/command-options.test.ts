import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../support/command.ts'

// No database is there, so a command that does not refuse its options fails in another way.
const NOWHERE = { DATABASE_URL: 'postgres://purser@127.0.0.1:1/none' }

for (const [name, command, option] of [
  ['migrate', 'migrate', 'check'],
  ['keys-rotate', 'keys:rotate', 'at-once'],
  ['ledger-check', 'ledger:check', 'incremental'],
] as const) {
  test(`npm run ${command} refuses a mistyped option, and one that npm kept to itself`, async () => {
    const usage = `Usage: npm run ${command}, or npm run ${command} -- --${option}\n`
    for (const [settings, args] of [
      [{}, [`--${option}s`]],
      [{}, [option]],
      // `npm run COMMAND --OPTION`, without `--`.
      [{ [`npm_config_${option.replaceAll('-', '_')}`]: 'true' }, []],
    ] as const) {
      const { status, out, error } = await runCommand(name, { ...NOWHERE, ...settings }, ...args)
      assert.notEqual(status, 0)
      assert.deepEqual([out, error], ['', usage])
    }
    const given = await runCommand(name, NOWHERE, `--${option}`)
    assert.match(given.error, /ECONNREFUSED/)
  })
}

test('npm run doctor refuses a mistyped option, and --json that npm kept to itself', async () => {
  const usage = 'Usage: npm run doctor, or npm run doctor -- --json\n'
  for (const [settings, args] of [
    [{}, ['--jsn']],
    [{ npm_config_json: 'true' }, []],
  ] as const) {
    const { status, out, error } = await runCommand('doctor', { ...NOWHERE, ...settings }, ...args)
    assert.deepEqual([status, out, error], [1, '', usage])
  }
})

test('npm run backup refuses an option, which it would take for the name of its file', async () => {
  for (const args of [['--help'], [], ['a.backup', 'b.backup'], ['-o', 'a.backup']]) {
    const { status, out, error } = await runCommand('backup', NOWHERE, ...args)
    assert.deepEqual([status, out, error], [1, '', 'Usage: npm run backup -- FILE\n'])
  }
})

test('npm run stripe:check says what it does before it asks for a key', async () => {
  const settings = { ...NOWHERE, STRIPE_SECRET_KEY: '' }
  const usage = /^Usage: npm run stripe:check\n\nLists what the Stripe account still lacks/
  const help = await runCommand('stripe-check', settings, '--help')
  assert.deepEqual([help.status, help.error], [0, ''])
  assert.match(help.out, usage)
  const mistyped = await runCommand('stripe-check', settings, '--live')
  assert.deepEqual([mistyped.status, mistyped.out], [2, ''])
  assert.match(mistyped.error, usage)
})
