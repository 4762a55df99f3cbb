import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { prepareDataFolder } from '../support/database.ts'
import { endProcesses, type Running, startProcess } from '../support/process.ts'
import { recordFaults } from './faults.ts'
import { arrive, buy, press } from './steps.ts'

const PASSWORD = 'a walk along the shore'
const SELLER = 'ida@lantern.example'
const data_dir = mkdtempSync(join(tmpdir(), 'purser-first-seller-'))

let settings: Record<string, string>
let service: Running
let browser: Browser
before(async () => {
  await prepareDataFolder(data_dir)
  settings = { DATA_DIR: data_dir, DEMO: '0', PORT: String(await freePort()) }
  service = await startProcess('src/main.ts', settings)
  browser = await borrowBrowser()
})
after(async () => {
  await returnBrowser()
  endProcesses()
  rmSync(data_dir, { recursive: true, force: true })
})

/** What a person did: counted for the test's output. */
const effort = { clicks: 0, fields: 0 }

async function click(page: Page, name: string | RegExp): Promise<void> {
  effort.clicks++
  await page
    .getByRole('button', { name })
    .or(page.getByRole('link', { name, exact: typeof name === 'string' }))
    .first()
    .click()
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    effort.fields++
    await page.getByLabel(label, { exact: true }).first().fill(value)
  }
}

/** A new browser; an unexpected error in it fails the test. */
async function newBrowser(t: TestContext): Promise<Page> {
  const context = await browser.newContext({ baseURL: service.base_url })
  context.setDefaultTimeout(20_000)
  const faults = recordFaults(context, service.base_url)
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  return await context.newPage()
}

/** The URL that `npm run staff:add` prints. */
async function staffLink(email: string): Promise<string> {
  const program = ['--import', './scripts/register-tsx.mjs', 'scripts/staff-add.ts', email]
  const env = { PATH: process.env.PATH, ENV_FILE: devNull, ...settings }
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  return (await text(child.stdout)).trim()
}

/** The first member of staff, from the command's link to the admin area. */
async function becomeStaff(t: TestContext): Promise<Page> {
  const page = await newBrowser(t)
  await page.goto('/')
  await page.getByText('npm run staff:add').waitFor()
  await page.goto(await staffLink('otis@lantern.example'))
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Join the staff')
  await page.getByRole('link', { name: 'Go to Security' }).click()
  await press(page, 'Set up an authenticator app')
  const key = (await page.getByLabel('Setup key', { exact: true }).textContent())?.trim() ?? ''
  const code = new TOTP({ secret: Secret.fromBase32(key) }).generate()
  await page.getByLabel('Authentication code').fill(code)
  await press(page, 'Turn it on')
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await arrive(page, 'Admin')
  return page
}

/** From the home page to the form of a seller, by a new account. */
async function signUpToSell(page: Page): Promise<void> {
  await page.goto('/')
  await click(page, 'Start selling')
  await click(page, 'Create an account')
  await fill(page, { Email: SELLER, Password: PASSWORD })
  await click(page, 'Create account')
  await page.getByText('Check your inbox').waitFor()
  await openMail(page, /^Confirm your email/)
  await page.locator('main a[href*="/link/sign_up/"]').click()
  await click(page, 'Confirm my email')
  await arrive(page, 'Start selling')
}

async function openMail(page: Page, subject: RegExp): Promise<void> {
  for (let tries = 0; tries < 80; tries++) {
    await page.goto('/dev/mailbox/')
    const link = page.getByRole('link', { name: subject })
    if ((await link.count()) > 0) return await link.first().click()
    await page.waitForTimeout(100)
  }
  throw new Error(`no email with the subject ${subject}`)
}

/** From the seller's details to a request for approval. */
async function setUp(page: Page): Promise<void> {
  await fill(page, {
    'Legal name': 'Lantern Works LLC',
    Address: '1 Main Street',
    City: 'Austin',
    State: 'TX',
    'ZIP code': '78701',
  })
  await click(page, 'Save')
  await fill(page, { Name: 'Lantern', Website: 'https://lantern.example' })
  await click(page, 'Create app')
  await arrive(page, 'Lantern: overview')
  await click(page, 'Add a plan')
  await fill(page, { Name: 'Pro', Amount: '49' })
  await click(page, 'Save')
  await page.getByText('Plans saved.').waitFor()
  await click(page, 'Overview')
  await click(page, 'Request approval')
  await click(page, 'Publish')
  await page.getByText('Published.', { exact: true }).waitFor()
}

/** Moves the app's test clock on by two weeks, and enters a bank account. */
async function prepareToBePaid(page: Page): Promise<void> {
  await click(page, 'Test clock')
  for (const _ of [1, 2]) {
    await press(page, 'A week')
    await arrive(page, 'Result')
    await page.goto('/dashboard/apps/lantern/test-clock/')
  }
  await page.goto('/dashboard/payouts/')
  await press(page, /bank account$/)
  await fill(page, { 'Routing number': '110000000', 'Account number': '000123456789' })
  await press(page, 'Save this account')
  await page.getByText('Your bank account is ready for payouts.').waitFor()
}

// Guards F50
test('an empty service gets its first staff, seller, app, sale, refund and payout', async (t) => {
  const staff = await becomeStaff(t)
  const page = await newBrowser(t)
  await signUpToSell(page)
  await setUp(page)
  t.diagnostic(`seller, until approval: ${effort.clicks} clicks, ${effort.fields} typed fields`)
  await staff.goto('/admin/')
  await click(staff, '1 app to approve')
  await click(staff, 'Approve')
  await staff.getByText('Approved. The seller is notified by email.').waitFor()

  await page.goto('/dashboard/apps/lantern/integration/')
  const buy_url =
    (
      await page
        .getByText(/\/buy\/prc_/)
        .first()
        .textContent()
    )?.trim() ?? ''
  const buyer = await newBrowser(t)
  for (const email of ['ann@example.com', 'ben@example.com']) {
    await buyer.context().clearCookies()
    assert.match(await buy(buyer, { buy_url, email }), /^key_/)
  }
  await page.goto('/dashboard/apps/lantern/sales/')
  await page
    .getByRole('link', { name: /ann@example\.com|PUR-/ })
    .first()
    .click()
  await page.getByText('Ledger entries').first().waitFor()
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Amount in dollars, tax included').fill('5')
  await page.getByLabel('Reason').fill('A small thing.')
  await press(page, 'Review refund')
  await press(page, 'Refund $5.00')
  await page.getByText('Refunded.').waitFor()

  await page.goto('/dashboard/apps/lantern/')
  await prepareToBePaid(page)
  await press(page, 'Pay out now')
  await page.getByText('Payout sent to your bank.').waitFor()
})
