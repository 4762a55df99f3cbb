import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import * as metrics from '#domain/metrics'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import * as tax from '#domain/tax'
import { chargeBalances } from '#flows/charge-balances'
import { addSeconds, isoDate } from '#platform/calendar'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import { readStored } from '#surfaces/monitoring/metrics'
import { testId } from '../test/support/ids.ts'
import { growthId } from './growth-ids.ts'
import { BIG_APP, COLLECTOR_ID } from './growth-seed.ts'

/**
 * The statements of pages, checkouts and periodic work, whose cost must not depend on the number of
 * sales.
 */
export function grownStatements(
  db: Db,
  now: Date,
  payee: payouts.Payee,
): [what: string, ask: () => Promise<unknown>][] {
  const until = addSeconds(now, 60)
  const month = addSeconds(now, -45 * 86_400)
    .toISOString()
    .slice(0, 7)
  const buyer = { user_id: COLLECTOR_ID, app_id: null }
  const own = { app_ids: [BIG_APP], limit: 5 }
  const page = { limit: 50, offset: 0 }
  const overview = (days: number) => () => {
    const to = isoDate(now)
    const range = { from: metrics.dayAfter(to, 1 - days), to }
    return metrics.readOverview(db, { app_ids: [BIG_APP], range })
  }
  const list = (status?: billing.SellerInvoiceStatus) => () =>
    billing.listInvoices(db, { app_id: BIG_APP, status, limit: 51 })
  const find = (facts: Partial<Parameters<typeof billing.findLicenses>[1]>) => () =>
    billing.findLicenses(db, { id: '', email_normalized: null, number: null, ...facts })
  const trial = (email: string) => () =>
    billing.hadTrial(db, { app_id: BIG_APP, email_normalized: email, fingerprint: 'fp_g7' })
  return [
    ['R15 monitoring metrics', () => readStored(db, now)],
    ['R3 claim due subscriptions', () => billing.claimDue(db, now, { until, limit: 20 })],
    ['R3 next due of an app', () => billing.nextDueAt(db, BIG_APP)],
    ['R3 comps that end', () => licensing.endedUncharged(db, now, { limit: 20 })],
    ['R3 next end of a comp', () => licensing.nextUnchargedEnd(db, BIG_APP)],
    ['R4 had a trial, a new buyer', trial('unknown@growth.example')],
    ['R4 had a trial, an old buyer', trial('g22@growth.example')],
    ['R14 sales, the latest', list()],
    ...billing.SELLER_INVOICE_STATUSES.map(
      (status) => [`R14 sales, ${status}`, list(status)] as [string, () => Promise<unknown>],
    ),
    ...saleStatements(db),
    ...affiliateStatements(db, isoDate(now)),
    ...customerStatements(db),
    ...subscriptionStatements(db),
    ...licenseStatements(db),
    ['R14 count of sales', () => billing.countInvoices(db, { app_id: BIG_APP })],
    ['R14 search by license', find({ id: growthId('lic', 77) })],
    ['R14 search by email', find({ email_normalized: 'g1@growth.example' })],
    ['R14 search by number', find({ number: 77 })],
    ['R14 purchases, a page', () => billing.purchasesOf(db, buyer, { limit: 21 })],
    ['R14 tax by month', () => tax.taxByMonth(db)],
    ['R14 tax by month, one state', () => tax.taxByMonth(db, { state: 'TX' })],
    ['R14 tax report of a month', () => tax.taxReport(db, month)],
    [
      'R14 tax lines of a state and month',
      () => tax.taxLines(db, { month, state: 'TX', limit: 100, offset: 200 }),
    ],
    ['R14 balance of a payee', () => payouts.payeeBalance(db, now, payee)],
    ...excessStatements(db),
    ...reconcilerStatements(db, now),
    ['payees due by the calendar', () => payouts.dueByCalendar(db, now)],
    ['lines of a payout, a page', () => payouts.statementOf(db, growthId('po', 27), page)],
    ['lines of a payout', () => payouts.countStatementLines(db, growthId('po', 27))],
    ['disputes of an app', () => payments.listUnclosed(db, { app_id: BIG_APP, ...page })],
    ['overview of 30 days', overview(30)],
    ['overview of a year', overview(365)],
    ['overview, latest sales', () => metrics.latestSales(db, own)],
    ['overview, open disputes', () => metrics.openDisputes(db, own)],
    ['overview, failed renewals', () => metrics.failedRenewals(db, own)],
    ['a license by its order', () => billing.orderOfLicense(db, growthId('lic', 77))],
    ['a license', () => licensing.getLicense(db, growthId('lic', 77))],
  ]
}

