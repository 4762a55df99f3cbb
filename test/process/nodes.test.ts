import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { Database } from '#platform/db'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { sql } from '#platform/sql'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import type { DemoFacts } from '../../src/demo/seed.ts'
import { Agent } from '../support/agent.ts'
import { ManualClock } from '../support/clock.ts'
import { createServerDatabase, SERVER_URL } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { endProcesses, overHttp, type Running, startProcess } from '../support/process.ts'
import { enterCard } from '../support/purchase.ts'
import { openTestService } from '../support/service.ts'
import { subscribe } from '../support/subscriber.ts'

const SKIP = SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)'
const MONTH_AGO = new Date(Date.now() - 32 * 86_400_000)
const STARTED = /"child":(\d+)[^\n]*process started/g

describe('several processes on one database', { skip: SKIP }, () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-nodes-'))
  const SECRET_KEY = randomBytes(32).toString('hex')
  let url: URL
  let drop: () => Promise<void>
  let db: Database
  let demo: DemoFacts
  let base_url: string

  before(async () => {
    ;({ url, drop } = await createServerDatabase(SERVER_URL!))
    base_url = `http://localhost:${await freePort()}`
    const settings = { SECRET_KEY, BASE_URL: base_url, DATABASE_URL: url.href }
    const log = openLog('silent')
    const past = await openTestService({
      db: await openPostgres(url.href, log),
      clock: new ManualClock(MONTH_AGO),
      settings,
    })
    demo = past.demo
    await subscribe(past)
    await past.close()
    db = await openPostgres(url.href, log)
  })
  after(async () => {
    endProcesses()
    await db?.close()
    await drop?.()
    rmSync(data_dir, { recursive: true, force: true })
  })

  const settings = () => ({
    DATABASE_URL: url.href,
    DATA_DIR: data_dir,
    SECRET_KEY,
    BASE_URL: base_url,
    ENV_FILE: devNull,
  })
  const startNode = (own: Record<string, string>): Promise<Running> =>
    startProcess('src/main.ts', { ...settings(), ...own })
  const countOf = async (what: ReturnType<typeof sql>) =>
    (await db.one<{ count: number }>(what)).count
  const renewals = () =>
    countOf(sql`select count(*) from invoices where kind = 'renewal' and status = 'paid'`)
  const unsent = () => countOf(sql`select count(*) from emails where sent_at is null`)
  const validate = async (node: Running, key: string) => {
    const { client_id, client_secret } = demo.app
    const answer = await fetch(`${node.base_url}/api/v1/licenses/validate`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ key }),
    })
    return ((await answer.json()) as { status?: string }).status
  }
  const stop = async (node: Running) => {
    node.process.kill('SIGTERM')
    assert.equal(await node.exit, 0, node.output())
  }

  test('a license bought on one web node is valid at once on another, and a worker renews and sends emails', async () => {
    const first = await startNode({ PURSER_ROLE: 'web', PORT: new URL(base_url).port })
    const second = await startNode({ PURSER_ROLE: 'web' })
    const agent = new Agent(overHttp(first.base_url), base_url)
    await agent.open(`/buy/${demo.app.prices[0]!.public_id}/`)
    await agent.submit('Continue', { email: 'two@example.com', country: 'US', zip: '97365' })
    await enterCard(agent)
    const page = await agent.submit(/^Pay /)
    const [key] = /key_[0-9A-Za-z]{33}/.exec(page.body) ?? []
    assert.ok(key, page.url)
    assert.equal(await validate(second, key), 'active')
    assert.equal(await renewals(), 0, 'a web node renewed a subscription')
    assert.ok((await unsent()) > 0, 'a web node sent an email')
    // What a process counts in memory is written by that process.
    await eventually(
      'the use of a license',
      async () => (await countOf(sql`select count(*) from license_uses`)) > 0,
    )

    const worker = await startNode({ PURSER_ROLE: 'worker' })
    await eventually('a renewal by the worker', async () => (await renewals()) === 1)
    await eventually('the emails', async () => (await unsent()) === 0)
    assert.equal((await fetch(`${worker.base_url}/readyz?from=monitor`)).status, 200)
    const page_of_worker = await fetch(`${worker.base_url}/`)
    assert.equal(page_of_worker.status, 404)
    assert.match(await page_of_worker.text(), /runs background work/)
    for (const node of [worker, second, first]) await stop(node)
  })

  test('a process of a node that is killed is replaced, and the others answer until then', async () => {
    const node = await startNode({ WORKERS: '2' })
    assert.match(node.output(), /Purser is ready at \S+ \(2 processes\)/)
    const started = () => [...node.output().matchAll(STARTED)].map(([, pid]) => Number(pid))
    await eventually('both in the log', async () => started().length === 2)
    process.kill(started()[0]!, 'SIGKILL')
    await eventually('the end in the log', async () => node.output().includes('a process ended'))
    for (let times = 0; times < 10; times++) {
      assert.equal((await fetch(`${node.base_url}/readyz`)).status, 200)
    }
    await eventually('a new process', async () => started().length === 3)
    await stop(node)
    for (const pid of started()) assert.throws(() => process.kill(pid, 0), /ESRCH/)
  })

  test('a node that is stopped while its second process starts ends without an error', async () => {
    const node = spawn(
      process.execPath,
      ['--import', './scripts/register-tsx.mjs', 'src/main.ts'],
      {
        env: { ...settings(), WORKERS: '2', PORT: String(await freePort()) },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const exit = once(node, 'exit')
    for await (const line of createInterface(node.stdout)) {
      if (line.includes('process started')) node.kill('SIGTERM')
    }
    assert.deepEqual(await exit, [0, null])
  })

  test('an error at the start ends a node of several processes, and is printed once', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    const node = await startNode({ WORKERS: '2', PORT: String(port) })
    assert.equal(await node.exit, 1)
    assert.equal(node.output().match(/Port \d+ is taken/g)?.length, 1, node.output())
    // Figures: the first process has the next port, and the second finds none.
    const figures = await startNode({ WORKERS: '2', METRICS_PORT: String(port) })
    assert.equal(await figures.exit, 1)
    assert.match(figures.output(), /Port \d+ is taken .* with METRICS_PORT\./)
    other.close()
  })
})
