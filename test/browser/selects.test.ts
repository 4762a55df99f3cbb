import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/sql'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { signIn } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

test('a long option of a select leaves its arrow free on a narrow screen', async (t) => {
  const { service } = setup
  await service.world.db.run(sql`update products set name = ${'W'.repeat(100)}
    where name = 'Lifetime'`)
  const page = await setup.newPage(t, { viewport: { width: 375, height: 900 } })
  await page.goto('/dashboard/apps/tidepool/test-clock/')
  await signIn(page, service, 'seller')
  const select = page.getByLabel('Plan to buy')
  /** The end of the select with an option, as a picture. */
  const endWith = async (option: RegExp): Promise<string> => {
    const label = (await select.locator('option').allTextContents()).find((text) =>
      option.test(text),
    )
    await select.selectOption({ label: label! })
    const { x, y, width, height } = (await select.boundingBox())!
    const clip = { x: x + width - 26, y, width: 26, height }
    return (await page.screenshot({ clip, fullPage: true })).toString('base64')
  }
  assert.equal(await endWith(/^WWW/), await endWith(/^Pro/))
})
