import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#platform/sql'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { giveCard, giveDetails, keyOnSuccess, newEmail, press } from './steps.ts'

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

interface Sale {
  id: string
  brought_by: string
  fee: number
  commission: number
}

/** Buys from the open checkout page, and returns how the sale was booked. */
async function buyFromHere(page: Page): Promise<Sale> {
  const email = newEmail()
  await giveDetails(page, email)
  await giveCard(page)
  await press(page, /^Pay /)
  await keyOnSuccess(page)
  return await setup.service.world.db.one<Sale>(sql`
    select o.id, i.brought_by, i.fee, i.commission from orders o
    join invoices i on i.id = o.invoice_id join users u on u.id = o.user_id where u.email_normalized = ${email}`)
}

async function openProductPage(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: /^Tidepool/ }).click()
}

const buyLink = { name: 'Buy Pro monthly' }

test('a buyer from the product page counts as brought by the service: 10% and 50 cents', async (t) => {
  const page = await setup.newPage(t)
  await openProductPage(page)
  await page.getByRole('link', buyLink).click()
  const { brought_by, fee } = await buyFromHere(page)
  assert.deepEqual({ brought_by, fee }, { brought_by: 'service', fee: 170 })
})

// In development both may be at localhost, with different ports.
for (const host of ['127.0.0.1', 'localhost']) {
  test(`a buyer who then comes from the seller's site at ${host} counts as the seller's: 5%`, async (t) => {
    const page = await setup.newPage(t)
    await openProductPage(page)
    await page.getByRole('link', buyLink).click()
    await page.goto(setup.site.url.replace('127.0.0.1', host))
    await page.getByRole('link', buyLink).click()
    const { brought_by, fee } = await buyFromHere(page)
    assert.deepEqual({ brought_by, fee }, { brought_by: 'seller', fee: 110 })
  })
}

test('a referred buyer earns the affiliate a quarter of the fee, in the ledger', async (t) => {
  const page = await setup.newPage(t)
  const { prices } = setup.service.demo.app
  const { code } = setup.service.demo.affiliate
  await page.goto(`${prices[0]!.buy_url}?ref=${code}`)
  // The referrer is remembered: another plan is bought, through a link without a code.
  await page.goto(prices[1]!.buy_url)
  const { id, fee, commission } = await buyFromHere(page)
  assert.deepEqual({ fee, commission }, { fee: 530, commission: 132 })
  const entry = await setup.service.world.db.one(sql`
    select e.amount, a.code from ledger_entries e
    join ledger_transactions t on t.id = e.transaction_id
    join affiliates a on a.id = e.owner join invoices i on i.id = t.subject
    where i.order_id = ${id} and e.account = 'affiliate_payable'`)
  assert.deepEqual(entry, { amount: -132, code })
})

test('an unknown referrer changes nothing', async (t) => {
  const page = await setup.newPage(t)
  await page.goto(`${setup.service.demo.app.prices[0]!.buy_url}?ref=unknown-code`)
  const { commission } = await buyFromHere(page)
  assert.equal(commission, 0)
})
