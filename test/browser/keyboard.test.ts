import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type BrowserTest, chargesOf, openBrowserTest } from './browser-test.ts'
import { arrive, CARDS, keyOnSuccess, newEmail } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

test('a purchase needs no mouse, and the focus is always visible', async (t) => {
  const page = await setup.newPage(t)
  const email = newEmail()
  await page.goto(setup.service.demo.app.prices[0]!.buy_url)
  await arrive(page, 'Your details')
  await tabTo(page, 'Email')
  await page.keyboard.type(email)
  await tabTo(page, 'Country')
  await page.keyboard.type('United States')
  await tabTo(page, 'ZIP code')
  await page.keyboard.type('78701')
  await page.keyboard.press('Enter')
  await arrive(page, 'Enter your card')
  await tabTo(page, 'Card number')
  await page.keyboard.type(CARDS.asks)
  await tabTo(page, 'Expiry')
  await page.keyboard.type('1230')
  await tabTo(page, 'CVC')
  await page.keyboard.type('123')
  await tabTo(page, 'Continue')
  await page.keyboard.press('Enter')
  await arrive(page, 'Confirm your order')
  await tabTo(page, 'Pay $12.60')
  await page.keyboard.press('Space')
  await arrive(page, 'Confirm that it is you')
  await tabTo(page, 'Complete authentication')
  await page.keyboard.press('Enter')
  await keyOnSuccess(page)
  await tabTo(page, 'Continue to Tidepool')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${setup.site.url}/**`)
  assert.equal(await chargesOf(setup, email), 1)
})

test('an error in a form takes the focus, and links to its field', async (t) => {
  const page = await setup.newPage(t)
  await page.goto(setup.service.demo.app.prices[0]!.buy_url)
  await tabTo(page, 'Continue')
  await page.keyboard.press('Enter')
  await page.getByText('Check these fields').waitFor()
  await tabTo(page, /^Enter a valid five-digit US ZIP code/)
  await page.keyboard.press('Enter')
  await page.keyboard.type('78701')
  assert.equal(await page.getByLabel('ZIP code').inputValue(), '78701')
})

test('without a summary, the first field with an error takes the focus', async (t) => {
  const { email, password } = setup.service.demo.seller
  const page = await setup.newPage(t, { viewport: { width: 375, height: 700 } })
  await page.goto('/signin/?return_to=/dashboard/apps/driftlog/integration/')
  await page.getByLabel('Email').fill(email)
  await page.keyboard.press('Enter')
  await page.waitForFunction(`document.activeElement.id === 'password'`)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await arrive(page, 'Driftlog: integration')
  await page.getByLabel('Return URL').fill('https://elsewhere.example/')
  await page.keyboard.press('Enter')
  await page.waitForFunction(`document.activeElement.id === 'link-next'`)
  assert.match(await page.title(), /^Error: /)
  assert.ok(await page.getByText('Enter an HTTPS URL on driftlog.example.').isVisible())
  await page.goto('/dashboard/team/')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.waitForFunction(`document.activeElement.id === 'email'`)
  assert.match(await page.title(), /^Error: /)
})

test('a seller adds a section without a mouse: the focus moves to it, and Enter saves', async (t) => {
  const { email, password } = setup.service.demo.seller
  const page = await setup.newPage(t)
  await page.goto('/signin/?return_to=/dashboard/apps/driftlog/listing/sections/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await arrive(page, 'Driftlog: detail sections')
  const sections = await page.getByLabel('Title').count()
  await tabTo(page, 'Add section')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: `Section ${sections + 1}` }).waitFor()
  await page.keyboard.type('The next one')
  await tabTo(page, 'Text')
  await page.keyboard.type('<p>Words.</p>')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Detail sections saved.').waitFor()
  await page.goto('/apps/driftlog/')
  await page.getByRole('heading', { name: 'The next one' }).waitFor()
})

const MAX_STEPS = 30

/** Presses Tab until the named element has the focus; each stop must be visible. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = []
  while (passed.length < MAX_STEPS) {
    await page.keyboard.press('Tab')
    const focus = await focused(page)
    assert.ok(focus.visible, `the focus shows on ${focus.name}`)
    if (typeof name === 'string' ? focus.name === name : name.test(focus.name)) return
    passed.push(focus.name)
  }
  assert.fail(`${name} is not reached by Tab, but ${passed.join(', ')}`)
}

async function focused(page: Page): Promise<{ name: string; visible: boolean }> {
  return await page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { width, height } = element.getBoundingClientRect()
    const label = element.labels?.[0]?.textContent ?? element.textContent
    const outlined = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    return { name: label?.trim() ?? '', visible: outlined && width > 1 && height > 1 }
  })
}
