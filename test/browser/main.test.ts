import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type BrowserTest, chargesOf, openBrowserTest } from './browser-test.ts'
import { arrive, buy, giveCard, giveDetails, keyOnSuccess, newEmail, press } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

const browsers = [
  ['with scripts, on a wide screen', { viewport: { width: 1280, height: 900 } }],
  [
    'without scripts, on a phone',
    { viewport: { width: 375, height: 800 }, javaScriptEnabled: false },
  ],
] as const

for (const [name, choices] of browsers) {
  test(`a buyer goes from Buy to a verified license, ${name}`, async (t) => {
    const page = await setup.newPage(t, choices)
    const email = newEmail()
    await page.goto(setup.site.url)
    await page.getByRole('link', { name: 'Buy Pro monthly' }).click()
    await giveDetails(page, email)
    await giveCard(page)
    await arrive(page, 'Confirm your order')
    await page.getByText('Visa ending in 4242').waitFor()
    assert.equal(await chargesOf(setup, email), 0)
    await press(page, 'Pay $12.60')

    assert.match(await keyOnSuccess(page), /^key_[0-9A-Za-z]{33}$/)
    await page.getByRole('link', { name: 'Continue to Tidepool' }).click()
    await verifiedAt(page)

    // A buyer who already owns it is redirected to the app, whichever plan the link is for.
    await page.goto(setup.site.url)
    await page.getByRole('link', { name: 'Buy Pro yearly' }).click()
    await arriveAtSite(page)
    assert.equal(await chargesOf(setup, email), 1)
  })
}

test('the success page redirects to the app automatically', async (t) => {
  const page = await setup.newPage(t)
  await page.clock.install()
  await page.goto(setup.site.url)
  const buy_url = await page.getByRole('link', { name: 'Buy Lifetime' }).getAttribute('href')
  await buy(page, { buy_url: buy_url!, email: newEmail() })
  await page
    .getByText(/^Taking you back to Tidepool in \d+ seconds$/)
    .first()
    .waitFor()
  const left = () => page.locator('[data-redirect-text]').innerText()
  // The clock of the page runs on between two statements, until it is paused.
  await page.clock.pauseAt(new Date(Date.now() + 1000))
  const texts = new Set<string>()
  for (let second = 0; second < 11; second++) {
    texts.add(await left())
    await page.clock.runFor(1000)
    if (texts.has('Taking you back to Tidepool in 1 second')) break
  }
  assert.ok(texts.has('Taking you back to Tidepool in 1 second'), [...texts].join(', '))
  await page.clock.runFor('00:20')
  await verifiedAt(page)
})

test('a buyer who wants to stay on the success page stays', async (t) => {
  const page = await setup.newPage(t)
  await page.clock.install()
  await buy(page, { buy_url: setup.service.demo.app.prices[0]!.buy_url, email: newEmail() })
  await press(page, 'Stay on this page')
  await page.getByText('You are staying on this page.', { exact: true }).first().waitFor()
  await page.clock.runFor('10:00')
  await arrive(page, 'Tidepool Pro is yours')
})

async function arriveAtSite(page: Page): Promise<void> {
  await page.waitForURL(`${setup.site.url}/**`)
}

async function verifiedAt(page: Page): Promise<void> {
  await page.waitForURL(`${setup.site.url}/app`)
  await page.getByRole('heading', { name: 'License verified' }).waitFor()
}
