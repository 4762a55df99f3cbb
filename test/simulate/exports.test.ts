/** What the export of everything sums up to, compared with the ledger after months of trade. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import * as billing from '#domain/billing'
import { archiveOf } from '#flows/export-seller'
import type { AppId, SellerId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import { readZip } from '../support/zip.ts'
import { type Harness, openHarness } from './harness.ts'
import { reportOf, runSeed } from './run.ts'

const SEEDS = 8

type Row = Record<string, string>
type Tables = Record<string, Row[]>

let harness: Harness
before(async () => {
  harness = await openHarness()
})
after(() => harness?.close())

/** The CSV files of a seller's archive, by name. */
async function exportOf(seller_id: SellerId): Promise<Tables> {
  const parts: Buffer[] = []
  const scope = { seller_id, with_keys: false }
  const { world } = harness.service
  for await (const part of archiveOf(world, scope, async () => {})) parts.push(part)
  const files = [...readZip(Buffer.concat(parts))].filter(([name]) => name.endsWith('.csv'))
  return Object.fromEntries(
    files.map(([name, file]) => [name.replace('.csv', ''), parse(file, { columns: true })]),
  )
}

const inCents = (text: string) => Math.round(Number(text) * 100)

/** The sum of some columns in cents; those that begin with a minus are deducted. */
function total(rows: Row[] = [], ...columns: string[]): number {
  const of = (row: Row, column: string) =>
    column.startsWith('-') ? -inCents(row[column.slice(1)]!) : inCents(row[column]!)
  return rows.reduce((sum, row) => columns.reduce((all, each) => all + of(row, each), sum), 0)
}

async function amountOf(query: Sql): Promise<number> {
  return (await harness.db.one<{ amount: number }>(query)).amount
}

/** What events of the ledger added to the balance and the reserve of a seller. */
const booked = (seller_id: SellerId, events: string) =>
  amountOf(sql`select coalesce(-sum(e.amount), 0)::bigint as amount
    from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    where e.owner = ${seller_id} and t.event ~ ${events}`)

/** What sales of a seller credited to another account, after refunds and disputes. */
const bookedElsewhere = (seller_id: SellerId, which: Sql) =>
  amountOf(sql`select coalesce(-sum(e.amount), 0)::bigint as amount
    from ledger_entries e join posted_invoices t using (transaction_id)
      join invoices i on i.id = t.invoice_id
    where i.seller_id = ${seller_id} and ${which}`)

const isMade = ({ status }: Row) => status !== 'open' && status !== 'refused'
const isPaid = ({ status }: Row) => status === 'paid'

async function assertSales(seller_id: SellerId, { invoices = [], refunds = [], disputes }: Tables) {
  const paid = invoices.filter(isPaid)
  const made = refunds.filter(isMade)
  assert.equal(total(paid, 'amount', '-fee'), await booked(seller_id, '^sale$'))
  assert.equal(0 - total(made, 'amount', '-tax', '-fee'), await booked(seller_id, '^refund$'))
  assert.equal(0 - total(disputes, 'deducted'), await booked(seller_id, '^(dispute|appeal)_'))
  const lost = disputes!.filter(({ status }) => status === 'lost')
  for (const state of new Set(paid.map(({ tax_state }) => tax_state!))) {
    const invoices_of = new Set(
      paid.filter((each) => each.tax_state === state).map((each) => each.invoice_id),
    )
    const own = (rows: Row[]) => rows.filter((each) => invoices_of.has(each.invoice_id))
    const tax = total(own(paid), 'tax') - total(own(made), 'tax') - total(own(lost), 'tax')
    const of = sql`e.account = 'tax_payable' and e.owner = ${`US-${state}`}`
    assert.equal(tax, await bookedElsewhere(seller_id, of), state)
  }
}

