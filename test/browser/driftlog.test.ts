import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { type Driftlog, startDriftlog } from '#examples/driftlog'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import { enableSignIn } from '../../src/demo/seed.ts'
import { forceStatus } from '../support/licenses.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest, RunningClock } from './browser-test.ts'
import { arrive, giveCard, giveDetails, newEmail, press } from './steps.ts'

const HOUR = 3600
const clock = new RunningClock(new Date())
let setup: BrowserTest
let site: Driftlog
let client_id: AppId

before(async () => {
  setup = await openBrowserTest({ clock })
  const { world, demo } = setup.service
  const { client_secret } = demo.sign_in_app
  client_id = demo.sign_in_app.client_id
  const products = await catalog.products(world.db, client_id)
  site = await startDriftlog({
    base_url: world.config.base_url,
    client_id,
    client_secret,
    paid_products: products.filter(({ is_free }) => !is_free).map(({ id }) => id),
    port: 0,
    host: '127.0.0.1',
    max_age_seconds: 0,
  })
  await apps.setLoginUrl(world.db, client_id, `${site.url}/login`)
  await enableSignIn(world, { client_id, site_url: site.url })
})
after(async () => {
  await site.close()
  await setup.close()
})

/** Buys Driftlog Pro, from the button on its home page to the success page. */
async function buyPro(page: Page, email: string, password?: string): Promise<void> {
  await page.goto(site.url)
  await page.getByRole('link', { name: 'Buy Pro monthly' }).click()
  await giveDetails(page, email)
  if (password !== undefined) {
    await arrive(page, 'Welcome back')
    await page.getByLabel('Password').fill(password)
    await press(page, /^Sign in$/)
  }
  await giveCard(page)
  await press(page, /^Pay /)
  await arrive(page, 'Driftlog Pro is yours')
}

/** Waits until the site shows the paid page. */
async function isInside(page: Page): Promise<void> {
  await page.waitForURL(`${site.url}/app`)
  await page.getByRole('heading', { name: 'Seven days' }).waitFor()
  await page.getByRole('heading', { name: 'Signed in' }).waitFor()
}

/** A buyer who has Pro and is signed in at the site. */
async function owner(t: TestContext): Promise<{ page: Page; email: string }> {
  const page = await setup.newPage(t)
  const email = newEmail()
  await buyPro(page, email)
  await page.getByRole('link', { name: 'Continue to Driftlog' }).click()
  await isInside(page)
  return { page, email }
}

/** The pages of the service and of the site that a browser showed, in order. */
function shownTo(page: Page): string[] {
  const titles: string[] = []
  page.on('domcontentloaded', async () => {
    titles.push(new URL(page.url()).pathname)
  })
  return titles
}

describe('buying the app whose visitors sign in', () => {
  for (const [name, choices] of [
    ['with scripts, on a wide screen', {}],
    [
      'without scripts, on a phone',
      { viewport: { width: 375, height: 800 }, javaScriptEnabled: false },
    ],
  ] as const) {
    test(`a buyer returns signed in without a click, ${name}`, async (t) => {
      const page = await setup.newPage(t, choices)
      await buyPro(page, newEmail())
      const shown = shownTo(page)
      await page.getByRole('link', { name: 'Continue to Driftlog' }).click()
      await isInside(page)
      await page.getByText('Paid until').waitFor()
      assert.deepEqual(shown, ['/app'], 'nothing is asked on the way')
    })
  }

  test('the success page redirects automatically, and the buyer is signed in', async (t) => {
    const page = await setup.newPage(t)
    await buyPro(page, newEmail())
    await isInside(page)
  })

  test('an owner who opens a Buy link is redirected to the app, signed in', async (t) => {
    const { page } = await owner(t)
    await page.goto(setup.service.demo.sign_in_app.prices[1]!.buy_url)
    await isInside(page)
  })
})

