import type { Page } from 'playwright-core'
import { sql } from '#platform/sql'
import { png } from '../support/pictures.ts'
import { addSellerWithApp } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import type { PagesTest } from './every-page.ts'
import { arrive, press } from './steps.ts'

/** Uploads an icon and two screenshots on the page that is open. */
async function addImages(page: Page) {
  const file = async (width: number, height: number, color: string) => ({
    name: 'picture.png',
    mimeType: 'image/png',
    buffer: await png(width, height, color),
  })
  await page.getByLabel('Icon', { exact: true }).setInputFiles(await file(300, 300, '#0d4f46'))
  await press(page, 'Save icon')
  await page.getByText('Icon saved.').waitFor()
  for (const color of ['#7a5c1e', '#1e4c7a']) {
    const picture = await file(1280, 800, color)
    await page.getByLabel('Screenshot', { exact: true }).setInputFiles(picture)
    await page.getByLabel('Description', { exact: true }).fill('Entries of a week, by day')
    await press(page, 'Add screenshot')
    await page.getByText('Screenshot added.').waitFor()
  }
}

/** The pages on which a seller edits what it sells, and its own pages. */
export async function* sellerPages({ service }: PagesTest, page: Page) {
  const { demo, world } = service
  await page.goto('/signin/')
  await page.getByLabel('Email').fill(demo.seller.email)
  await page.getByLabel('Password').fill(demo.seller.password)
  await press(page, /^Sign in$/)
  await arrive(page, 'Your apps')
  const app = '/dashboard/apps/driftlog/'
  for (const path of [
    '/dashboard/',
    '/dashboard/apps/new/',
    '/dashboard/seller/',
    '/dashboard/team/',
    '/dashboard/activity/',
    '/dashboard/overview/',
    '/dashboard/overview/?from=2026-02-30&to=2026-01-01',
    '/dashboard/invitations/',
    app,
    `${app}settings/`,
    `${app}transfer/`,
    '/dashboard/transfers/',
    `${app}changes/`,
    `${app}integration/`,
    `${app}integration/?snippet=next`,
    `${app}integration/?price=prc_none&next=http://elsewhere.example`,
    `${app}affiliates/`,
    `${app}listing/`,
    `${app}discounts/`,
    `${app}listing/features/`,
    `${app}preview/`,
    '/dashboard/terms/',
  ]) {
    await page.goto(path)
    yield path
  }
  await page.goto(`${app}integration/`)
  await press(page, 'Run checks')
  await page.getByText('Checks finished.').waitFor()
  yield 'integration, checked'
  await press(page, 'Build link')
  await page.getByRole('link', { name: 'Open', exact: true }).waitFor()
  yield 'integration, a link'
  await page.goto(`${app}discounts/`)
  await press(page, 'Create code')
  await page.getByText('Not saved. Check these fields').waitFor()
  yield 'discounts, with faults'
  await page.getByLabel('Code', { exact: true }).fill('WINTER')
  await page.getByLabel('Amount').fill('20')
  await press(page, 'Create code')
  await page.getByText('Code created.').waitFor()
  yield 'discounts'
  await page.goto(`${app}listing/images/`)
  yield 'images, none yet'
  await press(page, 'Add screenshot')
  await page.getByText('Not saved. Check these fields').waitFor()
  yield 'images, with faults'
  await addImages(page)
  yield 'images'
  await press(page, 'Remove screenshot 1')
  await page.getByText('You can restore it below.').waitFor()
  yield 'images, one removed'
  await press(page, 'Restore')
  await page.getByText('Image restored.').waitFor()
  yield* importPages(page, app)
  await page.goto('/apps/driftlog/')
  yield 'product, with images'
  await page.goto(`${app}listing/sections/`)
  await press(page, 'Add section')
  await press(page, 'Save sections')
  await page.getByText('Not saved. Check these fields').waitFor()
  yield 'sections, with faults'
  await page.goto(`${app}plans/`)
  await press(page, 'Add plan')
  yield 'plans'
  await press(page, 'Review changes')
  await page.getByText('Not saved. Check these fields').waitFor()
  yield 'plans, with faults'
  await press(page, 'Remove plan 3')
  await press(page, 'Remove plan 1')
  await press(page, 'Review changes')
  yield 'plans, reviewed'
  await press(page, 'Save plans')
  await page.goto(`${app}changes/`)
  yield 'changes'
  await page.getByRole('link', { name: 'Undo this change' }).first().click()
  yield 'a change to undo'
  yield* ofTwoSellers(service, page)
  await world.db.run(sql`update sellers set terms_accepted_at = null`)
  await page.goto('/dashboard/')
  yield 'apps, terms owed'
  await page.goto('/dashboard/terms/')
  yield 'terms, owed'
}

/** The apps of a person who is a member of two sellers, with the form to choose one. */
async function* ofTwoSellers(service: TestService, page: Page) {
  await addSellerWithApp(service, { email: service.demo.seller.email, slug: 'lighthouse' })
  await page.goto('/dashboard/')
  yield 'apps, with the choice of a seller'
  await page.getByRole('combobox', { name: 'Seller' }).selectOption('Another LLC')
  await press(page, 'Switch')
  await page.getByRole('link', { name: /Lighthouse/ }).waitFor()
  yield 'apps of the other seller'
  await page.getByRole('combobox', { name: 'Seller' }).selectOption({ index: 0 })
  await press(page, 'Switch')
  await page.getByRole('link', { name: /Tidepool/ }).waitFor()
}

const IMPORTED = [
  'Purchase ID,Item Name,Purchase Email,Purchase Date,License Key,Notes',
  'p1,Studio,import-1@example.com,2026-01-05,AAAA-1111,x',
  'p2,Studio,no address,2026-01-05,BBBB-2222,x',
].join('\n')

async function* importPages(page: Page, app: string) {
  await page.goto('/dashboard/export/')
  yield 'export of everything'
  await page.goto(`${app}import/`)
  yield 'imports, none yet'
  await press(page, 'Upload file')
  await page.getByText('Choose a CSV file.').first().waitFor()
  yield 'imports, with faults'
  await page.getByLabel('Service').selectOption('gumroad')
  const buffer = Buffer.from(IMPORTED)
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'sales.csv', mimeType: 'text/csv', buffer })
  await press(page, 'Upload file')
  await page.getByText('1. Match columns').waitFor()
  yield 'import, its columns'
  await page.getByRole('link', { name: 'Delete import' }).click()
  yield 'import, to be deleted'
  await page.getByRole('link', { name: 'Cancel' }).click()
  await press(page, 'Read file')
  await page.getByText('2. Match plans').waitFor()
  yield 'import, its plans'
  await page.getByLabel('Studio').selectOption({ index: 1 })
  await press(page, 'Start dry run')
  await page.getByText('3. Dry run').waitFor()
  yield 'import, dry run'
  await press(page, 'Import')
  await page.getByRole('heading', { name: 'Report' }).waitFor()
  yield 'import, report'
  await page.goto(`${app}import/`)
  yield 'imports'
}