async function assertPayouts(seller_id: SellerId, { payouts = [], ledger = [] }: Tables) {
  const left = payouts.filter(({ status }) => status !== 'failed')
  assert.equal(0 - total(left, 'amount'), await booked(seller_id, '^payout'))
  for (const { payout_id, amount } of payouts) {
    const lines = ledger.filter((line) => line.payout_id === payout_id)
    assert.equal(total(lines, 'amount'), inCents(amount!), payout_id)
  }
  assert.equal(total(ledger, 'amount'), await booked(seller_id, ''))
}

async function assertAffiliates(seller_id: SellerId, { affiliates = [], invoices = [] }: Tables) {
  for (const { affiliate_id, invoices: count, commission } of affiliates) {
    const referred = invoices.filter((each) => each.affiliate_id === affiliate_id && isPaid(each))
    const of = sql`e.account = 'affiliate_payable' and e.owner = ${affiliate_id!}`
    assert.equal(Number(count), referred.length, affiliate_id)
    assert.equal(inCents(commission!), await bookedElsewhere(seller_id, of), affiliate_id)
  }
}

/** The list of invoices of an app, its totals and its customers are of the same amounts. */
async function assertApp(
  { id: app_id, slug }: { id: AppId; slug: string },
  { invoices = [], customers = [] }: Tables,
) {
  const { db } = harness
  const listed = await billing.listInvoices(db, { app_id, limit: 100_000 })
  const sum = (of: (invoice: billing.SellerInvoice) => number) =>
    listed.reduce((all, invoice) => all + of(invoice), 0)
  const own = invoices.filter(({ app }) => app === slug)
  assert.equal(listed.length, own.length)
  assert.equal(
    sum(({ net }) => net),
    total(own.filter(isPaid), 'amount', '-fee'),
  )
  const totals = (await billing.invoiceTotals(db, { app_id }))!
  assert.deepEqual(totals, {
    count: listed.length,
    amount: total(own.filter(isPaid), 'amount'),
    tax: total(own.filter(isPaid), 'tax'),
    fee: total(own.filter(isPaid), 'fee'),
    refunded: sum(({ refunded }) => refunded),
    deducted: sum(({ deducted }) => deducted),
    dispute_deducted: sum(({ dispute_deducted }) => dispute_deducted),
  })
  const kept = await amountOf(sql`select coalesce(sum(e.amount), 0)::bigint as amount
    from ledger_entries e join posted_invoices t using (transaction_id)
      join invoices i on i.id = t.invoice_id
    where i.app_id = ${app_id} and e.account in ('processor', 'disputes_open', 'buyer_payable')`)
  assert.equal(
    total(
      customers.filter(({ app }) => app === slug),
      'paid',
    ),
    kept,
  )
}

/** The exported rows of some tables over all seeds. */
const compared: Record<string, number> = { refunds: 0, disputes: 0, payouts: 0, affiliates: 0 }

async function assertSums(): Promise<void> {
  const { db } = harness
  const sellers = await db.rows<{ seller_id: SellerId }>(sql`select seller_id from invoices
    union select seller_id from apps order by 1`)
  const exports = new Map<SellerId, Tables>()
  for (const { seller_id } of sellers) {
    const tables = await exportOf(seller_id)
    exports.set(seller_id, tables)
    for (const name of Object.keys(compared)) compared[name]! += tables[name]!.length
    await assertSales(seller_id, tables)
    await assertPayouts(seller_id, tables)
    await assertAffiliates(seller_id, tables)
  }
  // An app that was transferred has invoices of each of its sellers, and customers of the last.
  const invoices = [...exports.values()].flatMap((tables) => tables.invoices ?? [])
  const apps = await db.rows<{ id: AppId; slug: string; seller_id: SellerId }>(
    sql`select id, slug, seller_id from apps`,
  )
  for (const app of apps) {
    await assertApp(app, { invoices, customers: exports.get(app.seller_id)!.customers! })
  }
}

test('an export sums up to what the ledger and the list of invoices say, to the cent', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await runSeed(harness, seed)
    assert.equal(run.broken, undefined, reportOf(run))
    await assertSums()
  }
  assert.ok(
    Object.values(compared).every((rows) => rows > SEEDS / 2),
    JSON.stringify(compared),
  )
})
