import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { barriers } from '../walks/look.ts'
import { license, refusal } from './fake-service.ts'
import { key, openStage, type Scene, type Stage } from './tidepool-scene.ts'

let browser: Browser
let stage: Stage

before(async () => {
  stage = await openStage()
  browser = await borrowBrowser()
})

after(async () => {
  await returnBrowser()
  await stage?.[Symbol.asyncDispose]()
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
const pages: [name: string, visit: (page: Page) => Promise<unknown>, scene?: Partial<Scene>][] = [
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

for (const [name, visit, scene] of pages) {
  test(`${name}: no barrier`, async (t) => {
    const usual = { ...stage.scene }
    const context = await browser.newContext({ baseURL: stage.tidepool.url })
    t.after(async () => {
      Object.assign(stage.scene, usual)
      await context.close()
    })
    Object.assign(stage.scene, scene)
    const page = await context.newPage()
    await visit(page)
    assert.deepEqual(await barriers(page), [])
  })
}

test('a buyer needs no script from checkout to sign-out', async (t) => {
  const context = await browser.newContext({
    baseURL: stage.tidepool.url,
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
