import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#platform/sql'
import { addCode } from '../support/discounts.ts'
import { buy } from '../support/refunds.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, signIn } from './steps.ts'

const LONGEST_CODE = 'AUTUMN-HARBOR-FESTIVAL-2026-50-X'
const APP = '/dashboard/apps/tidepool/'

let setup: BrowserTest
let invoice_id: string
before(async () => {
  setup = await openBrowserTest()
  const { service } = setup
  const { client_id: app_id } = service.demo.app
  const plan = 'Professional for marine laboratories, harbor authorities and field stations'
  await service.world.db.run(
    sql`update products set name = ${plan} where app_id = ${app_id} and name = 'Pro'`,
  )
  await addCode(service, app_id, {
    code: LONGEST_CODE,
    periods: 120,
    max_uses: 1_000_000,
    is_once_per_buyer: true,
    is_first_purchase: true,
    valid_from: new Date('2026-09-01'),
    valid_until: new Date('2099-10-01'),
  })
  const email = 'bartholomew.featherstone+receipts@harbor-authority.example.com'
  await buy(service, { email, query: `?discount=${LONGEST_CODE}` })
  invoice_id = (await buy(service, { email: 'ada-lovelace@example.com', price: 1 })).invoice_id
})
after(() => setup.close())

/** A page of the cast's app, for its seller. */
async function open(t: TestContext, path: string): Promise<Page> {
  const page = await setup.newPage(t)
  await page.goto(`/signin/?return_to=${encodeURIComponent(`${APP}${path}`)}`)
  await signIn(page, setup.service, 'seller')
  return page
}

test('a list of discount codes shows the whole of the longest one, and its action', async (t) => {
  const page = await open(t, 'discounts/')
  await arrive(page, /discounts$/)
  await page.getByText('1 of 1,000,000').waitFor()
  await page.getByText('Sep 1, 2026 to Sep 30, 2099').waitFor()
  await page.getByText('First purchase, once per buyer').waitFor()
  const action = page.getByRole('button', { name: `Deactivate ${LONGEST_CODE}` })
  const width = await action.evaluate((button) => button.clientWidth - button.scrollWidth)
  assert.equal(width, 0, 'the text fits its button')
  assert.deepEqual(await accessibilityProblems(page), [])
})

for (const list of ['sales', 'customers', 'subscriptions', 'licenses']) {
  test(`the list of ${list} shows every column beside the longest names`, async (t) => {
    const page = await open(t, `${list}/`)
    await arrive(page, new RegExp(`: ${list}$`))
    await page.getByText('Professional for marine laboratories').last().waitFor()
    assert.deepEqual(await accessibilityProblems(page), [])
  })
}

test('a phone does not break an email address in a sentence at its hyphen', async (t) => {
  const page = await open(t, `sales/${invoice_id}/`)
  await arrive(page, /^Purchase PUR-/)
  await page.setViewportSize({ width: 375, height: 800 })
  const address = page.getByText('ada-lovelace@example.com', { exact: true })
  assert.equal(await address.evaluate((each) => each.getClientRects().length), 1)
})
