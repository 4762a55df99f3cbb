import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { buy, newEmail } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest({ settings: { DEMO: '1' } })
  const { world, demo } = setup.service
  writeFileSync(join(world.config.data_dir, 'demo.json'), JSON.stringify(demo))
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

test('a form builds a buy link of the demo, which opens the checkout', async (t) => {
  const page = await setup.newPage(t)
  await page.goto('/docs/api/links/')
  const form = page.getByRole('form', { name: 'Build a buy link' })
  const price = setup.service.demo.app.prices[1]!.public_id
  await form.getByLabel('Price').selectOption(price)
  await form.getByLabel('email').fill('a+b@example.com')
  const { base_url } = setup.service.world.config
  const link = form.getByRole('link')
  const next = encodeURIComponent(`${setup.service.demo.sample_site_url}/return`)
  const expected = `${base_url}/buy/${price}/?next=${next}&email=a%2Bb%40example.com`
  assert.equal(await link.getAttribute('href'), expected)
  assert.deepEqual(await accessibilityProblems(page), [])
  await form.getByRole('button', { name: 'Open the link' }).click()
  await page.waitForURL(expected)
  assert.equal(await page.getByLabel('Email').inputValue(), 'a+b@example.com')
})

test('a form builds an authorization link with PKCE, which opens the sign-in page', async (t) => {
  const page = await setup.newPage(t)
  await page.goto('/docs/api/openid-connect/')
  const form = page.getByRole('form', { name: 'Build an authorization link' })
  await form.getByLabel('ui_locales').fill('es')
  await form.getByLabel('login_hint').fill('ana@example.com')
  const link = new URL((await form.getByRole('link').getAttribute('href'))!)
  assert.match(link.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
  assert.equal(link.searchParams.get('client_id'), setup.service.demo.sign_in_app.client_id)
  await form.getByRole('button', { name: 'Open the link' }).click()
  await page.waitForURL(({ pathname }) => pathname === '/signin/')
  assert.equal(await page.locator('html').getAttribute('lang'), 'es')
  assert.equal(await page.locator('input[name=email]').inputValue(), 'ana@example.com')
})

test('without scripts, the page of the links has a link in place of the form', async (t) => {
  const page = await setup.newPage(t, { javaScriptEnabled: false })
  await page.goto('/docs/api/links/')
  assert.equal(await page.getByRole('form', { name: 'Build a buy link' }).count(), 0)
  const price = setup.service.demo.app.prices[0]!.public_id
  await page.locator(`main a[href$="/buy/${price}/"]`).first().click()
  await page.waitForURL(`**/buy/${price}/`)
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
