import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findPostgres, startPostgres } from '../../scripts/throwaway-postgres.ts'
import { eventually } from '../support/eventually.ts'

const programs = findPostgres()
const skip = !programs && 'no PostgreSQL (apt-get install postgresql)'
const MODULE = new URL('../../scripts/throwaway-postgres.ts', import.meta.url).href
const REGISTER = fileURLToPath(new URL('../../scripts/register-tsx.mjs', import.meta.url))

/** A run that starts a server and then works until it is ended. */
const RUN = `
  const { findPostgres, startPostgres } = await import('${MODULE}')
  const { url, folder } = await startPostgres(findPostgres())
  console.log(JSON.stringify({ url, folder }))
  setInterval(() => {}, 1000)`

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`a run that ends by ${signal} leaves no server and no folder`, { skip }, async () => {
    const run = spawn(process.execPath, ['--import', REGISTER, '--input-type=module', '-e', RUN])
    const exit = once(run, 'exit')
    const [line] = await once(run.stdout, 'data')
    const { url, folder } = JSON.parse(String(line))
    assert.ok(existsSync(folder))
    run.kill(signal)
    assert.deepEqual(await exit, [code, null])
    assert.equal(existsSync(folder), false)
    await eventually('the end of the server', async () => {
      const client = new pg.Client({ connectionString: url })
      return await client.connect().then(
        () => client.end().then(() => false),
        () => true,
      )
    })
  })
}

test('a server that does not start leaves no folder', { skip }, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'purser-parent-'))
  // PostgreSQL runs as another user if the tests run as root.
  chmodSync(parent, 0o755)
  try {
    await assert.rejects(startPostgres(programs!, ['no_such_setting=1'], parent), /ended at its/)
    assert.deepEqual(readdirSync(parent), [])
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
})
