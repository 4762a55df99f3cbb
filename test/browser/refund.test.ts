import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, giveCard, giveDetails, keyOnSuccess, newEmail, press, signIn } from './steps.ts'

const DISPUTED = '4000 0000 0000 0259'
const ASKED_ABOUT = '4000 0000 0000 1976'
const COMES_BACK = '4000 0000 0000 5126'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** A screenshot of the page on a wide screen and on a phone, if requested. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (!folder) return
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** Asserts that a page is accessible, and takes a screenshot of it. */
async function assertAccessible(page: Page, name: string): Promise<void> {
  await picture(page, name)
  assert.deepEqual(await accessibilityProblems(page), [])
}

/** A browser in which a person of the cast is signed in. */
async function signedIn(t: TestContext, role: 'seller' | 'operator'): Promise<Page> {
  const page = await setup.newPage(t)
  await page.goto('/signin/')
  await signIn(page, setup.service, role)
  await arrive(page, role === 'seller' ? 'Your apps' : 'Admin')
  return page
}

/** A buyer of the monthly plan on the seller's site, who uses it there. */
async function buyAtSite(t: TestContext, card?: string): Promise<{ page: Page; email: string }> {
  const page = await setup.newPage(t)
  const email = newEmail()
  await page.goto(setup.site.url)
  await page.getByRole('link', { name: 'Buy Pro monthly' }).click()
  await giveDetails(page, email)
  await giveCard(page, card)
  await arrive(page, 'Confirm your order')
  await press(page, 'Pay $12.60')
  await keyOnSuccess(page)
  await page.getByRole('link', { name: 'Continue to Tidepool' }).click()
  await page.waitForURL(`${setup.site.url}/app`)
  return { page, email }
}

/** Reloads the seller's site until it shows this about the license. */
async function siteSays(page: Page, heading: string): Promise<void> {
  const title = page.getByRole('heading', { name: heading })
  for (let time = 0; time < 40; time++) {
    await page.goto(`${setup.site.url}/app`)
    if ((await title.count()) > 0) return
    await page.waitForTimeout(250)
  }
  assert.fail(`the site never said "${heading}"`)
}

/** The seller's page of the invoice of a buyer. */
async function toSale(page: Page, email: string): Promise<void> {
  await page.goto('/dashboard/apps/tidepool/sales/')
  await arrive(page, 'Tidepool: sales')
  const row = page.getByRole('row').filter({ hasText: email })
  await row.getByRole('link', { name: /^PUR-/ }).click()
  await page.getByRole('heading', { name: 'Invoice' }).waitFor()
}

/** The page of the buyer's dispute, from the seller's list of sales. */
async function toDispute(page: Page, email: string): Promise<void> {
  const link = page.getByRole('alert').getByRole('link', { name: new RegExp(email) })
  for (let time = 0; time < 40; time++) {
    await page.goto('/dashboard/apps/tidepool/sales/')
    if ((await link.count()) > 0) break
    await page.waitForTimeout(250)
  }
  await picture(page, 'sales')
  await link.click()
  await arrive(page, 'Dispute of $12.60')
}

test('a seller refunds half, then the rest: the license ends, and every cent is listed', async (t) => {
  const { page: buyers, email } = await buyAtSite(t)
  const page = await signedIn(t, 'seller')
  await toSale(page, email)
  await assertAccessible(page, 'sale')
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Amount in dollars, tax included').fill('twelve')
  await press(page, 'Review refund')
  await page.getByText('Nothing was refunded').waitFor()
  await assertAccessible(page, 'refund-faults')
  await page.getByLabel('Amount in dollars, tax included').fill('6.30')
  await page.getByLabel('Reason').fill('The app was down for half of the month.')
  await press(page, 'Review refund')
  await page.getByText('The license is not affected.').waitFor()
  await assertAccessible(page, 'refund-half')
  await press(page, 'Refund $6.30')
  await page.getByText('Refunded.').waitFor()

  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Reason').fill('They want to stop.')
  await press(page, 'Review refund')
  await page.getByText('The license is canceled immediately').waitFor()
  await press(page, 'Refund $6.30')
  await page.getByText('Refunded.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Refund', exact: true }).count(), 0)
  const end = page.getByText('Final balance').locator('..')
  assert.match((await end.textContent()) ?? '', /\$0\.00$/)
  await assertAccessible(page, 'sale-refunded')
  await siteSays(buyers, 'Your license has ended')
})

test('a buyer disputes; the seller submits evidence; after the loss the license ends', async (t) => {
  const { page: buyers, email } = await buyAtSite(t, DISPUTED)
  await siteSays(buyers, 'Your license is paused')
  const page = await signedIn(t, 'seller')
  await toDispute(page, email)
  await page.getByText('The license key was shown to the buyer').first().waitFor()
  await assertAccessible(page, 'dispute')
  await page.getByLabel('Your statement').fill('losing_evidence')
  await press(page, 'Submit evidence')
  await page.getByText('Evidence submitted.').waitFor()
  await siteSays(buyers, 'Your license has ended')
  await page.reload()
  await page.getByText('The bank decided for the buyer.').waitFor()
  await assertAccessible(page, 'dispute-lost')
  await toSale(page, email)
  await page.getByText('Dispute lost').first().waitFor()
})

test('a won dispute reactivates the same key', async (t) => {
  const { page: buyers, email } = await buyAtSite(t, DISPUTED)
  await siteSays(buyers, 'Your license is paused')
  const page = await signedIn(t, 'seller')
  await toDispute(page, email)
  await page.getByLabel('Your statement').fill('winning_evidence')
  await press(page, 'Submit evidence')
  await siteSays(buyers, 'License verified')
})

test('staff sees disputes, debts and suspensions in the admin area, and gives reasons for actions', async (t) => {
  const inquired = await buyAtSite(t, ASKED_ABOUT)
  const refunded = await buyAtSite(t, COMES_BACK)
  const sellers = await signedIn(t, 'seller')
  await toSale(sellers, refunded.email)
  await sellers.getByRole('link', { name: 'Refund', exact: true }).click()
  await sellers.getByLabel('Amount in dollars, tax included').fill('2')
  await sellers.getByLabel('Reason').fill('A small thing.')
  await press(sellers, 'Review refund')
  await press(sellers, 'Refund $2.00')
  await sellers.getByText('Refunded.').waitFor()
  setup.service.clock.pass(2 * 86_400)

  const page = await signedIn(t, 'operator')
  const owed = page.getByRole('heading', { name: 'Returned refunds, payable to buyers' })
  for (let time = 0; time < 40 && (await owed.count()) === 0; time++) {
    await page.goto('/admin/cases/')
    await page.waitForTimeout(250)
  }
  await page.getByText(inquired.email).waitFor()
  await page.getByLabel('Email, order, invoice or license').fill(refunded.email)
  await press(page, 'Search')
  await assertAccessible(page, 'admin')
  await page.locator('li').filter({ hasText: 'PUR-' }).getByLabel('Reason').fill('A stolen card?')
  await press(page, 'Pause')
  await page.getByText('License paused').waitFor()
  await siteSays(refunded.page, 'Your license is paused')
  await assertAccessible(page, 'admin-suspended')
  const suspended = page.locator('section').filter({ hasText: 'Licenses paused by staff' })
  await suspended.getByLabel('Reason').fill('It was their own card.')
  await press(page, 'Resume')
  await page.getByText('License resumed.').waitFor()
  await siteSays(refunded.page, 'License verified')
})
