import type { Page } from 'playwright-core'
import { sql } from '#platform/sql'
import { sweepFiles } from '#platform/task-files'
import { answerCommand } from '#surfaces/commands/commands'
import { handleEvents } from '#surfaces/processor-events/worker'
import { CARD } from '../support/cards.ts'
import { disputeCharge } from '../support/disputes.ts'
import { buyAndRefundTwice } from '../support/excess.ts'
import { BANKS } from '../support/payees.ts'
import { buy, refund } from '../support/refunds.ts'
import { DAY } from '../support/subscriber.ts'
import type { PagesTest } from './every-page.ts'
import { arrive, press, signIn } from './steps.ts'

type Role = 'seller' | 'affiliate' | 'operator'

/** Signs a person of the cast in, and any other one out. */
async function enter({ service }: PagesTest, page: Page, role: Role): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/signin/')
  await signIn(page, service, role)
  await arrive(page, { seller: 'Your apps', affiliate: 'Referrals', operator: 'Admin' }[role])
}

/** The earnings, payouts and exports of sellers and affiliates. */
export async function* earningPages(setup: PagesTest, page: Page) {
  const { service } = setup
  await enter(setup, page, 'seller')
  await page.goto('/dashboard/payouts/')
  yield 'payouts, no bank yet'
  await press(page, 'Add bank account')
  await arrive(page, 'Where your payouts go')
  yield 'the processor’s page for a bank'
  await press(page, 'Save this account')
  yield 'the processor’s page for a bank, with faults'
  await enterBankAccount(setup, page)
  yield 'payouts, a bank was named'
  const query = `?ref=${service.demo.affiliate.code}`
  for (let sale = 0; sale < 12; sale++) await buy(service, { price: 2, query })
  await refund(service, await buy(service, { price: 1 }), 2_000)
  await page.reload()
  yield 'payouts, still in reserve'
  service.clock.pass(8 * DAY)
  await enter(setup, page, 'seller')
  await page.goto('/dashboard/payouts/')
  yield 'payouts, available'
  await press(page, 'Pay out now')
  yield 'payouts, on its way'
  await page.getByRole('link', { name: /^Payout \d+: / }).click()
  await arrive(page, /^Payout \d+: \$/)
  yield 'statement'
  service.clock.pass(DAY)
  await handleEvents(service.world)
  await page.reload()
  yield 'statement, paid'
  yield* exported(setup, page)
  // Actions about a customer need a recent proof.
  await enter(setup, page, 'seller')
  yield* customers(page)
  yield* refunds(page)
  await page.goto('/dashboard/apps/tidepool/affiliates/')
  yield 'affiliates of an app'
  yield* referrals(setup, page)
}

/** Enters a bank account on the processor's page, and returns. */
async function enterBankAccount({ service }: PagesTest, page: Page): Promise<void> {
  await page.getByLabel('Routing number').fill('110000000')
  await page.getByLabel('Account number').fill(BANKS.works)
  await press(page, 'Save this account')
  await page.getByText('Your bank account is ready for payouts.').waitFor()
  // The days of this test pass in seconds: the weekly payout must not happen in between.
  await service.world.db.run(sql`update payout_accounts set weekly_at = '2099-01-05'`)
}

/** An export while it runs, when done, after it expired, and when it failed. */
async function* exported({ service }: PagesTest, page: Page) {
  const { db, clock } = service.world
  const task = (id: string, at: Date) => sql`insert into tasks
    (id, kind, user_id, app_id, request, done, total, status, created_at, updated_at)
    select ${id}, 'export_sales', m.user_id, a.id, '{"slug": "tidepool"}', 12000, 48210, 'running',
      ${at}, ${at}
    from apps a join seller_members m on m.seller_id = a.seller_id where a.slug = 'tidepool'`
  await db.run(task('task_000000000000000000tour', clock.now()))
  await page.goto('/tasks/task_000000000000000000tour/')
  yield 'an export, on its way'
  await press(page, 'Stop')
  await page.getByText('No file was created').waitFor()
  yield 'an export that was stopped'
  await page.goto('/dashboard/apps/tidepool/sales/')
  await press(page, 'Export CSV')
  await arrive(page, 'Your export is ready')
  yield 'an export, ready'
  await sweepFiles(db, new Date(clock.now().getTime() + 7 * DAY * 1000))
  await page.reload()
  await arrive(page, 'This export has expired')
  yield 'an export, gone'
}

