import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { enableSignIn } from '../../src/demo/seed.ts'
import {
  type Attempt,
  discover,
  entitlementOf,
  exchange,
  type SignInTest,
  startSignIn,
} from '../support/sign-in.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, press } from './steps.ts'

let setup: BrowserTest
let side: SignInTest['app_side']
let callback: string
let home: string

before(async () => {
  setup = await openBrowserTest()
  callback = `${setup.site.url}/auth/callback`
  home = `${setup.site.url}/`
  const { client_id, client_secret } = setup.service.demo.app
  await enableSignIn(setup.service.world, { client_id, site_url: setup.site.url })
  side = await discover(setup.service, { client_id, client_secret })
})
after(() => setup.close())

async function signIn(page: Page): Promise<void> {
  const { email, password } = setup.service.demo.buyer
  await arrive(page, 'Sign in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Waits until the browser returns to the app, and returns the address. */
async function back(page: Page): Promise<string> {
  await page.waitForURL(`${callback}?*`)
  return page.url()
}

async function leave(page: Page, attempt: Attempt): Promise<void> {
  await page.goto(attempt.url.href)
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without'
  test(`a person signs in to an app, agrees once, and signs out again, ${how} scripts`, async (t) => {
    const page = await setup.newPage(t, { javaScriptEnabled })
    const first = await startSignIn(side, callback, { prompt: 'consent' })
    await leave(page, first)
    await signIn(page)
    await arrive(page, 'Sign in to Tidepool')
    if (javaScriptEnabled) assert.equal((await accessibilityProblems(page)).join('\n'), '')
    await press(page, 'Allow')
    const tokens = await exchange(side, first, await back(page))
    assert.equal((await entitlementOf(setup.service, tokens.access_token)).statusCode, 200)

    // The second sign-in needs no action.
    const second = await startSignIn(side, callback)
    await leave(page, second)
    await exchange(side, second, await back(page))

    const ending = new URL(`${side.serverMetadata().end_session_endpoint}`)
    ending.search = String(
      new URLSearchParams({
        id_token_hint: tokens.id_token!,
        post_logout_redirect_uri: home,
        state: 'here',
      }),
    )
    await page.goto(ending.href)
    await arrive(page, 'Sign out of Tidepool?')
    if (javaScriptEnabled) assert.equal((await accessibilityProblems(page)).join('\n'), '')
    await page.getByRole('link', { name: 'Stay signed in' }).click()
    await page.waitForURL(`${home}?state=here`)
    assert.equal((await entitlementOf(setup.service, tokens.access_token)).statusCode, 200)
    await page.goto(ending.href)
    await press(page, 'Sign out')
    await page.waitForURL(`${home}?state=here`)
    assert.equal((await entitlementOf(setup.service, tokens.access_token)).statusCode, 401)
    await leave(page, await startSignIn(side, callback))
    await arrive(page, 'Sign in')
  })
}

test('a person cancels, and the app gets the error', async (t) => {
  const page = await setup.newPage(t)
  const attempt = await startSignIn(side, callback, { prompt: 'consent' })
  await leave(page, attempt)
  await signIn(page)
  await arrive(page, 'Sign in to Tidepool')
  await press(page, 'Cancel')
  const { searchParams } = new URL(await back(page))
  assert.equal(searchParams.get('error'), 'access_denied')
  assert.equal(searchParams.get('code'), null)
})

test('two tabs that sign in to the app do not interfere', async (t) => {
  const page = await setup.newPage(t)
  const tab = await page.context().newPage()
  const one = await startSignIn(side, callback)
  const other = await startSignIn(side, callback)
  await leave(page, one)
  await leave(tab, other)
  await signIn(page)
  await exchange(side, one, await back(page))
  await signIn(tab)
  await exchange(side, other, await back(tab))
})

test('an invalid request of an app ends on an error page of the service', async (t) => {
  const page = await setup.newPage(t)
  const attempt = await startSignIn(side, 'https://evil.example/callback')
  await leave(page, attempt)
  await arrive(page, 'Sign-in failed')
  assert.equal((await accessibilityProblems(page)).join('\n'), '')
})
