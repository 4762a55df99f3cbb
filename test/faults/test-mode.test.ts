import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '#platform/log'
import { type Sql, sql } from '#platform/sql'
import { openTestDatabase, SERVER_URL } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { buyer } from '../support/purchase.ts'
import { openLiveMode, requestAs } from '../support/test-mode.ts'

test('live mode answers while the database of test mode is down', async () => {
  const { live, test_url, close } = await openLiveMode({
    settings: { TEST_MODE_DATABASE_URL: 'postgres://shop@127.0.0.1:1/away' },
  })
  try {
    const { port, base_url } = live.world.config
    const { host } = new URL(test_url)
    for (const path of ['/', '/readyz']) {
      assert.equal((await requestAs(port, new URL(base_url).host, path)).status, 200)
      const away = await requestAs(port, host, path)
      assert.equal(away.status, 503)
      assert.equal(JSON.parse(away.body).error, 'service_unavailable')
    }
    const price = live.demo.app.prices[0]!.public_id
    assert.equal((await buyer(live).open(`/buy/${price}/`)).status, 200)
  } finally {
    await close()
  }
})

test('a database of test mode that does not exist is named in the log', {
  skip: !SERVER_URL,
}, async () => {
  const lines: string[] = []
  const missing = new URL(SERVER_URL!)
  missing.pathname = '/purser_that_is_missing'
  const { close } = await openLiveMode({
    settings: { TEST_MODE_DATABASE_URL: missing.href },
    log: openLog('error', { write: (line) => lines.push(line) }),
  })
  try {
    const deadline = Date.now() + 10_000
    while (lines.length === 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.match(lines.join('\n'), /purser_that_is_missing.*create it for test mode/)
  } finally {
    await close()
  }
})

test('the jobs of test mode start once its database answers again', async () => {
  const db = await openTestDatabase()
  const lines: string[] = []
  let failures = 0
  const { close } = await openLiveMode({
    log: openLog('error', { write: (line) => lines.push(line) }),
    test_mode: {
      db: {
        ...db,
        async rows<Row>(statement: Sql) {
          // The schedules are read when the jobs start, not before.
          if (/from pgboss\.schedule\b/i.test(statement.text) && failures++ === 0) {
            throw new Error('the database is away')
          }
          return await db.rows<Row>(statement)
        },
      },
    },
  })
  try {
    await eventually('a schedule that ran', async () =>
      db.maybe(
        sql`select from pgboss.job where name = 'schedules' and state = 'completed' limit 1`,
      ),
    )
    assert.match(lines.join('\n'), /the database is away.*jobs of test mode .*will try again/)
  } finally {
    await close()
  }
})
