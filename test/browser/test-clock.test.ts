import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { cents } from '#platform/money'
import { addApp } from '../support/apps.ts'
import { eventually } from '../support/eventually.ts'
import { stateOf, subscribe } from '../support/subscriber.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, press } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** The test clock of an app, for its seller, opened from the menu. */
async function toClock(t: TestContext, app_name: string): Promise<Page> {
  const { email, password } = setup.service.demo.seller
  const page = await setup.newPage(t)
  await page.goto('/signin/?return_to=/dashboard/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await page.getByRole('link', { name: app_name, exact: true }).click()
  await page.getByRole('link', { name: 'Test clock' }).click()
  await arrive(page, `${app_name}: test clock`)
  return page
}

test('a seller advances a month and sees the renewal, its email, and the renewed license', async (t) => {
  const subscriber = await subscribe(setup.service)
  const before = await stateOf(setup.service, subscriber)
  const page = await toClock(t, 'Tidepool')
  await page.getByText(`${subscriber.email} renews for $12.60`).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await press(page, 'A month')
  await arrive(page, 'Result')
  for (const text of ['Renewal paid', 'License: renewed', 'Email: Receipt']) {
    await page.getByText(text).first().waitFor()
  }
  await page.getByText(/Test clock: it is .* for Tidepool/).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  const later = await stateOf(setup.service, subscriber)
  assert.notEqual(later.period_end, before.period_end)
  await page.getByRole('link', { name: 'Renewal paid' }).first().click()
  await page.getByRole('heading', { level: 1, name: /^Renewal / }).waitFor()
})

test('a seller runs a scenario, and its key validates as the scenario ended', async (t) => {
  const page = await toClock(t, 'Tidepool')
  await page.getByLabel('Retry that succeeds').selectOption('2')
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Card recovers on retry N' })
    .getByRole('button', { name: 'Run' })
    .click()
  await arrive(page, 'Card recovers on retry 2')
  await page.getByText('past_due, not entitled').waitFor()
  await page.getByText('License: recovered: the same key works again').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  const license_key = await page.locator('#license_key').innerText()
  const state = await stateOf(setup.service, { license_key, app: setup.service.demo.app })
  assert.deepEqual([state.status, state.entitled], ['active', true])
})

test('a long advance shows its progress, and can be stopped', async (t) => {
  const facts = { slug: 'daily', name: 'Daily', frequency: 'day', amount: cents(100) } as const
  const app = await addApp(setup.service, facts)
  for (let each = 0; each < 4; each++) await subscribe(setup.service, { app })
  const page = await toClock(t, 'Daily')
  await press(page, 'A year')
  await arrive(page, 'Advancing the clock')
  const far = async () => Number(await page.getByRole('progressbar').getAttribute('value'))
  const first = await far()
  await eventually('the next days', async () => (await far()) > first)
  await press(page, 'Stop')
  await page.getByText('The task was stopped. Completed steps are kept.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
})
