import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { buy } from '../support/refunds.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, chargesOf, openBrowserTest } from './browser-test.ts'
import { arrive, giveDetails, press } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** A browser in which the cast's seller is signed in. */
async function seller(t: TestContext): Promise<Page> {
  const { email, password } = setup.service.demo.seller
  const page = await setup.newPage(t)
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await arrive(page, 'Your apps')
  return page
}

/** From the account, through the menu, to the integration page of Tidepool. */
async function toIntegration(page: Page): Promise<void> {
  await page.goto('/account/')
  await page.getByRole('link', { name: 'Your apps' }).click()
  await arrive(page, 'Your apps')
  await page.getByRole('link', { name: 'Tidepool' }).click()
  await page.getByRole('link', { name: 'Integration' }).click()
  await arrive(page, 'Tidepool: integration')
}

/** The response of the license API to this secret. */
async function refusalOf(client_secret: string): Promise<string> {
  const { world, demo } = setup.service
  const pair = Buffer.from(`${demo.app.client_id}:${client_secret}`).toString('base64')
  const answer = await fetch(`${world.config.base_url}/api/v1/licenses/validate`, {
    method: 'POST',
    headers: { authorization: `Basic ${pair}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'key_nobodys' }),
  })
  const { error } = (await answer.json()) as { error: string }
  return error
}

test('a seller changes the URLs of an app; an error is shown at its field', async (t) => {
  const page = await seller(t)
  await toIntegration(page)
  assert.deepEqual(await accessibilityProblems(page), [])
  const redirects = page.getByLabel('Redirect URIs', { exact: true })
  await redirects.fill('https://tidepool.example/auth/callback\nhttps://evil.example/auth/callback')
  await press(page, 'Save')
  const summary = page.getByRole('alert').filter({ hasText: 'Not saved. Check these fields' })
  await summary.getByRole('link', { name: /^https:\/\/evil\.example/ }).click()
  assert.ok(await redirects.evaluate((field) => field === document.activeElement))
  assert.deepEqual(await accessibilityProblems(page), [])

  await redirects.fill('https://tidepool.example/auth/callback')
  await page.getByLabel('Post-logout redirect URIs').fill('https://tidepool.example/bye')
  await press(page, 'Save')
  await page.getByText('URLs saved.').waitFor()
  assert.equal(await redirects.inputValue(), 'https://tidepool.example/auth/callback')
})

test('a seller turns hosted sign-in on and off, and sees its price', async (t) => {
  const page = await seller(t)
  await toIntegration(page)
  await page.getByText('Free for 3 months from the day you first turn it on.').waitFor()
  await press(page, 'Turn on')
  await page.getByText(/^Free until \w+ \d+, \d{4}\./).waitFor()
  await press(page, 'Turn off')
  await page.getByText(/The free months apply once, until/).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
})

test('a seller starts a preview from the page and ends it', async (t) => {
  const page = await seller(t)
  await toIntegration(page)
  await page.getByLabel('Plan').selectOption('Lifetime')
  await press(page, 'Start a preview')
  const key = page.getByLabel('Preview key', { exact: true })
  assert.match((await key.textContent()) ?? '', /^key_[0-9A-Za-z]{33}$/)
  assert.deepEqual(await accessibilityProblems(page), [])
  await press(page, 'End the preview')
  await page.getByText('Preview ended').waitFor()
})

test('a seller tries their own buy link, returns to the app, and is not charged', async (t) => {
  const { email } = setup.service.demo.seller
  const page = await seller(t)
  await page.goto(`${setup.site.url}/`)
  await page.getByRole('link', { name: 'Buy Pro monthly' }).click()
  for (const visit of [
    async () => await arrive(page, 'Your details'),
    async () => {
      await giveDetails(page, email)
      await arrive(page, 'No card is needed')
    },
    async () => {
      await page.getByRole('link', { name: 'Continue', exact: true }).click()
      await arrive(page, 'Confirm your order')
    },
    async () => {
      await press(page, 'Finish the preview')
      await arrive(page, 'Your preview of Tidepool Pro is ready')
    },
  ]) {
    await visit()
    await page.getByRole('region', { name: 'Notice' }).getByText('Preview: nothing is').waitFor()
    assert.deepEqual(await accessibilityProblems(page), [])
  }
  await page.getByRole('link', { name: 'Continue to Tidepool' }).click()
  await page.waitForURL(`${setup.site.url}/app`)
  await page.getByText('Developer preview').waitFor()
  assert.equal(await chargesOf(setup, email), 0)
})

test('a seller rotates the secret: it is shown once, and the old one is refused', async (t) => {
  const page = await seller(t)
  const { client_secret } = setup.service.demo.app
  await toIntegration(page)
  await page.getByRole('link', { name: 'Rotate secret' }).click()
  await arrive(page, 'Rotate secret?')
  assert.deepEqual(await accessibilityProblems(page), [])
  assert.equal(await refusalOf(client_secret), 'unknown_key')
  await press(page, 'Rotate secret')
  await arrive(page, 'Your new secret')
  assert.deepEqual(await accessibilityProblems(page), [])
  const fresh = (await page.getByLabel('Client secret', { exact: true }).textContent()) ?? ''
  assert.equal(await refusalOf(client_secret), 'invalid_client')
  assert.equal(await refusalOf(fresh), 'unknown_key')
  await page.getByRole('link', { name: 'Done' }).click()
  await arrive(page, 'Tidepool: integration')
  assert.ok(!(await page.content()).includes(fresh))
})

test('a person who is not a seller gets an empty page, and no menu entry for it', async (t) => {
  const { email, password } = setup.service.demo.buyer
  const page = await setup.newPage(t)
  await page.goto('/dashboard/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await page.getByText('No apps yet').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.goto('/account/')
  assert.equal(await page.getByRole('link', { name: 'Your apps' }).count(), 0)
})

test('truncates emails only if they do not fit, and never amounts', async (t) => {
  const long = `${'accounts-payable-'.repeat(3).slice(0, 48)}@example.com`
  const usual = 'constance.feathers@harbor.example'
  for (const email of [long, usual]) await buy(setup.service, { email })
  const page = await seller(t)
  const list = page.locator('section[aria-label]').filter({ has: page.locator('table') })
  const isCut = (email: string) =>
    page.getByTitle(email).evaluate((link) => link.scrollHeight > link.clientHeight + 4)
  for (const width of [1440, 1280, 375]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of ['sales', 'customers', 'licenses']) {
      await page.goto(`/dashboard/apps/tidepool/${path}/`)
      await page.getByTitle(usual).waitFor()
      assert.equal(await isCut(usual), false, `${path}, ${width}`)
      const [width_px, needed_px] = await list.evaluate((box) => [box.clientWidth, box.scrollWidth])
      assert.equal(width_px, needed_px, `${path}, ${width}`)
      if (path === 'sales' && width === 1280) assert.ok(await isCut(long))
    }
  }
})