/** What was requested and has no answer yet. */
function reconcilerStatements(db: Db, before: Date): [what: string, ask: () => Promise<unknown>][] {
  const attempts = (status: payments.PendingStatus) => () =>
    payments.pendingAttempts(db, { status, before }, { limit: 50 })
  return [
    ['attempts without an answer', attempts('open')],
    ['attempts at the page of a bank', attempts('action_required')],
    ['open payouts', () => payouts.openPayouts(db, { limit: 50 })],
  ]
}

/** The buyers who received too much, and the page of one of them. */
function excessStatements(db: Db): [what: string, ask: () => Promise<unknown>][] {
  const user_id = growthId('usr', 5_000)
  return [
    ['buyers to repay', () => ledger.listOwedBuyers(db, { limit: 51, offset: 0 })],
    ['buyers in excess', () => ledger.listExcessBuyers(db, { limit: 51, offset: 0 })],
    ['a buyer in excess', () => ledger.findExcessBuyer(db, user_id)],
    ['what a buyer received in excess', () => chargeBalances(db, user_id)],
    ['settlements of a buyer', () => ledger.listSettlements(db, { user_id, limit: 50 })],
  ]
}

/** What affiliates bring to an app in a year, and what the one with most sales brings. */
function affiliateStatements(db: Db, to: string): [what: string, ask: () => Promise<unknown>][] {
  const app = { app_id: BIG_APP, days: { from: metrics.dayAfter(to, -364), to } }
  const affiliate = { affiliate_id: growthId('aff', 1) }
  const lines = { owner: affiliate.affiliate_id, account: 'affiliate_payable' } as const
  return [
    ['affiliates of an app', () => affiliates.affiliatesOfApp(db, { ...app, limit: 51 })],
    ['totals of the affiliates of an app', () => affiliates.referredTotals(db, app)],
    ['apps of an affiliate', () => affiliates.appsOfAffiliate(db, { ...affiliate, limit: 51 })],
    ['an app’s affiliates by day', () => affiliates.referredByDay(db, app)],
    ['an affiliate by day', () => affiliates.referredByDay(db, { ...affiliate, days: app.days })],
    ['lines of an affiliate', () => payouts.accountLines(db, lines, { limit: 51 })],
    ['older lines', () => payouts.accountLines(db, lines, { limit: 51, before: 50_000 })],
  ]
}

/** The list of an app's sales: its searches, days and totals. */
function saleStatements(db: Db): [what: string, ask: () => Promise<unknown>][] {
  const app_id = BIG_APP
  const from = new Date('2026-01-01T00:00:00Z')
  const filters: Record<string, Partial<billing.InvoiceFilter>> = {
    'of some days': { dated: { from, before: addSeconds(from, 7 * 86_400) } },
    paid: { status: 'paid' },
    found: { found: { id: null, number: 77, license_ids: [growthId('lic', 77)] } },
  }
  return Object.entries(filters).flatMap(([name, filter]) => [
    [`sales, ${name}`, () => billing.listInvoices(db, { app_id, ...filter, limit: 51 })],
    [`totals of sales, ${name}`, () => billing.invoiceTotals(db, { app_id, ...filter })],
  ])
}

