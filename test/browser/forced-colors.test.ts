import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { signIn } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

test('with forced colors, a menu underlines the current page only', async (t) => {
  const page = await setup.newPage(t, { forcedColors: 'active' })
  await page.goto('/signin/?return_to=/dashboard/apps/tidepool/plans/')
  await signIn(page, setup.service, 'seller')
  const links = page.getByRole('navigation', { name: 'Tidepool' }).getByRole('link')
  await links.first().waitFor()
  const underlined = await links.evaluateAll((all) =>
    all
      .filter((link) => getComputedStyle(link).borderBottomStyle === 'solid')
      .map((link) => link.textContent),
  )
  assert.deepEqual(underlined, ['Plans'])
})
