import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import * as metrics from '#domain/metrics'
import * as payouts from '#domain/payouts'
import * as tax from '#domain/tax'
import { addSeconds } from '#platform/calendar'
import type { Database } from '#platform/db'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { growthId } from '../../bench/growth-ids.ts'
import { BIG_APP, bigPayee, seedGrowth, sizeOf } from '../../bench/growth-seed.ts'
import { grownStatements } from '../../bench/growth-statements.ts'
import { testId } from '../support/ids.ts'
import { planning, reading, readingLookups } from '../support/planning.ts'
import { readStatements } from '../support/row-types/source.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { wholeReads } from '../support/statement-plans.ts'

const BIG = ['invoices', 'licenses', 'ledger_entries', 'ledger_transactions', 'attempts']
const TABLES = new Set([
  ...BIG,
  'subscriptions',
  'orders',
  'license_history',
  'tax_quotes',
  'unpaid_lines',
  'customers',
  'listed_subscriptions',
  'users',
  'metric_days',
  'affiliate_clicks',
  'referred_days',
])
const CHECK = 'a check of the books, which reads everything'
// PostgreSQL keeps a plan for any values only where it costs no more than those for values.
const EXPORT = 'an export of everything, a page at a time in the background'
const VALUES = 'the times that it is asked for are recent, and its plan for them uses the index'
const NOW = new Date('2026-11-22T12:00:00Z')

let service: TestService
before(async () => {
  service = await openTestService()
  const { world, demo } = service
  await world.db.tx((tx) => seedGrowth(tx, demo.app.client_id, sizeOf(20_000)), { patient: true })
  while ((await tax.sumTaxes(world.db.patient, 5_000)) > 0);
  while ((await payouts.sumBalances(world.db.patient, 5_000)) > 0);
  while ((await metrics.sumMetrics(world.db.patient, 50_000)) > 0);
  while ((await affiliates.sumReferred(world.db.patient, 50_000)) > 0);
  await world.db.alone((db) => db.raw('vacuum analyze'))
})
after(() => service.close())

/**
 * Statements whose plan for any values reads a large table, each with what keeps that from being
 * felt.
 */
const MAY_READ_WHOLE: [file: string, why: string][] = [
  ['src/flows/check-books/cash.ts', CHECK],
  ['src/flows/check-books/invoices.ts', CHECK],
  ['src/flows/check-books/processor-kinds.ts', CHECK],
  ['src/flows/check-books/payees.ts', CHECK],
  ['src/flows/check-books/postings.ts', CHECK],
  ['src/flows/check-books/transactions.ts', CHECK],
  ['src/domain/affiliates/figure-sums.ts', CHECK],
  ['src/domain/metrics/metric-sums.ts', CHECK],
  ['src/domain/payouts/unpaid-lines.ts', CHECK],
  ['src/domain/tax/sums.ts', CHECK],
  ['src/flows/check-installation.ts', 'a start, which stops at the first row'],
  ['src/domain/tax/retention.ts', 'once a day, a batch at a time'],
  ['src/platform/sweep.ts', 'once a day, a batch at a time'],
  ['src/flows/export-seller/money-tables.ts', EXPORT],
  ['src/flows/export-seller/sale-tables.ts', EXPORT],
  ['src/domain/tax/records.ts', VALUES],
  ['src/domain/billing/subscriptions.ts', VALUES],
]

/** An export alone counts all sales of an app, in the background. */
const MAY_READ_ALL = 'R14 count of sales'

// R3, R4, R14, R15: what they cost is measured by bench/growth.ts
describe('no large table is read completely', () => {
  test('by any statement of a page, a checkout or periodic work', async () => {
    const scanned: string[] = []
    const found: Record<string, string[]> = {}
    const payee = await bigPayee(service.world.db)
    for (const [what, ask] of grownStatements(
      planning(service.world.db, TABLES, scanned),
      NOW,
      payee,
    )) {
      await ask()
      const tables = scanned.splice(0)
      if (tables.length > 0 && what !== MAY_READ_ALL) found[what] = tables
    }
    assert.deepEqual(found, {})
  })

  test('by any statement of the source, checks of the books aside', async () => {
    const statements = readStatements('src/')
    const reads = await service.world.db.alone((db) => wholeReads(db, statements))
    const allowed = new Set(MAY_READ_WHOLE.map(([file]) => file))
    const others = reads.filter(({ file }) => !allowed.has(file))
    assert.deepEqual(
      others.map(({ file, line, tables }) => `${file}:${line} ${tables.join(' ')}`),
      [],
    )
    const unused = [...allowed].filter((file) => !reads.some((each) => each.file === file))
    assert.deepEqual(unused, [])
  })

  test('without being noticed here', async () => {
    const scanned: string[] = []
    await planning(service.world.db, TABLES, scanned).rows(
      sql`select id from licenses where period_end < now()`,
    )
    assert.deepEqual(scanned, ['licenses'])
    const planted = ['select id from licenses where period_end < $1', 'select count(*) from orders']
    const statements = planted.map((text) => ({
      place: 'planted:1',
      texts: [{ text, nullable: new Set<string>(), branches: [] }],
      row: undefined,
    }))
    const reads = await service.world.db.alone((db) => wholeReads(db, statements))
    assert.deepEqual(
      reads.map(({ tables }) => tables),
      [['licenses'], ['orders']],
    )
  })
})

