import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '#platform/log'
import { SERVER_URL } from '../support/database.ts'
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
