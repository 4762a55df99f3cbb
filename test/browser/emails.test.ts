import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { emailHtml, footerOf } from '../../src/surfaces/emails/render.tsx'
import type { EmailContent } from '../../src/surfaces/emails/template.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { countEmails, followLink, openEmail } from './emails.ts'
import { arrive, buy, newEmail, press } from './steps.ts'

const PASSWORD = 'a walk along the shore'

let setup: BrowserTest
let buy_url: string
before(async () => {
  setup = await openBrowserTest()
  buy_url = setup.service.demo.app.prices[0]!.buy_url
})
after(() => setup.close())

const receipt = /^Your receipt for Tidepool Pro$/

async function receiptOf(page: Page, email: string): Promise<void> {
  await openEmail(setup, page, { email, subject: receipt })
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
}

test('the receipt contains the key, the amounts and the links, and confirming the email signs in fully', async (t) => {
  const email = newEmail()
  const buyer = await setup.newPage(t)
  const key = await buy(buyer, { buy_url, email })
  await buyer.goto('/account/')
  await buyer.getByText('Confirm your email').waitFor()

  const reader = await setup.newPage(t)
  await receiptOf(reader, email)
  const message = await reader.getByRole('main').textContent()
  for (const text of [key, '$12.00', '$0.60', '$12.60', 'visa ending in 4242']) {
    assert.ok(message?.toLowerCase().includes(text.toLowerCase()), text)
  }
  await followLink(reader, 'verify_email')
  await arrive(reader, 'Confirm your email')
  await press(reader, 'Confirm my email')
  await arrive(reader, 'Your purchases')
  assert.equal(await reader.getByText('Confirm your email').count(), 0)

  // The buyer had not confirmed this email, so that session ended.
  await buyer.goto('/account/')
  await arrive(buyer, 'Sign in')
  // The link is used up.
  await receiptOf(reader, email)
  await followLink(reader, 'verify_email')
  await arrive(reader, 'This link has expired or was already used')
})

test('an amount never breaks across lines on a narrow phone, and an address does', async (t) => {
  const amount = ['Charged on November 26, 2027', '$1,100.80'] as [string, string]
  const address = ['Email', 'someone.with.a.long.name@a-long-domain.example'] as [string, string]
  const blocks = [amount, address].map((row) => ({ kind: 'rows' as const, rows: [row] }))
  const content: EmailContent = { subject: '', heading: '', blocks }
  const reader = await setup.newPage(t)
  await reader.setViewportSize({ width: 240, height: 800 })
  await reader.setContent(emailHtml(content, footerOf(setup.service.world.config)))
  const lines = await reader.locator('td:nth-child(2)').evaluateAll((cells) =>
    cells.map((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return range.getClientRects().length
    }),
  )
  assert.equal(lines[0], 1)
  assert.ok(lines[1]! > 1)
  assert.ok(await reader.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
})

test('what an email asks for is a button that a finger can press, and other links are not', async (t) => {
  const blocks = (['action', 'link'] as const).map((kind) => ({ kind, label: kind, url: '/' }))
  const reader = await setup.newPage(t)
  await reader.setViewportSize({ width: 375, height: 800 })
  const content: EmailContent = { subject: '', heading: '', blocks }
  await reader.setContent(emailHtml(content, footerOf(setup.service.world.config)))
  const heightOf = async (name: string) =>
    (await reader.getByRole('link', { name, exact: true }).boundingBox())!.height
  assert.ok((await heightOf('action')) >= 44)
  assert.ok((await heightOf('link')) < 30)
})

test('a password is set from the receipt, and works from then on', async (t) => {
  const email = newEmail()
  await buy(await setup.newPage(t), { buy_url, email })
  const reader = await setup.newPage(t)
  await receiptOf(reader, email)
  await followLink(reader, 'set_password')
  await reader.getByLabel('New password').fill('short')
  await press(reader, 'Save password')
  await reader.getByText('Use at least 10 characters.').first().waitFor()
  await reader.getByLabel('New password').fill(PASSWORD)
  await press(reader, 'Save password')
  await arrive(reader, 'Your purchases')

  const page = await setup.newPage(t)
  await signIn(page, email, 'some other password')
  await page.getByRole('alert').waitFor()
  await signIn(page, email, PASSWORD)
  await arrive(page, 'Your purchases')
})

test('"This was not me" locks the account: its sessions end and no link works', async (t) => {
  const email = newEmail()
  const other = await setup.newPage(t)
  await buy(other, { buy_url, email })
  const reader = await setup.newPage(t)
  await receiptOf(reader, email)
  await followLink(reader, 'not_me')
  await arrive(reader, 'This was not me')
  await press(reader, 'Lock the account')
  await arrive(reader, 'Account locked')
  await other.goto('/account/')
  await arrive(other, 'Sign in')
  await receiptOf(reader, email)
  await followLink(reader, 'verify_email')
  await arrive(reader, 'This link has expired or was already used')
})

test('the success page resends the receipt', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  await buy(page, { buy_url, email })
  await press(page, 'Resend receipt email')
  await page.getByText(`We sent the receipt to ${email} again.`).waitFor()
  await openEmail(setup, page, { email, subject: receipt, count: 2 })
  assert.equal(await countEmails(setup, email), 2)
})

test('the manage page shows the plan and the key, and links back to the app', async (t) => {
  const email = newEmail()
  const page = await setup.newPage(t)
  const key = await buy(page, { buy_url, email })
  const { client_id } = setup.service.demo.app
  const next = `${setup.site.url}/app?from=manage`
  await page.goto(`/manage/${client_id}/?next=${encodeURIComponent(next)}`)
  await arrive(page, 'Tidepool')
  assert.equal(await page.getByLabel('License key', { exact: true }).textContent(), key)
  await press(page, 'Resend receipt email')
  await page.getByText('We sent the receipt again.').waitFor()
  const back = page.getByRole('link', { name: 'Back to your app' })
  assert.equal(await back.getAttribute('href'), next)
  await back.click()
  await page.waitForURL(next)
})

test('a manage link with a return address elsewhere is refused', async (t) => {
  const page = await setup.newPage(t)
  const { client_id } = setup.service.demo.app
  await page.goto(`/manage/${client_id}/?next=https://elsewhere.example/`)
  await arrive(page, /misconfigured/)
  assert.equal(await page.locator('a[href*="elsewhere"]').count(), 0)
})