describe('signing out and in again', () => {
  test('a confirmed sign-out ends both sessions, and the password starts them again', async (t) => {
    const { email, password } = setup.service.demo.buyer
    const page = await setup.newPage(t)
    await buyPro(page, email, password)
    await page.getByRole('link', { name: 'Continue to Driftlog' }).click()
    await isInside(page)
    await press(page, 'Sign out')
    await arrive(page, 'Sign out of Driftlog?')
    await press(page, 'Sign out')
    await page.waitForURL(`${site.url}/`)
    await page.goto('/account/')
    await arrive(page, 'Sign in')

    await page.goto(`${site.url}/app`)
    await arrive(page, 'Sign in to see your tides')
    await page.getByRole('link', { name: 'Sign in with Purser' }).click()
    await arrive(page, 'Sign in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await press(page, /^Sign in$/)
    await isInside(page)
  })

  test('a sign-out in one browser ends the session of the site in another', async (t) => {
    const { email, password } = setup.service.demo.buyer
    const signIn = async () => {
      const page = await setup.newPage(t)
      await page.goto(`${site.url}/login`)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(password)
      await press(page, /^Sign in$/)
      await isInside(page)
      return page
    }
    const [here, there] = [await signIn(), await signIn()]
    await press(here, 'Sign out')
    await press(here, 'Sign out')
    await here.waitForURL(`${site.url}/`)
    await there.reload()
    await arrive(there, 'You are signed out')
  })

  test('a person who is still signed in at Purser returns to the site with one click', async (t) => {
    const { page } = await owner(t)
    await press(page, 'Sign out')
    await page.getByRole('link', { name: 'Stay signed in' }).click()
    await page.waitForURL(`${site.url}/`)
    await page.goto(`${site.url}/app`)
    await page.getByRole('link', { name: 'Sign in with Purser' }).click()
    await isInside(page)
  })
})

describe('a person who did not buy', () => {
  /** A browser of the cast's affiliate, who has no plan, on the consent page. */
  async function atConsent(t: TestContext): Promise<Page> {
    const { email, password } = setup.service.demo.affiliate
    const page = await setup.newPage(t)
    await page.goto(`${site.url}/login`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await press(page, /^Sign in$/)
    await arrive(page, 'Sign in to Driftlog')
    return page
  }

  test('uses the free tier without an account, and sees the paywall and the plans', async (t) => {
    const page = await setup.newPage(t)
    await page.goto(site.url)
    await page.locator('#today').waitFor()
    assert.deepEqual(await accessibilityProblems(page), [])
    await page.goto(`${site.url}/app`)
    await arrive(page, 'Sign in to see your tides')
    assert.deepEqual(await accessibilityProblems(page), [])
  })

  test('sees the consent page first, may cancel, and sees a clear message', async (t) => {
    const page = await atConsent(t)
    await press(page, 'Cancel')
    await arrive(page, 'You did not sign in')
    assert.deepEqual(await accessibilityProblems(page), [])
  })

  test('agrees, and is on the free plan', async (t) => {
    const page = await atConsent(t)
    await press(page, 'Allow')
    await page.getByText('You are on the free plan').waitFor()
    assert.deepEqual(await accessibilityProblems(page), [])
    await page.getByRole('link', { name: 'Buy Pro monthly' }).waitFor()
  })

  test("is the seller, and sees the preview as a buyer sees the plan's pages", async (t) => {
    const { email, password } = setup.service.demo.seller
    const page = await setup.newPage(t)
    await page.goto('/signin/')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await press(page, /^Sign in$/)
    await arrive(page, 'Your apps')
    await page.goto(setup.service.demo.sign_in_app.prices[0]!.buy_url)
    await giveDetails(page, email)
    await page.getByRole('link', { name: 'Continue', exact: true }).click()
    await press(page, 'Finish the preview')
    await page.getByRole('link', { name: 'Continue to Driftlog' }).click()
    await isInside(page)
    await page.getByText('Developer preview').waitFor()
  })

  test('sees a clear message for a sign-in that began in another browser', async (t) => {
    const page = await setup.newPage(t)
    await page.goto(`${site.url}/auth/callback?code=stolen&state=planted`)
    await arrive(page, 'This sign-in is over')
    assert.deepEqual(await accessibilityProblems(page), [])
  })
})

describe('the life of a session at the site', () => {
  test('an old access token is refreshed, even if two tabs find it expired at once', async (t) => {
    const { page } = await owner(t)
    for (let round = 0; round < 3; round++) {
      clock.pass(HOUR)
      const tab = await page.context().newPage()
      await Promise.all([page.goto(`${site.url}/app`), tab.goto(`${site.url}/app`)])
      await Promise.all([isInside(page), isInside(tab)])
      await tab.close()
    }
  })

  test('while the add-on is off, sign-in works and the site names its own configuration as the cause', async (t) => {
    const { page } = await owner(t)
    const { world } = setup.service
    await apps.disableAddOn(world.db, world.clock.now(), client_id)
    t.after(() => apps.enableAddOn(world.db, world.clock.now(), client_id))
    await page.reload()
    await arrive(page, 'We cannot look up plans right now')
    assert.deepEqual(await accessibilityProblems(page), [])
    await page.goto(`${site.url}/login`)
    await page.waitForURL(`${site.url}/app`)
    await arrive(page, 'We cannot look up plans right now')
    const { count } = await world.db.one<{ count: number }>(
      sql`select count(*) from oidc_records where kind = 'AccessToken' and client_id = ${client_id}`,
    )
    assert.ok(count > 0)
    await apps.enableAddOn(world.db, world.clock.now(), client_id)
    await page.reload()
    await isInside(page)
    assert.deepEqual(await accessibilityProblems(page), [])
  })

  test('a refund closes the paid pages at once, and leaves the free page open', async (t) => {
    const { page, email } = await owner(t)
    await forceStatus(setup.service, 'canceled', { email })
    await page.reload()
    await page.getByText('You are on the free plan').waitFor()
  })
})
