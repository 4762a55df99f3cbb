import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems } from '../browser/accessibility.ts'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { license, refusal } from './fake-service.ts'
import { key, openTidepoolTest, type ServiceReplies, type TidepoolTest } from './tidepool-test.ts'

let browser: Browser
let setup: TidepoolTest

before(async () => {
  setup = await openTidepoolTest()
  browser = await borrowBrowser()
})

after(async () => {
  await returnBrowser()
  await setup?.[Symbol.asyncDispose]()
})

async function signIn(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('License key').fill(key)
  await page.getByRole('button', { name: 'Open my tides' }).click()
  await page.waitForURL('**/app')
}

const canceled = { entitled: false, status: 'canceled', canceled_at: '2026-03-01' }
const processing = { status: 202, headers: { 'retry-after': '60' }, body: { status: 'processing' } }

/** Each page: the way to it, and what the service says meanwhile. */
const pages: [
  name: string,
  visit: (page: Page) => Promise<unknown>,
  scenario?: Partial<ServiceReplies>,
][] = [
  ['home', (page) => page.goto('/')],
  ['home without prices', (page) => page.goto('/'), { prices: refusal(404, 'not_found') }],
  ['the gate', (page) => page.goto('/app')],
  ['my tides', signIn],
  ['a license that ended', signIn, { validate: { body: license(canceled) } }],
  ['the question', (page) => page.goto('/return?svc_order=order')],
  ['the wait', (page) => page.goto('/return?svc_order=order'), { order: processing }],
  ['an unknown order', (page) => page.goto('/return')],
  ['a page that is not there', (page) => page.goto('/nowhere')],
]

for (const [name, visit, replies] of pages) {
  test(`${name}: no accessibility problem`, async (t) => {
    const usual = { ...setup.replies }
    const context = await browser.newContext({ baseURL: setup.tidepool.url })
    t.after(async () => {
      Object.assign(setup.replies, usual)
      await context.close()
    })
    Object.assign(setup.replies, replies)
    const page = await context.newPage()
    await visit(page)
    assert.deepEqual(await accessibilityProblems(page), [])
  })
}

test('a buyer needs no script from checkout to sign-out', async (t) => {
  const context = await browser.newContext({
    baseURL: setup.tidepool.url,
    javaScriptEnabled: false,
  })
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto('/')
  const buy = await page.getByRole('link', { name: 'Buy Pro yearly' }).getAttribute('href')
  const next = new URL(new URL(buy ?? '').searchParams.get('next') ?? '')
  next.searchParams.set('svc_order', 'order')
  await page.goto(next.href)
  await page.getByText('License verified').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
})
