/** The lock of the tokens, between processes of the command line program. */
import assert from 'node:assert/strict'
import fs, { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { before, mock, test } from 'node:test'
import { withTokenLock } from '../../packages/cli/src/agent/token-store.ts'
import { type CliError, EXIT } from '../../packages/cli/src/exit.ts'
import { eventually } from '../support/eventually.ts'
import { useConfigFolder } from './config-folder.ts'

const config_home = useConfigFolder()
const folder = join(config_home, 'purser')
const lock = join(folder, 'tokens.json.lock')
before(() => mkdirSync(folder))

/** The lock of a process that ended a minute ago. */
function leaveStaleLock(): void {
  writeFileSync(lock, '')
  const then = new Date(Date.now() - 60_000)
  utimesSync(lock, then, then)
}

test('takes over the lock of a process that ended, and leaves no file', async () => {
  leaveStaleLock()
  assert.equal(await withTokenLock(async () => 'done'), 'done')
  assert.deepEqual(readdirSync(folder), [])
})

test('leaves the lock alone that another process made in place of a stale one', async () => {
  leaveStaleLock()
  const { statSync } = fs
  let looked = 0
  const look = mock.method(fs, 'statSync', (path: string) => {
    const seen = statSync(path, { throwIfNoEntry: false })
    if (path === lock && ++looked === 1) {
      rmSync(lock)
      writeFileSync(lock, '')
    }
    return seen
  })
  syncBuiltinESMExports()
  const order: string[] = []
  try {
    const work = withTokenLock(async () => order.push('this process'))
    await eventually('another attempt', async () => looked > 3 || order.length > 0)
    order.push('the other process')
    rmSync(lock)
    await work
  } finally {
    look.mock.restore()
    syncBuiltinESMExports()
  }
  assert.deepEqual(order, ['the other process', 'this process'])
  assert.deepEqual(readdirSync(folder), [])
})

test('leaves the lock alone that another process made while the work was suspended', async () => {
  await withTokenLock(async () => {
    rmSync(lock)
    writeFileSync(lock, '')
    const then = new Date(Date.now() - 1_000)
    utimesSync(lock, then, then)
  })
  assert.deepEqual(readdirSync(folder), ['tokens.json.lock'])
  rmSync(lock)
})

test('a folder that cannot be written is an error with the next step', async () => {
  const file = join(config_home, 'file')
  writeFileSync(file, '')
  process.env.XDG_CONFIG_HOME = file
  try {
    await assert.rejects(
      withTokenLock(async () => {}),
      {
        code: 'tokens_not_written',
        exit: EXIT.usage,
        message: `The tokens cannot be stored in ${file}/purser (ENOTDIR). Set XDG_CONFIG_HOME to a folder that you can write to.`,
      },
    )
  } finally {
    process.env.XDG_CONFIG_HOME = config_home
  }
})

test('says what to set where a stale lock cannot be taken over', async () => {
  leaveStaleLock()
  const { openSync } = fs
  const open = mock.method(fs, 'openSync', (path: string, ...more: [string, number]) => {
    if (path === lock) return openSync(path, ...more)
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  })
  syncBuiltinESMExports()
  try {
    await assert.rejects(
      withTokenLock(async () => {}),
      ({ code, message }: CliError) => {
        assert.equal(code, 'tokens_not_written')
        assert.match(message, /\(EACCES\)\. Set XDG_CONFIG_HOME to a folder/)
        return true
      },
    )
  } finally {
    open.mock.restore()
    syncBuiltinESMExports()
    rmSync(lock)
  }
})
