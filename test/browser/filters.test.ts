import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#platform/sql'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, press, signIn } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 375, height: 800 }

/** The labels of the fields of a search that can be filled in. */
async function visibleLabels(page: Page): Promise<string[]> {
  const search = page.locator('main form:has(button:text-is("Search"))')
  return (await search.locator('label:visible').allTextContents()).toSorted()
}

test('the filters of a list are folded on a phone, and one press shows them', async (t) => {
  const page = await setup.newPage(t)
  await page.goto('/dashboard/apps/tidepool/customers/')
  await signIn(page, setup.service, 'seller')
  const labels = ['Find', 'From', 'Plan', 'Sort', 'Status', 'To']
  assert.deepEqual(await visibleLabels(page), labels)
  await page.setViewportSize(PHONE)
  assert.deepEqual(await visibleLabels(page), ['Find'])
  const list = page.getByRole('table').or(page.getByText('No customers yet')).first()
  const { y } = (await list.boundingBox())!
  await page.getByText('Filters', { exact: true }).click()
  assert.deepEqual(await visibleLabels(page), labels)
  assert.ok(y < (await list.boundingBox())!.y)
  await page.getByLabel('Status').selectOption('Canceled')
  await press(page, 'Search')
  await page.getByText('No matching customers').waitFor()
  // A filter that is set is not out of sight.
  assert.deepEqual(await visibleLabels(page), labels)
  await page.setViewportSize(DESKTOP)
  assert.deepEqual(await accessibilityProblems(page), [])
})

test('the menu of an app is folded on a phone, and one press shows it', async (t) => {
  const page = await setup.newPage(t)
  await page.goto('/dashboard/apps/tidepool/sales/')
  await signIn(page, setup.service, 'seller')
  const menu = page.getByRole('navigation', { name: 'Tidepool' })
  await menu.getByRole('link', { name: 'Sales' }).waitFor()
  await page.setViewportSize(PHONE)
  await menu.waitFor({ state: 'hidden' })
  await page.getByText('More pages', { exact: true }).click()
  await menu.getByRole('link', { name: 'Plans' }).click()
  await page.getByRole('heading', { name: 'Tidepool: plans' }).waitFor()
  await menu.waitFor({ state: 'hidden' })
})

test('the search of the audit log is folded on a phone', async (t) => {
  const page = await setup.newPage(t, { viewport: PHONE })
  await page.goto('/admin/audit/')
  await signIn(page, setup.service, 'operator')
  await page.goto('/admin/audit/')
  assert.deepEqual(await visibleLabels(page), [])
  await page.getByText('Filters', { exact: true }).click()
  await page.getByLabel('Action').fill('staff.forgotten')
  await press(page, 'Search')
  await page.getByText('No entries').waitFor()
  await page.setViewportSize(DESKTOP)
  const labels = ['Action', 'Actor', 'From', 'Seller', 'Subject', 'To']
  assert.deepEqual(await visibleLabels(page), labels)
})

test('the reasons of staff actions are equally wide on a phone', async (t) => {
  const id = randomUUID()
  await setup.service.world.db.run(sql`insert into pgboss.job (id, name, state, completed_on)
    values (${id}, 'emails', 'failed', now())`)
  const page = await setup.newPage(t, { viewport: PHONE })
  await page.goto('/admin/')
  await signIn(page, setup.service, 'operator')
  await arrive(page, 'Admin')
  await page.goto(`/admin/jobs/emails/${id}/`)
  const reasons = await page.getByLabel('Reason').all()
  const widths = await Promise.all(reasons.map(async (each) => (await each.boundingBox())!.width))
  assert.equal(widths.length, 2)
  assert.equal(widths[0], widths[1])
})
