import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { readVersions, replaceVersions } from '#flows/listing'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { asVersionInput, ownApp, requireWritten } from '../support/listing.ts'
import type { TestService } from '../support/service.ts'
import { type BothModes, openBothModes } from '../support/test-mode.ts'
import { accessibilityProblems } from './accessibility.ts'
import { RunningClock } from './browser-test.ts'
import { recordFaults } from './faults.ts'
import { arrive, buy, newEmail, press, signIn } from './steps.ts'

let modes: BothModes
let browser: Browser
before(async () => {
  modes = await openBothModes({ clock: new RunningClock(new Date()) })
  browser = await borrowBrowser()
})
after(async () => {
  await returnBrowser()
  await modes.close()
})

test('a seller switches to test mode, sells with a test card, and returns to live mode', async (t) => {
  const { live, test_url } = modes
  const { base_url } = live.world.config
  const context = await browser.newContext({ baseURL: base_url })
  const faults = recordFaults(context, base_url)
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  const page = await context.newPage()
  const sound = async (name: string) =>
    assert.equal((await accessibilityProblems(page)).join('\n'), '', name)
  await page.goto('/signin/')
  await signIn(page, live, 'seller')
  await arrive(page, 'Your apps')
  await page.goto('/dashboard/apps/tidepool/sales/')
  await sound('live dashboard')
  await press(page, 'Test mode')
  await page.waitForURL(`${test_url}/dashboard/apps/tidepool/sales/`)
  assert.match(await page.title(), /^Test mode · /)
  await sound('test dashboard')
  for (const path of ['integration/', 'settings/', 'test-clock/']) {
    await page.goto(`${test_url}/dashboard/apps/tidepool/${path}`)
    await sound(path)
  }
  for (const path of ['/dashboard/team/', '/docs/test-mode/', '/test-mode/enter?token=none']) {
    await page.goto(`${test_url}${path}`)
    await sound(path)
  }
  await offerPlan(live)
  await page.goto(`${test_url}/dashboard/apps/tidepool/plans/`)
  await page.getByRole('link', { name: /^Copy plans from live mode/ }).click()
  await page.getByText('Studio, monthly price').waitFor()
  await sound('plans to copy')
  await press(page, 'Copy plans')
  await page.getByText('Plans copied from live mode.').waitFor()
  await sound('plans, copied')
  const customer = await browser.newContext()
  const email = newEmail()
  const buy_url = `${test_url}/buy/${live.demo.app.prices[0]!.public_id}/`
  await buy(await customer.newPage(), { buy_url, email })
  await customer.close()
  await page.goto(`${test_url}/dashboard/apps/tidepool/sales/`)
  await page.getByText(email).first().waitFor()
  await page.getByRole('link', { name: 'Leave test mode' }).click()
  await page.waitForURL(`${base_url}/dashboard/apps/tidepool/sales/`)
  assert.equal(await page.getByText(email).count(), 0)
  assert.doesNotMatch(await page.title(), /Test mode/)
})

test('the entry pages of test mode are accessible to buyers and members', async (t) => {
  const { test_url, test: there } = modes
  const context = await browser.newContext({ baseURL: test_url })
  const faults = recordFaults(context, test_url)
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  const page = await context.newPage()
  const sound = async (name: string) =>
    assert.equal((await accessibilityProblems(page)).join('\n'), '', name)
  for (const path of ['/signin/', '/test-mode/sign-in', '/', '/apps/tidepool/']) {
    await page.goto(path)
    assert.match(await page.title(), /^Test mode · /, path)
    await page.getByText('Test mode. No real card is charged.').waitFor()
    await sound(path)
  }
  const email = newEmail()
  const { public_id } = there.demo.app.prices[0]!
  await buy(page, { buy_url: `${test_url}/buy/${public_id}/`, email })
  await sound('success')
  await context.clearCookies()
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await press(page, 'Email me a sign-in link')
  await page.getByText('Check your inbox').waitFor()
  await sound('sign in, link sent')
})

/** Adds a plan to the cast's app in live mode. */
async function offerPlan(live: TestService): Promise<void> {
  const { app, actor } = await ownApp(live)
  const plans = (await readVersions(live.world.db, app.id)).filter(({ is_active }) => is_active)
  const studio = { name: 'Studio', prices: [{ amount: '55.00', frequency: 'month' }] }
  const versions = [...plans.map(asVersionInput), studio]
  requireWritten(await replaceVersions(live.world, actor, { app, versions, dry_run: false }))
}
