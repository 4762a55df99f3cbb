import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'
import { license, refusal } from './fake-service.ts'
import { key, openStage, type Scene, type Stage } from './tidepool-scene.ts'

/** The first Chromium on the search path, as every desktop and container names it. */
const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) =>
    ['chromium', 'chromium-browser', 'google-chrome'].map((n) => join(folder, n)),
  )
  .find((file) => existsSync(file))
const options = { skip: executablePath ? false : 'no Chromium is installed' }

let browser: Browser
let stage: Stage

before(async () => {
  if (!executablePath) return
  stage = await openStage()
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
  browser = await chromium.launch({ executablePath, args: [...args, '--disable-sync'] })
})

after(async () => {
  await browser?.close()
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
  test(`${name}: no barrier, narrow and dark or wide and light`, options, async (t) => {
    const usual = { ...stage.scene }
    const context = await browser.newContext({ baseURL: stage.tidepool.url })
    t.after(async () => {
      Object.assign(stage.scene, usual)
      await context.close()
    })
    Object.assign(stage.scene, scene)
    const page = await context.newPage()
    await visit(page)
    for (const [width, colorScheme] of [
      [320, 'dark'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
      const { violations } = await new AxeBuilder({ page }).analyze()
      const found = violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])
      assert.deepEqual(found, [], `${width} px, ${colorScheme}`)
    }
  })
}

test('a buyer needs no script from checkout to sign-out', options, async (t) => {
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
