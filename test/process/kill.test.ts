import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openEmbedded } from '#platform/db-embedded'
import { sql } from '#platform/sql'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { Agent } from '../support/agent.ts'
import { prepareDataFolder } from '../support/database.ts'
import { endProcesses, overHttp, readDemo, startProcess } from '../support/process.ts'
import { enterCard } from '../support/purchase.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'purser-kill-'))
after(() => {
  endProcesses()
  rmSync(data_dir, { recursive: true, force: true })
})

test('killed between charge and license, a restart finishes the purchase and charges once', async () => {
  const settings = { DATA_DIR: data_dir, PORT: String(await freePort()) }
  await prepareDataFolder(data_dir)
  const dying = await startProcess('test/support/killed-after-charging.ts', settings)
  const demo = readDemo(data_dir)
  const agent = new Agent(overHttp(dying.base_url), dying.base_url)
  await agent.open(`/buy/${demo.app.prices[0]!.public_id}/`)
  await agent.submit('Continue', { email: 'kill@example.com', country: 'US', zip: '97365' })
  await enterCard(agent)
  const cart = /\/checkout\/\w+/.exec(agent.page.url)![0]
  await assert.rejects(agent.submit(/^Pay /), 'the process died while the buyer paid')
  assert.equal(await dying.exit, null, 'it was killed and did not exit')

  const again = await startProcess('src/main.ts', settings)
  let page = await agent.open(`${cart}/success`)
  while (!page.body.includes('key_')) page = await agent.open(`${cart}/processing`)
  again.process.kill('SIGTERM')
  assert.equal(await again.exit, 0)

  const db = await openEmbedded({ dataDir: join(data_dir, 'database') })
  try {
    assert.deepEqual(
      await db.one(sql`select
        (select count(*) from sandbox.charges where status = 'succeeded') as taken,
        (select count(*) from charges) as charges,
        (select count(*) from licenses) as licenses,
        (select count(*) from orders) as orders,
        (select count(*) from attempts where status <> 'succeeded') as unfinished,
        (select sum(amount) from ledger_entries)::bigint as ledger,
        (select sum(e.amount) from ledger_entries e join ledger_transactions t
          on t.id = e.transaction_id
          where e.account = 'processor' and t.event = 'sale')::bigint as cleared`),
      { taken: 1, charges: 1, licenses: 1, orders: 1, unfinished: 0, ledger: 0, cleared: 1200 },
    )
  } finally {
    await db.close()
  }
})