/** The customers of an app, one of them, and an action with a fault. */
async function* customers(page: Page) {
  await page.goto('/dashboard/apps/tidepool/customers/')
  yield 'customers'
  await page.goto('/dashboard/apps/tidepool/customers/?q=unknown')
  yield 'customers, nothing found'
  await page.goto('/dashboard/apps/tidepool/subscriptions/')
  yield 'subscriptions'
  await page.goto('/dashboard/apps/tidepool/licenses/')
  yield 'licenses'
  await page.getByRole('link', { name: 'Give a plan' }).click()
  await arrive(page, 'Give a plan')
  yield 'a plan to give'
  await press(page, 'Give plan')
  await page.getByRole('alert').waitFor()
  yield 'a plan to give, with faults'
  await page.goto('/dashboard/apps/tidepool/customers/?status=active')
  await page.locator('td a').first().click()
  await arrive(page, /@example\.com/)
  yield 'a customer'
  await page.getByRole('link', { name: 'Replace key' }).click()
  await arrive(page, 'Replace key')
  yield 'an action about a customer'
  await press(page, 'Replace key')
  await page.getByRole('alert').waitFor()
  yield 'an action about a customer, with a fault'
}

/** A refund: the form, its faults, the amounts, and the sale afterwards. */
async function* refunds(page: Page) {
  await page.goto('/dashboard/apps/tidepool/sales/?status=paid')
  await page.locator('td a[href*="/sales/"]').first().click()
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await arrive(page, /^Refund /)
  yield 'a refund'
  await page.getByLabel('Amount').fill('9999')
  await press(page, 'Review refund')
  await page.getByText('Nothing was refunded').waitFor()
  yield 'a refund, with faults'
  await page.getByLabel('Amount').fill('5')
  await page.getByLabel('Reason').fill('Bought twice')
  await press(page, 'Review refund')
  await page.getByRole('heading', { name: 'Review refund' }).waitFor()
  yield 'a refund, reviewed'
  await press(page, 'Refund $5.00')
  await page.getByText('Refunded. The buyer’s bank shows it').waitFor()
  yield 'a sale, partly refunded'
}

async function* referrals(setup: PagesTest, page: Page) {
  const { service } = setup
  await enter(setup, page, 'affiliate')
  await page.goto('/affiliate/')
  yield 'referrals, still in reserve'
  await page.getByLabel('App', { exact: true }).fill('tidepool')
  await press(page, 'Find app')
  await page.getByRole('link', { name: 'Get link' }).first().click()
  await page.getByText('Tidepool: product page').waitFor()
  yield 'referrals, a link to an app'
  await press(page, 'Add bank account')
  await enterBankAccount(setup, page)
  service.clock.pass(30 * DAY)
  await enter(setup, page, 'affiliate')
  await page.goto('/affiliate/')
  await press(page, 'Pay out now')
  yield 'referrals, on its way'
  await page.getByRole('link', { name: /^Payout \d+: / }).click()
  await arrive(page, /^Payout \d+: \$/)
  yield 'an affiliate’s statement'
  await enter(setup, page, 'operator')
  await page.goto('/affiliate/')
  yield 'join the affiliates'
  await page.getByLabel('Code').fill('purser')
  await press(page, 'Become an affiliate')
  await page.getByRole('alert').waitFor()
  yield 'join the affiliates, with a fault'
}

/** The pages of the admin area. */
export async function* adminPages(setup: PagesTest, page: Page) {
  const { service } = setup
  await enter(setup, page, 'operator')
  await page.goto('/admin/')
  yield 'admin'
  await page.goto('/admin/cases/')
  yield 'cases, none'
  const bought = await buy(service)
  await disputeCharge(service, bought.charge)
  await refund(service, await buy(service, { card: CARD.comes_back }), 300)
  service.clock.pass(2 * DAY)
  await handleEvents(service.world)
  const { user_id: payer_id } = await buyAndRefundTwice(service, 500)
  await service.world.db.run(sql`update users set locked_at = ${service.clock.now()}
    where id = ${(await buy(service)).user_id}`)
  // Idle staff are signed out after half a day.
  await enter(setup, page, 'operator')
  await page.goto('/admin/')
  yield 'admin, with cases'
  await page.goto(`/admin/cases/?q=${bought.email}`)
  yield 'cases'
  await page.goto(`/admin/sales/${bought.invoice_id}/`)
  yield 'a sale, in the admin area'
  await page.goto('/admin/cases/')
  await page.locator('a[href^="/admin/disputes/"]').first().click()
  yield 'a dispute, in the admin area'
  await page.goto(`/admin/excess/${payer_id}/`)
  await press(page, 'Record repayment')
  await page.getByText('Not recorded').waitFor()
  yield 'a buyer who received too much, with a fault'
  await page.goto('/admin/cases/?q=unknown')
  yield 'cases, nothing found'
  yield* taxes(setup, page)
  await page.goto('/admin/checks/')
  yield 'checks'
  await press(page, 'Reprocess events')
  await page.waitForURL('**/admin/checks/')
  await press(page, 'Check ledger')
  await page.waitForURL('**/admin/checks/')
  yield 'checks, done'
  yield* emailLog(page)
  yield* jobQueue(setup, page)
  yield* sellersAndApps(page)
  yield* auditLog(page)
  yield* staff(setup, page)
}

