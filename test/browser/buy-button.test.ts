/** The buy button on a seller's page, and the components in a bundle of that page. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from './accessibility.ts'
import { type ComponentTest, newPage, open, openComponentTest } from './component-page.ts'

let shop: ComponentTest
before(async () => {
  shop = await openComponentTest()
})
after(() => shop.close())

/** Has a page load a bundle of this code in place of the script that the service serves. */
async function serveBundle(page: Page, contents: string): Promise<void> {
  const stdin = { contents, resolveDir: resolve('packages/components/src') }
  const options = { bundle: true, write: false, format: 'esm', target: 'es2022' } as const
  const { outputFiles } = await build({ stdin, ...options })
  const body = outputFiles[0]!.text
  await page.route('**/components/v1.js', async (route) => {
    const headers = { 'access-control-allow-origin': '*' }
    await route.fulfill({ body, contentType: 'text/javascript', headers })
  })
}

describe('a bundle of the page', () => {
  const LOAD = "import { setDefaultService } from './index.ts'"

  test('names the service of the elements that the page has already', async (t) => {
    const page = await newPage(shop, t)
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await serveBundle(page, `${LOAD}\nsetDefaultService(${JSON.stringify(shop.base_url)})`)
    const button = `<purser-buy-button price-id="${shop.price_id}"></purser-buy-button>`
    await open(page, shop.site.page(shop.table() + button))
    await page.locator('.purser-plans').waitFor()
    const buy = page.locator('purser-buy-button a')
    assert.equal(await buy.getAttribute('href'), shop.buy_url)
    assert.deepEqual(errors, [])
  })

  test('may name the service later, such as after the page was hydrated', async (t) => {
    const page = await newPage(shop, t)
    const call = `setDefaultService(${JSON.stringify(shop.base_url)})`
    await serveBundle(page, `${LOAD}\naddEventListener('click', () => ${call})`)
    await open(page, shop.site.page(shop.table('', '<p>Soon</p>')))
    await page.getByText('Soon').click()
    await page.locator('.purser-plans').waitFor()
  })
})

describe('the buy button', () => {
  const button = (attributes: string, inside = '') =>
    `<purser-buy-button ${attributes}>${inside}</purser-buy-button>`

  test('is a link at once, and says the live price with the client ID', async (t) => {
    const page = await newPage(shop, t)
    const [monthly, yearly] = shop.setup.service.demo.app.prices
    const requests = await open(
      page,
      shop.site.page(
        button(
          `price-id="${monthly!.public_id}" ref="coast-walks"`,
          `<a href="${shop.buy_url}">Get it</a>`,
        ) +
          button(`price-id="${monthly!.public_id}" client-id="${shop.client_id}"`) +
          button(`price-id="${yearly!.public_id}" client-id="${shop.client_id}"`) +
          button(`price-id="prc_Unknown" client-id="${shop.client_id}"`) +
          shop.table(),
      ),
    )
    const own = page.getByRole('link', { name: 'Get it' })
    assert.equal(await own.getAttribute('href'), `${shop.buy_url}?ref=coast-walks`)
    await page.getByRole('link', { name: 'Buy Pro, $12 per month' }).first().waitFor()
    await page.getByRole('link', { name: 'Buy Pro, $96 per year' }).first().waitFor()
    await page.getByText('This plan is not for sale right now.').waitFor()
    assert.equal(requests.length, 1)
    assert.deepEqual(await accessibilityProblems(page), [])
  })

  test('without the URL of a service it keeps its content, and the console says why', async (t) => {
    const page = await newPage(shop, t)
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    const named = 'service="purser.example"'
    const own = `<a href="${shop.buy_url}">Get it</a>`
    const { public_id } = shop.setup.service.demo.app.prices[0]!
    const attributes = `price-id="${public_id}" client-id="${shop.client_id}" ${named}`
    const requests = await open(
      page,
      shop.site.page(button(attributes, own) + shop.table(named, own)),
    )
    const links = page.getByRole('link', { name: 'Get it' })
    await links.nth(1).waitFor()
    const hrefs = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    assert.deepEqual(hrefs, [shop.buy_url, shop.buy_url])
    assert.equal(await page.locator('[aria-busy]').count(), 0)
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(requests, [])
    assert.equal(messages.filter((text) => text.includes('service, a URL')).length, 2)
  })

  test('without the ID of a price it keeps its own link, and the console says why', async (t) => {
    const page = await newPage(shop, t)
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    const own = `<a href="${shop.buy_url}">Get it</a>`
    await open(page, shop.site.page(button(`price-id="${shop.buy_url}"`, own)))
    await page.waitForFunction(() => !document.querySelector('.purser-buy'))
    const found = page.getByRole('link', { name: 'Get it' })
    assert.equal(await found.getAttribute('href'), shop.buy_url)
    assert.equal(messages.filter((text) => text.includes('price-id (prc_…)')).length, 1)
  })

  test('the page can cancel a click', async (t) => {
    const page = await newPage(shop, t)
    const { public_id } = shop.setup.service.demo.app.prices[0]!
    const url = shop.site.page(button(`price-id="${public_id}"`))
    await open(page, url)
    await page.evaluate(`addEventListener('purser-buy', (event) => {
      event.preventDefault()
      document.title = event.detail.price.public_id
    })`)
    await page.getByRole('link', { name: 'Buy' }).click()
    assert.equal(await page.title(), public_id)
    assert.equal(page.url(), url)
  })
})