/** The most rows that a step of a lookup for one question may read. */
const FEW_ROWS = 10

// Most apps have few licenses, so a plan for any of them may read all licenses of an app.
test('a lookup of one license reads a handful of rows of the app that sold the most', async () => {
  const { world } = service
  const license_key = 'key_of_the_big_app'
  const [key_hash] = licensing.keyHashes(world.keys, license_key)
  await world.db.run(
    sql`update licenses set key_hash = ${key_hash} where id = ${growthId('lic', 77)}`,
  )
  await world.db.run(sql`insert into oidc_records
      (id, kind, payload, client_id, user_id, created_at, expires_at)
    values (${sha256('token')}, 'AccessToken', '{}', ${BIG_APP}, ${growthId('usr', 77)}, ${NOW},
      ${addSeconds(NOW, 60)})`)
  const most: number[] = []
  await world.db.alone(async (db) => {
    const lookups = readingLookups(db, most) as Database
    const order_id = testId('ord_g77')
    await licensing.findByOrders(lookups, [{ client_id: BIG_APP, order_id }])
    await licensing.findByKeys(lookups, world.keys, [{ client_id: BIG_APP, license_key }])
    await licensing.findByTokens(lookups, NOW, ['token'])
  })
  assert.equal(most.length, 3)
  const areFew = most.every((rows) => rows > 0 && rows <= FEW_ROWS)
  assert.ok(areFew, `read at most ${most} rows`)
})

// R14: most buyers who were ever owed something, or owed it, have settled it
test('the lists of buyers read those who owe or are owed, and nothing that is settled', async () => {
  const { db } = service.world
  const page = { limit: 51, offset: 0 }
  assert.equal((await ledger.listExcessBuyers(db, page)).length, 4)
  const most: number[] = []
  await ledger.listExcessBuyers(reading(db, most), page)
  await ledger.listOwedBuyers(reading(db, most), page)
  assert.ok(Math.max(...most) <= FEW_ROWS, `read at most ${most} rows`)
})

// R14: a page is cut by an index before what became of its sales is looked up
test('sales of a status match those with that status in the list of all sales', async () => {
  const { db } = service.world
  // Of the refunded: some in part, in two parts, refused, and refunded as well as disputed.
  await db.run(sql`update refunds set amount = 500 where id in ('rfd_g50', 'rfd_g100', 'rfd_g150')`)
  await db.run(sql`update refunds set status = 'refused' where id = 'rfd_g200'`)
  await db.run(sql`update refunds set status = 'pending'
    where id in ('rfd_g150', 'rfd_g400', 'rfd_g450')`)
  await db.run(sql`insert into refunds (id, charge_id, amount, tax, fee, add_on_fee, commission,
      reason, requested_by, status, created_at)
    select 'rfd_g100b', charge_id, 760, tax, fee, add_on_fee, commission, reason, requested_by,
      status, created_at from refunds where id = 'rfd_g100'`)
  await db.run(sql`insert into disputes select (jsonb_populate_record(null::disputes, to_jsonb(d)
      || jsonb_build_object('id', 'dsp_of_' || charge.id, 'charge_id', charge.id,
        'processor_dispute_id', charge.id, 'status', charge.status))).*
    from (select * from disputes where id = ${growthId('dsp', 1)}) d, (values ('chg_g150', 'open'),
      ('chg_g250', 'open'), ('chg_g300', 'lost'), ('chg_g350', 'won')) charge (id, status)`)
  const all = await billing.listInvoices(db, { app_id: BIG_APP, limit: 10_000 })
  const counts: Partial<Record<billing.SellerInvoiceStatus, number>> = {}
  for (const status of billing.SELLER_INVOICE_STATUSES) {
    const found = await billing.listInvoices(db, { app_id: BIG_APP, status, limit: 10_000 })
    counts[status] = found.length
    assert.deepEqual(
      found,
      all.filter((sale) => sale.status === status),
      status,
    )
    const totals = await billing.invoiceTotals(db, { app_id: BIG_APP, status })
    const isSummed = found.length <= billing.MAX_SUMMED
    assert.equal(totals?.count, isSummed ? found.length : undefined, `totals of ${status}`)
  }
  assert.equal(counts.partly_refunded, 1)
  assert.equal(counts.disputed, 2)
  assert.equal(counts.refund_pending, 2)
  assert.equal(counts.refunded, 120 - 7)
})
