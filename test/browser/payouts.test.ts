import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import * as ledger from '#domain/ledger'
import { taxOwed } from '#flows/remit-tax'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { disputeCharge } from '../support/disputes.ts'
import { BANKS, payeeOf } from '../support/payees.ts'
import { buy, refund } from '../support/refunds.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type BrowserTest, openBrowserTest } from './browser-test.ts'
import { arrive, press, signIn } from './steps.ts'

const DAY = 86_400

let setup: BrowserTest
before(async () => {
  setup = await openBrowserTest()
})
after(() => setup.close())

/** A browser in which a person of the cast is signed in, on a page of their own. */
async function openSignedIn(
  t: TestContext,
  who: 'seller' | 'affiliate' | 'operator',
  path: string,
): Promise<Page> {
  const page = await setup.newPage(t)
  await page.goto(path)
  await signIn(page, setup.service, who)
  return page
}

/** Enters a bank account on the processor's page, and returns. */
async function enterBankAccount(page: Page, account: string): Promise<void> {
  await press(page, /bank account$/)
  await arrive(page, 'Where your payouts go')
  await page.getByLabel('Routing number').fill('110000000')
  await page.getByLabel('Account number').fill(account)
  await press(page, 'Save this account')
  await page.getByText('Your bank account is ready for payouts.').waitFor()
  // The days of this test pass in seconds: the weekly payout must not happen in between.
  await setup.service.world.db.run(sql`update payout_accounts set weekly_at = '2099-01-05'`)
}

/** The amounts in a column of the statement, in cents, and its total. */
async function column(page: Page, index: number): Promise<{ sum: number; total: number }> {
  const cells = await page.locator(`tbody tr td:nth-child(${index})`).allTextContents()
  const centsOf = (cell: string) =>
    Math.round(Number(cell.replace('−', '-').replaceAll(/[$,]/g, '')) * 100)
  const amounts = cells.map(centsOf)
  const total = amounts.pop()!
  return { sum: amounts.reduce((sum, amount) => sum + amount, 0), total }
}

test('a payout month: sales, refunds and disputes are a statement that sums to the balance', async (t) => {
  const { service } = setup
  const { owner } = await payeeOf(service, 'seller')
  const page = await openSignedIn(t, 'seller', '/dashboard/payouts/')
  await arrive(page, 'Payouts')
  await page.getByText('The minimum payout is $25.00.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await enterBankAccount(page, BANKS.works)

  for (let month = 0; month < 4; month++) {
    await buy(service, { price: 2 })
    service.clock.pass(7 * DAY)
  }
  const given = await buy(service, { price: 1 })
  await refund(service, given, 2_000)
  await disputeCharge(service, (await buy(service)).charge)
  // Weeks have passed, so the seller's session has ended.
  const returned = await openSignedIn(t, 'seller', '/dashboard/payouts/')
  await returned.getByText('Pending:').waitFor()
  assert.deepEqual(await accessibilityProblems(returned), [])
  service.clock.pass(7 * DAY)
  const balance = 0 - (await ledger.balanceOf(service.world.db, 'seller_payable', owner))

  const later = await openSignedIn(t, 'seller', '/dashboard/payouts/')
  await press(later, 'Pay out now')
  await later.getByText('Payout sent to your bank.').waitFor()
  assert.equal(await ledger.balanceOf(service.world.db, 'seller_payable', owner), 0)
  await later.getByRole('link', { name: /^Payout \d+: / }).click()
  await arrive(later, /^Payout \d+: \$/)
  assert.deepEqual(await accessibilityProblems(later), [])
  const { sum, total } = await column(later, 5)
  assert.deepEqual([sum, total], [balance, balance])
  const download = later.waitForEvent('download')
  await later.getByRole('link', { name: 'PDF' }).click()
  assert.match((await download).suggestedFilename(), /^payout-\d+\.pdf$/)

  service.clock.pass(DAY)
  await handleEvents(service.world)
  await later.reload()
  await later.getByText('Paid', { exact: true }).first().waitFor()
})

test('a returned payout shows why, and is part of the next', async (t) => {
  const { service } = setup
  await buy(service, { price: 2 })
  service.clock.pass(7 * DAY)
  const page = await openSignedIn(t, 'seller', '/dashboard/payouts/')
  await enterBankAccount(page, BANKS.closed)
  await press(page, 'Pay out now')
  await page.getByText('Payout sent').first().waitFor()
  service.clock.pass(DAY)
  await handleEvents(service.world)
  await page.reload()
  await page
    .getByRole('link', { name: /^Payout \d+: / })
    .first()
    .click()
  await page.getByText('This payout was returned').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
})

test('a person becomes an affiliate, and sees every commission and its payment', async (t) => {
  const { service } = setup
  const query = `?ref=${service.demo.affiliate.code}`
  for (let sale = 0; sale < 12; sale++) await buy(service, { price: 2, query })
  await refund(service, await buy(service, { price: 2, query }))
  const page = await openSignedIn(t, 'affiliate', '/affiliate/')
  await arrive(page, 'Referrals')
  await page
    .getByText(/^Available on/)
    .first()
    .waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  service.clock.pass(30 * DAY)
  const later = await openSignedIn(t, 'affiliate', '/affiliate/')
  await enterBankAccount(later, BANKS.works)
  await press(later, 'Pay out now')
  await later
    .getByText(/^Reversed with/)
    .first()
    .waitFor()
  assert.deepEqual(await accessibilityProblems(later), [])
  await later.getByRole('link', { name: /^Payout \d+: / }).click()
  const { sum, total } = await column(later, 3)
  assert.deepEqual([sum, total], [total, 12 * 237])

  const newcomer = await openSignedIn(t, 'operator', '/affiliate/')
  await arrive(newcomer, 'Earn with referrals')
  assert.deepEqual(await accessibilityProblems(newcomer), [])
  await newcomer.getByLabel('Code').fill('purser')
  await press(newcomer, 'Become an affiliate')
  const summary = newcomer.getByRole('alert')
  await summary.getByRole('link', { name: /code is reserved/ }).click()
  assert.deepEqual(await accessibilityProblems(newcomer), [])
  await newcomer.getByLabel('Code').fill('otis-finds')
  await press(newcomer, 'Become an affiliate')
  await newcomer.getByText('You are now an affiliate.').waitFor()
})

test('staff files a month for all states at once, and sees the progress', async (t) => {
  const { service } = setup
  const month = service.clock.now().toISOString().slice(0, 7)
  for (const zip of ['78701', '10001', '98101']) {
    await buy(service, { price: 2, address: { country: 'US', zip } })
  }
  service.clock.pass(32 * DAY)
  const page = await openSignedIn(t, 'operator', '/admin/tax/')
  await arrive(page, 'Sales tax')
  assert.deepEqual(await accessibilityProblems(page), [])
  // Texas has earlier months from other tests, and a state's months are filed in order.
  const earlier = (await taxOwed(service.world)).filter((each) => each.month < month)
  for (const each of earlier) {
    await page.goto(`/admin/tax/${each.month}/${each.state}/`)
    await page.getByLabel('The state’s confirmation number').fill('TX-WEB-1')
    await press(page, 'File and pay')
    await page.getByText('Filed and paid.').waitFor()
  }
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.goto(`/admin/tax/${month}/`)
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByLabel('Batch reference').fill('BATCH-1')
  await press(page, 'File and pay all')
  await page.getByText(/Filed and paid: \d+ states?\./).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
})
