/** The pricing table on a seller's page with a strict content security policy. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from './accessibility.ts'
import { type ComponentTest, newPage, open, openComponentTest } from './component-page.ts'

let shop: ComponentTest
before(async () => {
  shop = await openComponentTest()
})
after(() => shop.close())

const PRICES = '**/api/v1/public/apps/*/prices/'

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
    const page = await newPage(shop, t)
    const requests = await open(page, shop.site.page(shop.table('free-url="/start"')))
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

  test('takes the origin of a service that is named by the address of a page', async (t) => {
    const page = await newPage(shop, t)
    const service = `${shop.base_url}/apps/tidepool/?ref=coast#plans`
    await open(page, shop.site.page(shop.table(`service="${service}"`)))
    const link = page.getByRole('link', { name: 'Buy Pro, $12 per month' })
    assert.equal(await link.getAttribute('href'), shop.buy_url)
  })

  test('switches between monthly and yearly prices by keyboard', async (t) => {
    const page = await newPage(shop, t)
    await open(page, shop.site.page(shop.table()))
    const group = page.getByRole('group', { name: 'Billing' })
    await group.getByRole('radio', { name: 'Monthly' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await group.getByRole('radio', { name: 'Yearly' }).isChecked(), true)
    assert.deepEqual((await columns(page))[1], ['Pro', '$96 per year', 'Buy Pro'])
    assert.equal((await columns(page))[2]![1], '$180 once')
    assert.equal(await page.getByRole('status').textContent(), 'Yearly')
    const yearly = page.getByRole('link', { name: 'Buy Pro, $96 per year' })
    const { public_id } = shop.setup.service.demo.app.prices[1]!
    assert.equal(await yearly.getAttribute('href'), `${shop.base_url}/buy/${public_id}/`)
  })

  test('has the name of the switch on the line of its choices', async (t) => {
    const page = await newPage(shop, t)
    await open(page, shop.site.page(shop.table()))
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
    const page = await newPage(shop, t)
    await page.route(PRICES, async (route) => {
      const answer = await route.fetch()
      const json = await answer.json()
      json.prices = json.prices.filter((each: { frequency: string }) => each.frequency !== 'month')
      await route.fulfill({ response: answer, json })
    })
    await open(page, shop.site.page(shop.table()))
    await page.locator('.purser-plans').waitFor()
    assert.equal(await page.getByRole('radio').count(), 0)
    assert.deepEqual((await columns(page))[1], ['Pro', '$96 per year', 'Buy Pro'])
    await page.unroute(PRICES)
    await open(page, shop.site.page(shop.table('frequency="year"')))
    await page.getByRole('radio', { name: 'Yearly' }).waitFor()
    assert.deepEqual((await columns(page))[1], ['Pro', '$96 per year', 'Buy Pro'])
  })

  test('sends next, ref, email and discount to the checkout, which accepts them', async (t) => {
    const page = await newPage(shop, t)
    const next = `${shop.setup.site.url}/return`
    const attributes = `next="${next}" affiliate="coast-walks" email="a@example.com"`
    await open(page, shop.site.page(shop.table(attributes)))
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
    const page = await newPage(shop, t)
    const url = shop.site.page(shop.table('next="/return?from=plans"'))
    await open(page, url)
    await page.getByRole('link', { name: 'Buy Pro' }).click()
    await page.getByLabel('Email').waitFor()
    const next = new URL('/return?from=plans', url).href
    assert.equal(new URL(page.url()).searchParams.get('next'), next)
  })

  test('keeps its content while prices cannot be loaded, and a second try shows them', async (t) => {
    const page = await newPage(shop, t)
    let broken = true
    await page.route(PRICES, (route) => (broken ? route.abort() : route.continue()))
    await open(page, shop.site.page(shop.table('', `<a href="${shop.buy_url}">Buy Pro</a>`)))
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    assert.equal(
      await page.getByRole('link', { name: 'Buy Pro' }).getAttribute('href'),
      shop.buy_url,
    )
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
    const page = await newPage(shop, t)
    const arrived = Promise.withResolvers<void>()
    await page.route(PRICES, async (route) => {
      await arrived.promise
      await route.continue()
    })
    await open(page, shop.site.page(shop.table()))
    const element = page.locator('purser-pricing-table[aria-busy=true]')
    await element.waitFor()
    assert.equal(await element.getByRole('status').textContent(), 'Loading prices…')
    assert.ok((await element.boundingBox())!.height >= 280)
    arrived.resolve()
    await page.locator('purser-pricing-table:not([aria-busy])').waitFor()
  })

  test('is not busy and shows its content when its app is removed while it loads', async (t) => {
    const page = await newPage(shop, t)
    await page.route(PRICES, () => {})
    await open(page, shop.site.page(shop.table('', `<a href="${shop.buy_url}">Buy Pro</a>`)))
    await page.locator('purser-pricing-table[aria-busy=true]').waitFor()
    await page.locator('purser-pricing-table').evaluate((element) => {
      element.removeAttribute('client-id')
    })
    await page.locator('purser-pricing-table:not([aria-busy])').waitFor({ timeout: 10_000 })
    await page.getByRole('link', { name: 'Buy Pro' }).waitFor()
  })

  test('says that no plan is for sale', async (t) => {
    const page = await newPage(shop, t)
    await page.route(PRICES, (route) =>
      route.fulfill({
        json: { client_id: shop.client_id, app_name: 'Tidepool', has_free_tier: false, prices: [] },
        headers: { 'access-control-allow-origin': '*' },
      }),
    )
    await open(page, shop.site.page(shop.table()))
    await page.getByText('No plans are for sale right now.').waitFor()
  })

  test('speaks the language of its page, with texts of the seller', async (t) => {
    const page = await newPage(shop, t)
    await open(page, shop.site.page(shop.table('text-buy="Llévate {plan}"'), 'es-MX'))
    await page.getByRole('radio', { name: 'Mensual' }).waitFor()
    assert.deepEqual((await columns(page))[1], ['Pro', 'USD\u00a012 al mes', 'Llévate Pro'])
    await page.evaluate(
      'document.querySelector("purser-pricing-table").texts = { per_month: "{price}/mes" }',
    )
    await page.getByText('USD 12/mes').waitFor()
  })

  test('keeps the order of a price and its English text on a page from right to left', async (t) => {
    const page = await newPage(shop, t)
    const { public_id } = shop.setup.service.demo.app.prices[0]!
    const own = 'text-per-month="{price} / month" text-free="Free!"'
    const button = `<purser-buy-button client-id="${shop.client_id}" price-id="${public_id}" ${own}>
      </purser-buy-button>`
    for (const lang of ['en', 'ar']) {
      await open(page, shop.site.page(`<div dir="rtl">${shop.table(own)}${button}</div>`, lang))
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
    const page = await newPage(shop, t)
    await open(page, shop.site.page(shop.table('text-buy="Get {plan}"')))
    await page.getByText('Get Pro').waitFor()
    await page.locator('purser-pricing-table').evaluate((element) => {
      element.setAttribute('text-buy', 'Choose {plan}')
      element.setAttribute('text-per-month', '{price} a month')
    })
    await page.getByText('Choose Pro').waitFor({ timeout: 10_000 })
    await page.getByText('$12 a month').waitFor({ timeout: 10_000 })
  })

  test('breaks a long word in a name, so that it stays in its column', async (t) => {
    const page = await newPage(shop, t, { viewport: { width: 320, height: 700 } })
    const { public_id } = shop.setup.service.demo.app.prices[0]!
    await page.route(PRICES, async (route) => {
      const answer = await route.fetch()
      const json = await answer.json()
      for (const each of json.prices) each.product_name = 'Unterwasserfotografie'.repeat(4)
      await route.fulfill({ response: answer, json })
    })
    const button = `<purser-buy-button client-id="${shop.client_id}" price-id="${public_id}">
      </purser-buy-button>`
    await open(page, shop.site.page(shop.table() + button))
    await page.locator('.purser-plans').waitFor()
    const widths = await page
      .locator('.purser-plan, .purser-buy, .purser-plan-name')
      .evaluateAll((all) => all.map(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth))
    assert.ok(widths.length > 5)
    assert.deepEqual([...new Set(widths)], [0])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
  })

  test('shows its content without scripts', async (t) => {
    const page = await newPage(shop, t, { javaScriptEnabled: false })
    await page.goto(shop.site.page(shop.table('', `<a href="${shop.buy_url}">Buy Pro</a>`)))
    await page.getByRole('link', { name: 'Buy Pro' }).click()
    await page.waitForURL('**/buy/**')
  })
})
