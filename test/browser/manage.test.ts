import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import * as apps from '#domain/apps'
import type { AppId } from '#platform/ids'
import { cents } from '#platform/money'
import { addApp } from '../support/apps.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { DAY, runDue } from '../support/subscriber.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, buy, giveCard, giveDetails, keyOnSuccess, newEmail, press } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

let slugs = 0

/** A separate app for a test, with its own test clock. */
async function anApp(facts: { trial_days?: number } = {}) {
  const slug = `changed-${++slugs}`
  return await addApp(setup.service, { slug, name: 'Harbor', amount: cents(1000), ...facts })
}

/** Advances one app by days, and processes what is due. */
async function passDays(client_id: AppId, days: number): Promise<void> {
  const { db } = setup.service.world
  const { clock_ahead } = await apps.get(db, client_id)
  await apps.setClockAhead(db, client_id, clock_ahead + days * DAY)
  await runDue(setup.service)
}

/** Enters another card on the processor's page. */
async function enterAnother(page: Page, number: string): Promise<void> {
  await arrive(page, 'Your card and payments')
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12 / 31')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Billing ZIP code').fill('78701')
  await press(page, 'Save this card')
  await arrive(page, 'Harbor')
}

const badge = (page: Page, label: string) =>
  page.getByRole('main').getByText(label, { exact: true }).first().waitFor()

const shownKey = async (page: Page) =>
  (await page.getByLabel('License key', { exact: true }).textContent())?.trim()

test('an upgrade charges exactly what was shown, and the key stays the same', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  const { client_id, prices } = setup.service.demo.app
  const key = await buy(page, { buy_url: prices[0]!.buy_url, email })
  await page.goto(`/manage/${client_id}/`)
  await page.getByRole('link', { name: 'Change plan' }).click()
  await arrive(page, 'Change plan')
  await page
    .getByRole('article', { name: 'Lifetime' })
    .getByRole('link', { name: 'Choose' })
    .click()
  await arrive(page, 'Change to Lifetime')
  const label = await page.getByRole('button', { name: /^Pay / }).textContent()
  const [, dollars, cent] = /Pay \$(\d+)\.(\d\d) and upgrade/.exec(label ?? '')!
  await press(page, /^Pay /)
  await page.getByText('Plan changed.').waitFor()
  await badge(page, 'Lifetime')
  const taken = await chargedAmounts(setup.service, email)
  assert.deepEqual(taken, [1260, Number(dollars) * 100 + Number(cent)])
  assert.equal(await shownKey(page), key)
})

test('a renewal fails, the buyer updates the card, and the same key is active', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  const app = await anApp()
  const never_renews = '4999 9900 0000 0197'
  const key = await buy(page, { buy_url: `/buy/${app.price_id}/`, email, card: never_renews })
  await passDays(app.client_id, 32)
  await page.goto(`/manage/${app.client_id}/`)
  await page.getByRole('heading', { name: 'Your last payment failed' }).waitFor()
  await badge(page, 'Past due')
  await press(page, 'Update your card')
  await enterAnother(page, '4242 4242 4242 4242')
  await page.getByText('The payment went through, and your license is active.').waitFor()
  await badge(page, 'Active')
  assert.equal(await shownKey(page), key)
  assert.deepEqual(await chargedAmounts(setup.service, email), [1050, 1050])
  // Its receipt is a PDF that opens in the browser.
  const receipts = page.getByRole('link', { name: 'Receipt (PDF)' })
  assert.equal(await receipts.count(), 2)
  const pdf = await page.request.get((await receipts.first().getAttribute('href'))!)
  assert.equal(pdf.headers()['content-type'], 'application/pdf')
})

test('a trial becomes a paid plan on its day, for its amount', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  const app = await anApp({ trial_days: 14 })
  await page.goto(`/buy/${app.price_id}/`)
  await giveDetails(page, email)
  await giveCard(page)
  await press(page, 'Start free trial')
  const key = await keyOnSuccess(page)
  await page.goto(`/manage/${app.client_id}/`)
  await badge(page, 'Trial')
  await page.getByText('First charge').waitFor()
  // The card was verified, and nothing charged.
  assert.deepEqual(await chargedAmounts(setup.service, email), [0])
  await passDays(app.client_id, 15)
  await page.reload()
  await badge(page, 'Active')
  assert.deepEqual(await chargedAmounts(setup.service, email), [0, 1050])
  assert.equal(await shownKey(page), key)
})
