/** The web components on a seller's page with a strict content security policy. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { build } from 'esbuild'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type ComponentSite, openComponentSite } from '../support/component-site.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'

let setup: BrowserTest
let site: ComponentSite
let client_id: string
let base_url: string
before(async () => {
  setup = await openBrowserTest()
  base_url = setup.service.world.config.base_url
  client_id = setup.service.demo.app.client_id
  site = await openComponentSite(base_url)
})
after(async () => {
  await site?.[Symbol.asyncDispose]()
  await setup.close()
})

const PRICES = '**/api/v1/public/apps/*/prices/'
const link = () => `${base_url}/buy/${priceId()}/`
const priceId = () => setup.service.demo.app.prices[0]!.public_id
const table = (attributes = '', inside = '') =>
  `<purser-pricing-table client-id="${client_id}" ${attributes}>${inside}</purser-pricing-table>`

/** A page of a browser; an error of a script, or what the policy refuses, fails the test. */
async function newPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await setup.browser.newContext(options)
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) faults.push(message.text())
  })
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  return await context.newPage()
}

/** Opens a page of the seller, and returns its requests for prices as they come. */
async function open(page: Page, url: string): Promise<string[]> {
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/prices/')) requests.push(request.url())
  })
  await page.goto(url)
  return requests
}

/** The columns as a person reads them. */
const columns = (page: Page) =>
  page
    .locator('.purser-plan')
    .evaluateAll((plans) =>
      plans.map((plan) => [...plan.children].map((child) => child.textContent)),
    )

/** The words, numbers and marks of an element, from left to right as they are drawn. */
function inOrder(element: Element): string[] {
  const drawn: { text: string; left: number }[] = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode
    for (const { 0: text, index } of node.nodeValue!.matchAll(/\d+|Buy|Pro|Free|month|!/g)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + text.length)
      drawn.push({ text, left: range.getBoundingClientRect().left })
    }
  }
  return drawn.sort((one, other) => one.left - other.left).map(({ text }) => text)
}