/** The list of an app's customers: each order and filter, its totals, and the searches. */
function customerStatements(db: Db): [what: string, ask: () => Promise<unknown>][] {
  const app_id = BIG_APP
  const from = new Date('2026-01-01T00:00:00Z')
  const after = { first_at: from, paid: cents(1260), user_id: COLLECTOR_ID }
  const filters: Record<string, Partial<payments.CustomerFilter>> = {
    all: {},
    active: { status: 'active' },
    'past due': { status: 'past_due' },
    'of a plan': { product_id: testId(`prod_${BIG_APP}`) },
    'of some days': { from, before: addSeconds(from, 30 * 86_400) },
    found: { user_ids: [COLLECTOR_ID] },
  }
  const search = (facts: Partial<payments.CustomerLookup>) => () =>
    payments.findCustomers(db, app_id, {
      id: '',
      email_start: null,
      number: null,
      key_hashes: [],
      ...facts,
    })
  return [
    ...Object.entries(filters).flatMap(([name, filter]) => [
      ...payments.CUSTOMER_SORTS.map(
        (sort) =>
          [
            `customers, ${name}, ${sort}`,
            () => payments.listCustomers(db, { app_id, ...filter, sort, after, limit: 51 }),
          ] as [string, () => Promise<unknown>],
      ),
      [
        `totals of customers, ${name}`,
        () => payments.customerTotals(db, { app_id, ...filter }),
      ] as [string, () => Promise<unknown>],
    ]),
    ['customers by email', search({ email_start: 'g1@growth.example' })],
    ['customers by the beginning of an email', search({ email_start: 'g12' })],
    ['customers by id', search({ id: growthId('lic', 77) })],
    ['customers by number', search({ number: 77 })],
    ['customers by key', search({ key_hashes: [Buffer.alloc(32)] })],
    [
      'a license of a customer',
      () => payments.findCustomerLicense(db, { app_id, license_id: growthId('lic', 77) }),
    ],
    [
      'timeline of a license',
      () =>
        billing.timelineEvents(
          db,
          { app_id, license_id: growthId('lic', 77) },
          { limit: 51, is_reversed: true },
        ),
    ],
    ['sales of a license', () => billing.invoicesOfLicense(db, growthId('lic', 77), { limit: 50 })],
    ['refunds of a license', () => payments.refundsOfLicense(db, growthId('lic', 77))],
    ['disputes of a license', () => payments.disputesOfLicense(db, growthId('lic', 77))],
    [
      'licenses of a customer',
      () => payments.licensesOfCustomer(db, { app_id, user_id: COLLECTOR_ID }),
    ],
  ]
}

/** The list of an app's subscriptions: each order and filter, and its totals. */
function subscriptionStatements(db: Db): [what: string, ask: () => Promise<unknown>][] {
  const app_id = BIG_APP
  const from = new Date('2026-01-01T00:00:00Z')
  const after = { at: from, amount: cents(1200), id: growthId('lic', 77) }
  const filters: Record<string, Partial<metrics.SubscriptionFilter>> = {
    all: {},
    active: { status: 'active' },
    'past due': { status: 'past_due' },
    'of a plan': { product_id: testId(`prod_${BIG_APP}`) },
    yearly: { frequency: 'year' },
    discounted: { is_discounted: true },
    'of some days': { from, before: addSeconds(from, 30 * 86_400) },
    found: { license_ids: [growthId('lic', 77)] },
  }
  return Object.entries(filters).flatMap(([name, filter]) => [
    ...metrics.SUBSCRIPTION_SORTS.map(
      (sort) =>
        [
          `subscriptions, ${name}, ${sort}`,
          () => metrics.listSubscriptions(db, { app_id, ...filter, sort, after, limit: 51 }),
        ] as [string, () => Promise<unknown>],
    ),
    [
      `totals of subscriptions, ${name}`,
      () => metrics.subscriptionTotals(db, { app_id, ...filter }),
    ] as [string, () => Promise<unknown>],
  ])
}

/** The list of an app's licenses: each order and filter, and its totals. */
function licenseStatements(db: Db): [what: string, ask: () => Promise<unknown>][] {
  const app_id = BIG_APP
  const from = new Date('2026-01-01T00:00:00Z')
  const after = { at: from, id: growthId('lic', 77) }
  const filters: Record<string, Partial<payments.LicenseFilter>> = {
    all: {},
    active: { status: 'active' },
    paused: { status: 'paused' },
    'of a plan': { product_id: testId(`prod_${BIG_APP}`) },
    bought: { origin: 'purchase' },
    comped: { origin: 'comp' },
    'of some days': { from, before: addSeconds(from, 30 * 86_400) },
    found: { license_ids: [growthId('lic', 77)] },
  }
  return Object.entries(filters).flatMap(([name, filter]) => [
    ...payments.LICENSE_SORTS.map(
      (sort) =>
        [
          `licenses, ${name}, ${sort}`,
          () => payments.listLicenses(db, { app_id, ...filter, sort, after, limit: 51 }),
        ] as [string, () => Promise<unknown>],
    ),
    [`totals of licenses, ${name}`, () => payments.licenseTotals(db, { app_id, ...filter })] as [
      string,
      () => Promise<unknown>,
    ],
  ])
}