async function* taxes({ service }: PagesTest, page: Page) {
  const month = service.clock.now().toISOString().slice(0, 7)
  for (const zip of ['78701', '10001']) {
    await buy(service, { price: 2, address: { country: 'US', zip } })
  }
  await page.goto('/admin/tax/')
  yield 'sales tax'
  await page.goto('/admin/tax/2019-01/')
  yield 'a month without sales'
  await page.goto(`/admin/tax/${month}/`)
  yield 'a month, still open'
  await press(page, 'Export transactions (CSV)')
  await arrive(page, 'Your export is ready')
  yield 'a month, exported'
  await page.goto(`/admin/tax/${month}/TX/`)
  yield 'a state’s month'
}

/** The log of emails. */
async function* emailLog(page: Page) {
  await page.goto('/admin/emails/')
  yield 'emails'
  await page.goto('/admin/emails/?state=failed')
  await page.getByText('No emails').waitFor()
  yield 'emails, none failed'
}

/** Sellers, apps and payouts; a seller's pages as staff see them. */
async function* sellersAndApps(page: Page) {
  await page.goto('/admin/sellers/')
  yield 'sellers'
  await page.goto('/admin/sellers/?q=unknown')
  yield 'sellers, nothing found'
  await page.goto('/admin/apps/')
  yield 'apps of all sellers'
  await page.getByRole('link', { name: 'Tidepool' }).first().click()
  await arrive(page, 'Tidepool')
  yield 'an app, in the admin area'
  await page.getByRole('main').getByRole('link', { name: 'Tidepool Works LLC' }).click()
  await arrive(page, 'Tidepool Works LLC')
  const seller = page.url()
  await reasoned(page, 'Pause payouts')
  await page.getByText('Payouts are paused.').waitFor()
  yield 'a seller, in the admin area'
  await page.goto('/admin/payouts/')
  yield 'payouts of all sellers'
  await page.goto(seller)
  await reasoned(page, 'View as this seller')
  await arrive(page, 'Your apps')
  yield 'the dashboard, viewed by staff'
  await page.goto('/dashboard/payouts/')
  yield 'paused payouts, viewed by staff'
  await page.goto('/dashboard/emails/')
  yield 'a form, disabled while staff view it'
  // The page disables its forms; the service also refuses them.
  await page.evaluate(`document.querySelector('fieldset.readonly').disabled = false`)
  await press(page, 'Save')
  await arrive(page, 'You are viewing as a seller')
  yield 'a form, refused while staff view it'
  await press(page, 'Stop viewing')
  await arrive(page, 'Tidepool Works LLC')
  await reasoned(page, 'Resume payouts')
  await page.getByText('Payouts are resumed.').waitFor()
}

/** Sends the form of a staff action with a reason. */
async function reasoned(page: Page, label: string): Promise<void> {
  const form = page.locator('form', { has: page.getByRole('button', { name: label, exact: true }) })
  await form.getByLabel('Reason').fill('a question of the seller')
  await form.getByRole('button', { name: label, exact: true }).click()
}

/** The job queue, and a job that failed. */
async function* jobQueue({ service }: PagesTest, page: Page) {
  await service.world.db.run(sql`insert into pgboss.job (name, data, state, output, completed_on)
    values ('emails', '{"email_id": "email_0000000000000000000000"}', 'failed',
      '{"message": "Error: 550 mailbox unavailable"}', now())`)
  await page.goto('/admin/jobs/')
  yield 'jobs'
  await page.getByRole('link', { name: 'Emails' }).last().click()
  await arrive(page, 'Job: Emails')
  yield 'a failed job'
}

/** The audit log. */
async function* auditLog(page: Page) {
  await page.goto('/admin/audit/')
  yield 'audit log'
  await page.getByLabel('Action').fill('staff.forgotten')
  await press(page, 'Search')
  await page.getByText('No entries').waitFor()
  yield 'audit log, nothing found'
}

/** Who is staff, and the invitation of a new member. */
async function* staff({ service }: PagesTest, page: Page) {
  await page.goto('/admin/staff/')
  await page.getByLabel('Email').fill('grace@example.com')
  await press(page, 'Send invitation')
  await page.getByText('Invitation sent.').waitFor()
  yield 'staff, one invited'
  await page.getByRole('link', { name: 'Manage' }).first().click()
  yield 'a member of staff'
  await press(page, 'Change role')
  yield 'a member of staff, without a reason'
  const request = { command: 'staff:add', email: 'ida@example.com', role: 'support' }
  const answer = await answerCommand(service.world, request)
  const link = 'text' in answer ? answer.text : ''
  await page.goto(link)
  yield 'an invitation to staff'
  await press(page, 'Join the staff')
  yield 'an invitation to staff, with a fault'
  await page.getByLabel('Password').fill('a walk along the shore')
  await press(page, 'Join the staff')
  yield 'staff without a second factor'
  await page.goto(link)
  yield 'an invitation, used'
}