describe('the pricing table', () => {
  test('shows live prices under a strict policy, on phones and desktops, without faults', async (t) => {
    const page = await newPage(t)
    const requests = await open(page, site.page(table('free-url="/start"')))
    await page.locator('.purser-plans').waitFor()
    assert.deepEqual(await columns(page), [
      ['Free', '$0', 'Start for free'],
      ['Pro', '$12 per month', 'Buy Pro'],
      ['Lifetime', '$180 once', 'Buy Lifetime'],
    ])
    assert.deepEqual(await accessibilityProblems(page), [])
    assert.equal(requests.length, 1)
    const styles = await page
      .locator('.purser-buy')
      .first()
      .evaluate((each) => {
        const { backgroundColor, fontFamily } = getComputedStyle(each)
        return [backgroundColor, fontFamily]
      })
    assert.deepEqual(styles, ['rgb(11, 74, 143)', 'Georgia, serif'])
  })

  test('switches between monthly and yearly prices by keyboard', async (t) => {
    const page = await newPage(t)
    await open(page, site.page(table()))
    const group = page.getByRole('group', { name: 'Billing' })
    await group.getByRole('radio', { name: 'Monthly' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await group.getByRole('radio', { name: 'Yearly' }).isChecked(), true)
    assert.deepEqual((await columns(page))[1], ['Pro', '$96 per year', 'Buy Pro'])
    assert.equal((await columns(page))[2]![1], '$180 once')
    assert.equal(await page.getByRole('status').textContent(), 'Yearly')
    const yearly = page.getByRole('link', { name: 'Buy Pro, $96 per year' })
    const { public_id } = setup.service.demo.app.prices[1]!
    assert.equal(await yearly.getAttribute('href'), `${base_url}/buy/${public_id}/`)
  })

  test('has the name of the switch on the line of its choices', async (t) => {
    const page = await newPage(t)
    await open(page, site.page(table()))
    await page.getByRole('radio', { name: 'Yearly' }).waitFor()
    await page.locator('.purser-switch').evaluate(({ style }) => {
      style.lineHeight = '1'
    })
    const middles = await page.locator('.purser-switch > *').evaluateAll((parts) =>
      parts.map((part) => {
        const text = document.createRange()
        text.selectNodeContents(part.lastChild!)
        const { top, bottom } = text.getBoundingClientRect()
        return (top + bottom) / 2
      }),
    )
    assert.equal(middles.length, 3)
    assert.ok(Math.max(...middles) - Math.min(...middles) <= 1, middles.join(', '))
  })

  test('has no switch where no plan has both, and begins with the frequency that is asked for', async (t) => {
    const page = await newPage(t)
    await page.route(PRICES, async (route) => {
      const answer = await route.fetch()
      const json = await answer.json()
      json.prices = json.prices.filter((each: { frequency: string }) => each.frequency !== 'month')
      await route.fulfill({ response: answer, json })
    })
    await open(page, site.page(table()))
    await page.locator('.purser-plans').waitFor()
    assert.equal(await page.getByRole('radio').count(), 0)
    assert.deepEqual((await columns(page))[1], ['Pro', '$96 per year', 'Buy Pro'])
    await page.unroute(PRICES)
    await open(page, site.page(table('frequency="year"')))
    await page.getByRole('radio', { name: 'Yearly' }).waitFor()
    assert.deepEqual((await columns(page))[1], ['Pro', '$96 per year', 'Buy Pro'])
  })

  test('sends next, ref, email and discount to the checkout, which accepts them', async (t) => {
    const page = await newPage(t)
    const next = `${setup.site.url}/return`
    const attributes = `next="${next}" affiliate="coast-walks" email="a@example.com"`
    await open(page, site.page(table(attributes)))
    await page.getByRole('link', { name: 'Buy Pro' }).click()
    await page.waitForURL('**/buy/**')
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), {
      next,
      ref: 'coast-walks',
      email: 'a@example.com',
    })
    assert.equal(await page.getByLabel('Email').inputValue(), 'a@example.com')
  })

  test('resolves a next without a host against its page', async (t) => {
    const page = await newPage(t)
    const url = site.page(table('next="/return?from=plans"'))
    await open(page, url)
    await page.getByRole('link', { name: 'Buy Pro' }).click()
    await page.getByLabel('Email').waitFor()
    const next = new URL('/return?from=plans', url).href
    assert.equal(new URL(page.url()).searchParams.get('next'), next)
  })

  test('keeps its content while prices cannot be loaded, and a second try shows them', async (t) => {
    const page = await newPage(t)
    let broken = true
    await page.route(PRICES, (route) => (broken ? route.abort() : route.continue()))
    await open(page, site.page(table('', `<a href="${link()}">Buy Pro</a>`)))
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    assert.equal(await page.getByRole('link', { name: 'Buy Pro' }).getAttribute('href'), link())
    assert.match((await page.getByRole('alert').textContent())!, /cannot be loaded/)
    assert.deepEqual(await accessibilityProblems(page), [])
    broken = false
    await retry.press('Enter')
    await page.locator('.purser-plans').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    const focused = await page.evaluate('document.activeElement.localName')
    assert.equal(focused, 'purser-pricing-table')
  })

  test('is busy and keeps its space while it loads', async (t) => {
    const page = await newPage(t)
    const arrived = Promise.withResolvers<void>()
    await page.route(PRICES, async (route) => {
      await arrived.promise
      await route.continue()
    })
    await open(page, site.page(table()))
    const element = page.locator('purser-pricing-table[aria-busy=true]')
    await element.waitFor()
    assert.equal(await element.getByRole('status').textContent(), 'Loading prices…')
    assert.ok((await element.boundingBox())!.height >= 280)
    arrived.resolve()
    await page.locator('purser-pricing-table:not([aria-busy])').waitFor()
  })

  test('is not busy and shows its content when its app is removed while it loads', async (t) => {
    const page = await newPage(t)
    await page.route(PRICES, () => {})
    await open(page, site.page(table('', `<a href="${link()}">Buy Pro</a>`)))
    await page.locator('purser-pricing-table[aria-busy=true]').waitFor()
    await page.locator('purser-pricing-table').evaluate((element) => {
      element.removeAttribute('client-id')
    })
    await page.locator('purser-pricing-table:not([aria-busy])').waitFor({ timeout: 10_000 })
    await page.getByRole('link', { name: 'Buy Pro' }).waitFor()
  })

  test('says that no plan is for sale', async (t) => {
    const page = await newPage(t)
    await page.route(PRICES, (route) =>
      route.fulfill({
        json: { client_id, app_name: 'Tidepool', has_free_tier: false, prices: [] },
        headers: { 'access-control-allow-origin': '*' },
      }),
    )
    await open(page, site.page(table()))
    await page.getByText('No plans are for sale right now.').waitFor()
  })

  test('speaks the language of its page, with texts of the seller', async (t) => {
    const page = await newPage(t)
    await open(page, site.page(table('text-buy="Llévate {plan}"'), 'es-MX'))
    await page.getByRole('radio', { name: 'Mensual' }).waitFor()
    assert.deepEqual((await columns(page))[1], ['Pro', 'USD\u00a012 al mes', 'Llévate Pro'])
    await page.evaluate(
      'document.querySelector("purser-pricing-table").texts = { per_month: "{price}/mes" }',
    )
    await page.getByText('USD 12/mes').waitFor()
  })

  test('keeps the order of a price and its English text on a page from right to left', async (t) => {
    const page = await newPage(t)
    const { public_id } = setup.service.demo.app.prices[0]!
    const own = 'text-per-month="{price} / month" text-free="Free!"'
    const button = `<purser-buy-button client-id="${client_id}" price-id="${public_id}" ${own}>
      </purser-buy-button>`
    for (const lang of ['en', 'ar']) {
      await open(page, site.page(`<div dir="rtl">${table(own)}${button}</div>`, lang))
      await page.locator('purser-buy-button .purser-buy[aria-label]').waitFor()
      assert.deepEqual(
        await page.locator('.purser-plan:nth-child(2) .purser-price').evaluate(inOrder),
        ['12', 'month'],
        lang,
      )
      assert.deepEqual(
        await page.locator('purser-buy-button .purser-buy').evaluate(inOrder),
        ['Buy', 'Pro', '12', 'month'],
        lang,
      )
      assert.deepEqual(await page.locator('.purser-plan-name').first().evaluate(inOrder), [
        'Free',
        '!',
      ])
    }
  })

  test('shows a text of the seller as soon as its attribute changes', async (t) => {
    const page = await newPage(t)
    await open(page, site.page(table('text-buy="Get {plan}"')))
    await page.getByText('Get Pro').waitFor()
    await page.locator('purser-pricing-table').evaluate((element) => {
      element.setAttribute('text-buy', 'Choose {plan}')
      element.setAttribute('text-per-month', '{price} a month')
    })
    await page.getByText('Choose Pro').waitFor({ timeout: 10_000 })
    await page.getByText('$12 a month').waitFor({ timeout: 10_000 })
  })

  test('breaks a long word in a name, so that it stays in its column', async (t) => {
    const page = await newPage(t, { viewport: { width: 320, height: 700 } })
    const { public_id } = setup.service.demo.app.prices[0]!
    await page.route(PRICES, async (route) => {
      const answer = await route.fetch()
      const json = await answer.json()
      for (const each of json.prices) each.product_name = 'Unterwasserfotografie'.repeat(4)
      await route.fulfill({ response: answer, json })
    })
    const button = `<purser-buy-button client-id="${client_id}" price-id="${public_id}">
      </purser-buy-button>`
    await open(page, site.page(table() + button))
    await page.locator('.purser-plans').waitFor()
    const widths = await page
      .locator('.purser-plan, .purser-buy, .purser-plan-name')
      .evaluateAll((all) => all.map(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth))
    assert.ok(widths.length > 5)
    assert.deepEqual([...new Set(widths)], [0])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
  })

  test('shows its content without scripts', async (t) => {
    const page = await newPage(t, { javaScriptEnabled: false })
    await page.goto(site.page(table('', `<a href="${link()}">Buy Pro</a>`)))
    await page.getByRole('link', { name: 'Buy Pro' }).click()
    await page.waitForURL('**/buy/**')
  })
})

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
    const page = await newPage(t)
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await serveBundle(page, `${LOAD}\nsetDefaultService(${JSON.stringify(base_url)})`)
    const button = `<purser-buy-button price-id="${priceId()}"></purser-buy-button>`
    await open(page, site.page(table() + button))
    await page.locator('.purser-plans').waitFor()
    const buy = page.locator('purser-buy-button a')
    assert.equal(await buy.getAttribute('href'), link())
    assert.deepEqual(errors, [])
  })

  test('may name the service later, such as after the page was hydrated', async (t) => {
    const page = await newPage(t)
    const call = `setDefaultService(${JSON.stringify(base_url)})`
    await serveBundle(page, `${LOAD}\naddEventListener('click', () => ${call})`)
    await open(page, site.page(table('', '<p>Soon</p>')))
    await page.getByText('Soon').click()
    await page.locator('.purser-plans').waitFor()
  })
})

