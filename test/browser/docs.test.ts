import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { buy, newEmail } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

test('a reader searches with the keyboard alone, and nothing is asked of another host', async (t) => {
  const page = await setup.newPage(t)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).origin))
  await page.goto('/docs/')
  await page.keyboard.press('/')
  const field = page.getByRole('searchbox', { name: 'Search the docs' })
  assert.ok(await field.evaluate((input) => input === document.activeElement))
  await page.keyboard.type('unknown_key')
  const results = page.locator('[data-docs-results] a')
  await results.first().waitFor()
  await page.getByText(/^\d+ results?$/).waitFor({ state: 'attached' })
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.keyboard.press('Escape')
  await results.first().waitFor({ state: 'detached' })
  assert.ok(await field.evaluate((input) => input === document.activeElement))

  await field.fill('unknown_key')
  await results.first().waitFor()
  await page.keyboard.press('ArrowDown')
  assert.ok(await results.first().evaluate((link) => link === document.activeElement))
  await page.keyboard.press('ArrowUp')
  assert.ok(await field.evaluate((input) => input === document.activeElement))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('/docs/errors/unknown_key/**')
  assert.deepEqual([...new Set(asked)], [setup.service.world.config.base_url])
})

test('the search works without scripts, in the same order', async (t) => {
  const page = await setup.newPage(t)
  await page.goto('/docs/')
  await page.getByRole('searchbox').fill('refund')
  const live = page.locator('[data-docs-results] a')
  await live.first().waitFor()
  const order = await live.evaluateAll((links) => links.map((link) => link.getAttribute('href')))

  const plain = await setup.newPage(t, { javaScriptEnabled: false })
  await plain.goto('/docs/')
  await plain.getByRole('searchbox').fill('refund')
  await plain.getByRole('searchbox').press('Enter')
  await plain.getByRole('heading', { level: 1, name: 'Results for refund' }).waitFor()
  const links = plain.locator('article ol a')
  assert.deepEqual(
    await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
    order,
  )
})

test('a form of the API reference calls the installation, and shows the answer', async (t) => {
  const page = await setup.newPage(t)
  const { app } = setup.service.demo
  const key = await buy(page, { buy_url: app.prices[0]!.buy_url, email: newEmail() })
  await page.goto('/docs/api/licenses/')
  await page.locator('main summary', { hasText: 'Try it' }).first().click()
  const form = page.getByRole('form', { name: 'Try it: POST /api/v1/licenses/validate' })
  await form.getByLabel('Client ID').fill(app.client_id)
  await form.getByLabel('Client secret').fill(app.client_secret)
  await form.getByLabel('Body').fill(JSON.stringify({ key }))
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText(/^200, \d+ ms$/).waitFor()
  await form.getByText('"status": "active"').waitFor()
})

test('a page of the docs shows its navigation on a phone when asked, without scripts', async (t) => {
  const page = await setup.newPage(t, {
    javaScriptEnabled: false,
    viewport: { width: 375, height: 800 },
  })
  await page.goto('/docs/concepts/money/')
  const nav = page.getByRole('navigation', { name: 'Documentation' })
  assert.equal(await nav.isVisible(), false)
  await page.getByText('All pages').click()
  await nav.getByRole('link', { name: 'Trials' }).click()
  await page.getByRole('heading', { level: 1, name: 'Trials' }).waitFor()
})
