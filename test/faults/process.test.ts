import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { withTimeout } from '#platform/with-timeout'
import { administrate, createServerDatabase, SERVER_URL } from '../support/database.ts'
import { endProcesses, type Running, startProcess } from '../support/process.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const SKIP = SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)'

describe('a service whose database has trouble', { skip: SKIP }, () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-faults-'))
  let url: URL
  let drop: () => Promise<void>
  let proxy: TcpProxy
  let running: Running

  before(async () => {
    const made = await createServerDatabase(SERVER_URL!)
    url = made.url
    drop = made.drop
    proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) })
    const through = new URL(url)
    through.port = String(proxy.port)
    running = await startProcess('src/main.ts', {
      DATABASE_URL: through.href,
      DATA_DIR: data_dir,
      DEMO: '0',
    })
  })
  after(async () => {
    endProcesses()
    await proxy?.close()
    await drop?.()
    rmSync(data_dir, { recursive: true, force: true })
  })

  const ready = async () => (await fetch(`${running.base_url}/readyz`)).status
  const becomes = async (status: number) => {
    for (let tries = 0; (await ready()) !== status; tries++) {
      assert.ok(tries < 100, `/readyz never answered ${status}`)
      await pause(100)
    }
  }
  const terminateOthers = () =>
    administrate(
      url.href,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
  const name = () => url.pathname.slice(1)

  // R12
  test('is not ready while it cannot write, keeps running, and is ready again without a restart', async () => {
    await becomes(200)
    const alter = (options: string) =>
      administrate(SERVER_URL!, `alter database ${name()} ${options}`)
    await alter('set default_transaction_read_only = on')
    await terminateOthers()
    await becomes(503)
    // Long enough for every poll of seconds to fail once.
    await pause(3000)
    assert.equal(running.process.exitCode, null, running.output())
    assert.equal((await fetch(`${running.base_url}/healthz`)).status, 200)
    await alter('reset default_transaction_read_only')
    await terminateOthers()
    await becomes(200)
  })

  // R1, R2
  test('survives a failover, and says 503 with Retry-After meanwhile', async () => {
    proxy.refuse(true)
    await becomes(503)
    const page = await fetch(`${running.base_url}/`)
    assert.equal(page.status, 503)
    assert.equal(page.headers.get('retry-after'), '5')
    proxy.refuse(false)
    await becomes(200)
    assert.equal((await fetch(`${running.base_url}/`)).status, 200)
  })

  // R2
  test('answers /readyz with 503 within two seconds while the database is silent, and stops in time', async () => {
    await becomes(200)
    await pause(1100)
    proxy.silence(true)
    // In the test's own time, which passes more slowly where the machine is busy.
    assert.equal(await withTimeout(ready(), 2_000), 503)
    const page = fetch(`${running.base_url}/`).catch(() => {})
    running.process.kill('SIGTERM')
    // With 0 where it noticed the silence before, with 1 where it stopped waiting.
    assert.match(String(await withTimeout(running.exit, 8_000)), /^[01]$/)
    await page
  })
})