describe('the buy button', () => {
  const button = (attributes: string, inside = '') =>
    `<purser-buy-button ${attributes}>${inside}</purser-buy-button>`

  test('is a link at once, and says the live price with the client ID', async (t) => {
    const page = await newPage(t)
    const [monthly, yearly] = setup.service.demo.app.prices
    const requests = await open(
      page,
      site.page(
        button(
          `price-id="${monthly!.public_id}" ref="coast-walks"`,
          `<a href="${link()}">Get it</a>`,
        ) +
          button(`price-id="${monthly!.public_id}" client-id="${client_id}"`) +
          button(`price-id="${yearly!.public_id}" client-id="${client_id}"`) +
          button(`price-id="prc_Unknown" client-id="${client_id}"`) +
          table(),
      ),
    )
    const own = page.getByRole('link', { name: 'Get it' })
    assert.equal(await own.getAttribute('href'), `${link()}?ref=coast-walks`)
    await page.getByRole('link', { name: 'Buy Pro, $12 per month' }).first().waitFor()
    await page.getByRole('link', { name: 'Buy Pro, $96 per year' }).first().waitFor()
    await page.getByText('This plan is not for sale right now.').waitFor()
    assert.equal(requests.length, 1)
    assert.deepEqual(await accessibilityProblems(page), [])
  })

  test('without the URL of a service it keeps its content, and the console says why', async (t) => {
    const page = await newPage(t)
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    const named = 'service="purser.example"'
    const own = `<a href="${link()}">Get it</a>`
    const { public_id } = setup.service.demo.app.prices[0]!
    const attributes = `price-id="${public_id}" client-id="${client_id}" ${named}`
    const requests = await open(page, site.page(button(attributes, own) + table(named, own)))
    const links = page.getByRole('link', { name: 'Get it' })
    await links.nth(1).waitFor()
    const hrefs = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    assert.deepEqual(hrefs, [link(), link()])
    assert.equal(await page.locator('[aria-busy]').count(), 0)
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(requests, [])
    assert.equal(messages.filter((text) => text.includes('service, a URL')).length, 2)
  })

  test('without the ID of a price it keeps its own link, and the console says why', async (t) => {
    const page = await newPage(t)
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    const own = `<a href="${link()}">Get it</a>`
    await open(page, site.page(button(`price-id="${link()}"`, own)))
    await page.waitForFunction(() => !document.querySelector('.purser-buy'))
    const found = page.getByRole('link', { name: 'Get it' })
    assert.equal(await found.getAttribute('href'), link())
    assert.equal(messages.filter((text) => text.includes('price-id (prc_…)')).length, 1)
  })

  test('the page can cancel a click', async (t) => {
    const page = await newPage(t)
    const { public_id } = setup.service.demo.app.prices[0]!
    const url = site.page(button(`price-id="${public_id}"`))
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
