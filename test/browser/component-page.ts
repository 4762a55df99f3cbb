import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type ComponentSite, openComponentSite } from '../support/component-site.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'

/** A service, and a seller's page with web components under a strict content security policy. */
export interface ComponentTest {
  setup: BrowserTest
  site: ComponentSite
  base_url: string
  client_id: string
  /** The first price of the app, and its buy link. */
  price_id: string
  buy_url: string
  /** A pricing table of the app. */
  table(attributes?: string, inside?: string): string
  close(): Promise<void>
}

/** Opens a service, and a seller's site that uses its components. */
export async function openComponentTest(): Promise<ComponentTest> {
  const setup = await openBrowserTest()
  const { base_url } = setup.service.world.config
  const site = await openComponentSite(base_url)
  const { client_id, prices } = setup.service.demo.app
  const price_id = prices[0]!.public_id
  return {
    setup,
    site,
    base_url,
    client_id,
    price_id,
    buy_url: `${base_url}/buy/${price_id}/`,
    table: (attributes = '', inside = '') =>
      `<purser-pricing-table client-id="${client_id}" ${attributes}>${inside}</purser-pricing-table>`,
    async close() {
      await site[Symbol.asyncDispose]()
      await setup.close()
    },
  }
}

/** A page of a browser; an error of a script, or what the policy refuses, fails the test. */
export async function newPage(
  { setup }: ComponentTest,
  t: TestContext,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await setup.browser.newContext(options)
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) faults.push(message.text())
  })
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  return await context.newPage()
}

/** Opens a page of the seller, and returns its requests for prices as they come. */
export async function open(page: Page, url: string): Promise<string[]> {
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/prices/')) requests.push(request.url())
  })
  await page.goto(url)
  return requests
}
