import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { PriceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, buy, newEmail, press } from './steps.ts'

const APP = '/dashboard/apps/tidepool/'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** A browser in which the cast's seller is signed in. */
async function seller(t: TestContext, choices: BrowserContextOptions = {}): Promise<Page> {
  const { email, password } = setup.service.demo.seller
  const page = await setup.newPage(t, choices)
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await arrive(page, 'Your apps')
  return page
}

/** The fields of one plan, section or feature. */
function row(page: Page, legend: string) {
  return page.getByRole('group', { name: legend, exact: true })
}

async function prices(): Promise<{ public_id: PriceId; product_name: string; amount: string }[]> {
  const { world, demo } = setup.service
  const path = `/api/v1/public/apps/${demo.app.client_id}/prices/`
  const answer = await fetch(`${world.config.base_url}${path}`)
  return ((await answer.json()) as { prices: Awaited<ReturnType<typeof prices>> }).prices
}

test('a seller edits the listing and sees it on the product page', async (t) => {
  const page = await seller(t)
  await page.goto('/dashboard/')
  await page.getByRole('link', { name: 'Tidepool' }).click()
  await page.getByRole('link', { name: 'Listing', exact: true }).click()
  await arrive(page, 'Tidepool: listing')
  await page.getByLabel('Tagline').fill('x'.repeat(121))
  await press(page, 'Save listing')
  await page.getByRole('link', { name: /^Tagline: Use at most 120 characters/ }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  assert.equal(await page.getByLabel('Tagline').inputValue(), 'x'.repeat(121))
  await page.getByLabel('Tagline').fill('Low water, found')
  await page.getByLabel('Categories').fill('Outdoors, Sea & shore')
  await press(page, 'Save listing')
  await page.getByText('Listing saved.').waitFor()

  await page.getByRole('link', { name: 'Detail sections' }).click()
  await arrive(page, 'Tidepool: detail sections')
  await press(page, 'Add section')
  await row(page, 'Section 3').getByLabel('Title').fill('How it works')
  await row(page, 'Section 3')
    .getByLabel('Text')
    .fill('<p>You <a href="https://tidepool.example/how">look</a>.</p><script>alert(1)</script>')
  await press(page, 'Move section 3 up')
  await press(page, 'Save sections')
  await page.getByText('Detail sections saved.').waitFor()
  await page.getByRole('link', { name: 'Detail sections' }).click()
  assert.equal(await row(page, 'Section 2').getByLabel('Title').inputValue(), 'How it works')

  await page.goto(`${APP}listing/features/`)
  await press(page, 'Add feature')
  await row(page, 'Feature 4').getByLabel('Name').fill('Export')
  await row(page, 'Feature 4').getByLabel('Lifetime').check()
  await press(page, 'Save table')
  await page.getByText('Feature table saved.').waitFor()

  await page.goto('/apps/tidepool/')
  await page.getByText('Low water, found').waitFor()
  await page.getByRole('heading', { level: 2, name: 'How it works' }).waitFor()
  await page.getByRole('link', { name: 'look' }).waitFor()
  assert.equal(await page.locator('main script').count(), 0)
  const cells = page.getByRole('row', { name: /^Export/ }).getByRole('cell')
  assert.deepEqual(await cells.allTextContents(), ['No', 'No', 'Yes'])
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByRole('link', { name: 'Sea & shore' }).click()
  await page.getByRole('link', { name: 'Sea & shore', exact: true }).waitFor()
  await page.getByRole('link', { name: /^Tidepool/ }).waitFor()
  assert.equal(await page.getByRole('link', { name: /^Driftlog/ }).count(), 0)
})

test('a price is changed after a review, and its buy link stays the same', async (t) => {
  const page = await seller(t)
  const before = (await prices()).find(({ amount }) => amount === '12.00')!
  await page.goto(`${APP}plans/`)
  await row(page, 'Pro').getByLabel('Amount').first().fill('$14.5')
  await press(page, 'Review changes')
  await arrive(page, 'Tidepool: review the plans')
  await page.getByText('Pro, monthly price').waitFor()
  await page.getByText('$14.50').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  assert.equal(
    (await prices()).find((each) => each.public_id === before.public_id)?.amount,
    '12.00',
  )
  await press(page, 'Save plans')
  await page.getByText('Plans saved.').waitFor()
  assert.deepEqual(
    (await prices()).find((each) => each.public_id === before.public_id),
    { ...before, amount: '14.50' },
  )
  await page.goto('/apps/tidepool/')
  await page.getByText('$14.50').waitFor()
})

test('what changed since the review is shown before anything is saved', async (t) => {
  const page = await seller(t)
  await page.goto(`${APP}plans/`)
  await row(page, 'Lifetime').getByLabel('Amount').fill('200')
  await press(page, 'Review changes')
  const other = await page.context().newPage()
  await other.goto(`${APP}plans/`)
  await row(other, 'Lifetime').getByLabel('Amount').fill('190')
  await press(other, 'Review changes')
  await press(other, 'Save plans')
  await other.getByText('Plans saved.').waitFor()
  await press(page, 'Save plans')
  await page.getByText('The plans have changed').waitFor()
  await page.getByText('$190.00').waitFor()
  await press(page, 'Save plans')
  await page.getByText('Plans saved.').waitFor()
})

test('a plan with a subscriber is kept, and the page says why', async (t) => {
  const buyer = await setup.newPage(t)
  await buy(buyer, { buy_url: setup.service.demo.app.prices[0]!.buy_url, email: newEmail() })
  const page = await seller(t)
  await page.goto(`${APP}plans/`)
  await press(page, 'Remove plan 2')
  await press(page, 'Review changes')
  const summary = page.getByRole('alert').filter({ hasText: 'Not saved. Check these fields' })
  await summary.getByText(/^Pro cannot be deleted: it has 1 active subscription\.$/).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  assert.ok((await prices()).some(({ product_name }) => product_name === 'Pro'))
})

test('a removed price disables its buy link, the review says so, and undoing restores it', async (t) => {
  const page = await seller(t)
  const yearly = setup.service.demo.app.prices[1]!
  await page.goto(`${APP}plans/`)
  await press(page, 'Remove price 2 of plan 2')
  await press(page, 'Review changes')
  await page.getByRole('alert').getByText('Pro, $96.00 per year').waitFor()
  await press(page, 'Save plans')
  await page.getByText('Plans saved.').waitFor()
  assert.equal((await page.goto(yearly.buy_url))?.status(), 404)

  await page.goto(`${APP}changes/`)
  await page.getByText('marina@tidepool.example').first().waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByRole('link', { name: 'Undo this change' }).first().click()
  await arrive(page, 'Tidepool: undo a change')
  await page.getByText('Pro, yearly price').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await press(page, 'Undo this change')
  await page.getByText('Undone.').waitFor()
  await page.getByRole('heading', { name: 'Undid: plans and prices changed' }).waitFor()
  assert.equal((await page.goto(yearly.buy_url))?.status(), 200)
})

test('rows are added, moved and removed without scripts, and entered text is kept', async (t) => {
  const page = await seller(t, { javaScriptEnabled: false })
  await page.goto(`${APP}plans/`)
  await press(page, 'Add plan')
  await row(page, 'New plan').getByLabel('Name').fill('Team')
  await row(page, 'New plan').getByLabel('Amount').fill('49')
  await press(page, 'Add price to plan 4')
  await press(page, 'Move plan 4 up')
  assert.equal(await row(page, 'Team').getByLabel('Amount').first().inputValue(), '49')
  await press(page, 'Remove price 2 of plan 3')
  assert.equal(await row(page, 'Team').getByLabel('Amount').count(), 1)
  await press(page, 'Review changes')
  await page.getByText('Team, monthly price').waitFor()
  await press(page, 'Keep editing')
  assert.equal(await row(page, 'Team').getByLabel('Amount').inputValue(), '49')
  assert.ok(!(await prices()).some(({ product_name }) => product_name === 'Team'))
})

test('nothing is saved before the terms are accepted', async (t) => {
  const page = await seller(t)
  const { db } = setup.service.world
  await db.run(sql`update sellers set terms_accepted_at = null`)
  await page.goto(`${APP}listing/`)
  await page.getByText('Accept the seller terms', { exact: true }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByLabel('Tagline').fill('Unsaved')
  await press(page, 'Save listing')
  await arrive(page, 'Seller terms')
  assert.deepEqual(await accessibilityProblems(page), [])
  await press(page, 'I accept these terms')
  await arrive(page, 'Tidepool: listing')
  assert.notEqual(await page.getByLabel('Tagline').inputValue(), 'Unsaved')
  await page.getByLabel('Tagline').fill('Saved')
  await press(page, 'Save listing')
  await page.getByText('Listing saved.').waitFor()
  await page.goto('/dashboard/terms/')
  await page.getByText(/^You accepted these terms on/).waitFor()
})

test('an app leaves external mode only after a confirmation', async (t) => {
  const page = await seller(t)
  const { db } = setup.service.world
  const set = async (mode: string, enabled: boolean) =>
    await db.run(sql`update apps set listing_mode = ${mode}, external_sales_enabled = ${enabled}
      where slug = 'tidepool'`)
  await set('external', false)
  t.after(() => set('marketplace', true))
  await page.goto(`${APP}listing/`)
  await page.getByLabel('Marketplace', { exact: true }).check()
  await press(page, 'Save listing')
  await arrive(page, 'Switch to the marketplace?')
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByRole('link', { name: 'Keep it external' }).click()
  assert.ok(await page.getByLabel('External', { exact: true }).isChecked())
  await page.getByLabel('Marketplace', { exact: true }).check()
  await press(page, 'Save listing')
  await press(page, 'Save and switch')
  await page.getByText('Listing saved.').waitFor()
  await page.getByLabel('External', { exact: true }).check()
  await press(page, 'Save listing')
  await page.getByRole('link', { name: /^Listing mode: / }).waitFor()
})

test('a person who is not a seller gets 404 for the seller terms', async (t) => {
  const { email, password } = setup.service.demo.buyer
  const page = await setup.newPage(t)
  await page.goto('/signin/?return_to=%2Fdashboard%2Fterms%2F')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await arrive(page, 'Page not found')
})

test("the page for agents explains how to connect each one, with this service's address", async (t) => {
  const page = await setup.newPage(t, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/')
  await page.getByRole('link', { name: 'Agents' }).click()
  await arrive(page, 'Agents')
  await press(page, 'Copy: Add Purser to Claude Code')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  const { base_url } = setup.service.world.config
  assert.equal(
    copied,
    `claude mcp add --transport http --client-id purser-agent --callback-port 45454 purser ${base_url}/mcp`,
  )
  const table = page.getByRole('table', { name: 'Tools of the agent endpoint' })
  assert.equal(await table.getByRole('rowheader').count(), 11)
  await table.getByText('replace_versions').waitFor()
})
