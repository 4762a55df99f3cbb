import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import * as apps from '#domain/apps'
import { startTidepool, type Tidepool } from '#examples/tidepool'
import { sql } from '#platform/sql'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { ManualClock } from '../support/clock.ts'
import { assertInvariants } from '../support/invariants.ts'
import { type Choices, openTestService, type TestService } from '../support/service.ts'
import { recordFaults } from './faults.ts'

/** Only for what never comes: a busy machine takes several times as long as a quiet one. */
const PATIENCE_MS = 60_000

/** The machine's time, which a test may advance. */
export class RunningClock extends ManualClock {
  #start = Date.now()

  override now(): Date {
    return new Date(super.now().getTime() + Date.now() - this.#start)
  }
}

/** A service and the cast's site, both on real ports, and a browser for both. */
export interface BrowserTest {
  service: TestService
  site: Tidepool
  browser: Browser
  /** A new browser context; an unexpected error in it fails the test. */
  newPage(t: TestContext, choices?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

/**
 * Opens both. The service is at `localhost` and the seller's site at 127.0.0.1, so that a browser
 * treats them as two sites, as in production.
 */
export async function openBrowserTest(choices: Choices = {}): Promise<BrowserTest> {
  const clock = new RunningClock(new Date())
  const service = await openTestService({ clock, ...choices })
  const { base_url } = service.world.config
  await service.listen()
  const { client_id, client_secret } = service.demo.app
  const site = await startTidepool({
    base_url,
    client_id,
    client_secret,
    port: 0,
    host: '127.0.0.1',
    max_age_seconds: 0,
  })
  await apps.setLoginUrl(service.world.db, client_id, `${site.url}/login`)
  const browser = await borrowBrowser()
  return {
    service,
    site,
    browser,
    async newPage(t, options = {}) {
      const viewport = { width: 1280, height: 900 }
      const context = await browser.newContext({ baseURL: base_url, viewport, ...options })
      context.setDefaultTimeout(PATIENCE_MS)
      const faults = recordFaults(context, base_url)
      t.after(async () => {
        await context.close()
        assert.deepEqual(faults, [])
      })
      return await context.newPage()
    },
    async close() {
      await returnBrowser()
      await site.close()
      try {
        await assertInvariants(service)
      } finally {
        await service.close()
      }
    },
  }
}

/** How often the processor's own records say that it charged a buyer. */
export async function chargesOf({ service }: BrowserTest, email: string): Promise<number> {
  const { count } = await service.world.db.one<{ count: number }>(sql`
    select count(*) from sandbox.charges c join attempts a on a.id = c.key
    where c.status = 'succeeded' and a.email_normalized = ${email.toLowerCase()}`)
  return count
}
