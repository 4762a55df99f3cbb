import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#platform/sql'
import { addCode } from '../support/discounts.ts'
import { withBank } from '../support/payees.ts'
import { buy } from '../support/refunds.ts'
import { DAY } from '../support/subscriber.ts'
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

test('statements and commissions show every amount beside the longest names', async (t) => {
  const { service } = setup
  const { db } = service.world
  const query = `?ref=${service.demo.affiliate.code}`
  await buy(service, { email: 'grace@example.com', query })
  for (let sale = 0; sale < 2; sale++) await buy(service, { price: 1 })
  service.clock.pass(8 * DAY)
  const agent = await withBank(service, 'seller')
  await agent.submit('Pay out now')
  const { id } = await db.one<{ id: string }>(sql`select id from payouts`)
  const page = await setup.newPage(t)
  await page.goto(`/signin/?return_to=/dashboard/payouts/${id}/`)
  await signIn(page, service, 'seller')
  await arrive(page, /^Payout \d+: /)
  await page.getByText('Professional for marine laboratories').first().waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.context().clearCookies()
  await page.goto('/signin/?return_to=/affiliate/')
  await signIn(page, service, 'affiliate')
  await page.getByText('Professional for marine laboratories').first().waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
})

test('the checks of staff show the whole of a long difference, after the buttons', async (t) => {
  const { db, clock } = setup.service.world
  const detail =
    'it has no posting; expected processor $12.60, tax_payable of US-TX −$0.60, fees −$1.10, ' +
    'seller_payable of sel_loOLZZunABeMXJWkHdGWr8 −$10.90'
  const difference = { rule: 'sale is posted', subject: 'inv_loOLZZunABeMXJWkHdGWr8', detail }
  const result = { counts: { invoices: 1 }, differences: [difference] }
  await db.run(sql`insert into tasks
      (id, kind, user_id, request, status, result, created_at, updated_at)
    select 'task_differs', 'check_books', id, '{}', 'done', ${result}, ${clock.now()},
      ${clock.now()} from users where email_normalized = ${setup.service.demo.operator.email}`)
  const page = await setup.newPage(t)
  await page.goto('/signin/?return_to=/admin/checks/')
  await signIn(page, setup.service, 'operator')
  await page.getByText(detail).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.setViewportSize({ width: 375, height: 800 })
  const table = page.getByRole('region', { name: 'Differences' })
  assert.equal(await table.evaluate((each) => each.scrollWidth - each.clientWidth), 0)
  const top = async (name: string) => (await page.getByRole('button', { name }).boundingBox())!.y
  assert.ok((await top('Check ledger')) < (await table.boundingBox())!.y)
})
