import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import * as metrics from '#domain/metrics'
import * as payouts from '#domain/payouts'
import * as tax from '#domain/tax'
import { sql } from '#platform/sql'
import { growthId } from '../../bench/growth-ids.ts'
import { BIG_APP, bigPayee, seedGrowth } from '../../bench/growth-seed.ts'
import { grownStatements } from '../../bench/growth-statements.ts'
import { planning } from '../support/planning.ts'
import { openTestService, type TestService } from '../support/service.ts'

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
const NOW = new Date('2026-11-22T12:00:00Z')

let service: TestService
before(async () => {
  service = await openTestService()
  const { world, demo } = service
  const size = { sales: 20_000, big_app: 6_000 }
  await world.db.tx((tx) => seedGrowth(tx, demo.app.client_id, size), { patient: true })
  while ((await tax.sumTaxes(world.db.patient, 5_000)) > 0);
  while ((await payouts.sumBalances(world.db.patient, 5_000)) > 0);
  while ((await metrics.sumMetrics(world.db.patient, 50_000)) > 0);
  while ((await affiliates.sumReferred(world.db.patient, 50_000)) > 0);
  await world.db.raw('vacuum analyze')
})
after(() => service.close())

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

  test('without being noticed here', async () => {
    const scanned: string[] = []
    await planning(service.world.db, TABLES, scanned).rows(
      sql`select id from licenses where period_end < now()`,
    )
    assert.deepEqual(scanned, ['licenses'])
  })
})

// R14: a page is cut by an index before what became of its sales is looked up
test('sales of a status match those with that status in the list of all sales', async () => {
  const { db } = service.world
  // Of the refunded: some in part, in two parts, refused, and refunded as well as disputed.
  await db.run(sql`update refunds set amount = 500 where id in ('rfd_g50', 'rfd_g100', 'rfd_g150')`)
  await db.run(sql`update refunds set status = 'refused' where id = 'rfd_g200'`)
  await db.run(sql`insert into refunds select (jsonb_populate_record(null::refunds, to_jsonb(r)
      || jsonb_build_object('id', 'rfd_g100b', 'amount', 760, 'processor_refund_id', null))).*
    from refunds r where id = 'rfd_g100'`)
  await db.run(sql`insert into disputes select (jsonb_populate_record(null::disputes, to_jsonb(d)
      || jsonb_build_object('id', 'dsp_of_' || charge.id, 'charge_id', charge.id,
        'processor_dispute_id', charge.id, 'status', charge.status))).*
    from (select * from disputes where id = ${growthId('dsp', 1)}) d, (values ('chg_g150', 'open'),
      ('chg_g250', 'open'), ('chg_g300', 'lost'), ('chg_g350', 'won')) charge (id, status)`)
  const all = await billing.listSales(db, { app_id: BIG_APP, limit: 10_000 })
  const counts: Partial<Record<billing.SaleStatus, number>> = {}
  for (const status of billing.SALE_STATUSES) {
    const found = await billing.listSales(db, { app_id: BIG_APP, status, limit: 10_000 })
    counts[status] = found.length
    assert.deepEqual(
      found,
      all.filter((sale) => sale.status === status),
      status,
    )
    const totals = await billing.salesTotals(db, { app_id: BIG_APP, status })
    const isSummed = found.length <= billing.MOST_SUMMED
    assert.equal(totals?.count, isSummed ? found.length : undefined, `totals of ${status}`)
  }
  assert.equal(counts.partly_refunded, 1)
  assert.equal(counts.disputed, 2)
  assert.equal(counts.refunded, 120 - 5)
})
