import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { BroughtBy } from './fee.ts'

export type InvoiceKind = 'purchase' | 'renewal' | 'upgrade'

/** A bill, paid by one charge. Amounts are before tax unless named otherwise. */
export interface Invoice {
  id: string
  kind: InvoiceKind
  app_id: string
  user_id: string
  license_id: string
  order_id: string
  subscription_id: string | null
  period_index: number | null
  period_start: Date
  period_end: Date | null
  product_id: string
  price_id: string
  tax_quote_id: string
  /** What the plan costs, what an unused part of another is worth, and what is left to pay. */
  price_amount: Cents
  credit: Cents
  amount: Cents
  tax: Cents
  /** The service's whole fee, the fixed part of it, and the part that the add-on adds. */
  fee: Cents
  fixed_fee: Cents
  add_on_fee: Cents
  commission: Cents
  brought_by: BroughtBy
  affiliate_id: string | null
  status: 'open' | 'paid' | 'void'
  /** Too little to be charged: the service bore it. */
  is_waived: boolean
  created_at: Date
  paid_at: Date | null
}

export type NewInvoice = Omit<Invoice, 'created_at' | 'paid_at' | 'status' | 'is_waived'>

const COLUMNS = sql`id, kind, app_id, user_id, license_id, order_id, subscription_id, period_index,
  period_start, period_end, product_id, price_id, tax_quote_id, price_amount, credit, amount, tax,
  fee, fixed_fee, add_on_fee, commission, brought_by, affiliate_id, status, created_at, paid_at,
  is_waived`

/** Writes a bill that waits for its money, or one that is paid already. */
export async function addInvoice(
  db: Db,
  now: Date,
  invoice: NewInvoice & { status: 'open' | 'paid' },
): Promise<void> {
  const paid_at = invoice.status === 'paid' ? now : null
  await db.run(sql`insert into invoices (${COLUMNS})
    values (${invoice.id}, ${invoice.kind}, ${invoice.app_id}, ${invoice.user_id},
      ${invoice.license_id}, ${invoice.order_id}, ${invoice.subscription_id},
      ${invoice.period_index}, ${invoice.period_start}, ${invoice.period_end},
      ${invoice.product_id}, ${invoice.price_id}, ${invoice.tax_quote_id},
      ${invoice.price_amount}, ${invoice.credit}, ${invoice.amount}, ${invoice.tax},
      ${invoice.fee}, ${invoice.fixed_fee}, ${invoice.add_on_fee}, ${invoice.commission},
      ${invoice.brought_by},
      ${invoice.affiliate_id}, ${invoice.status}, ${now}, ${paid_at}, false)`)
}

/** A bill by its id. */
export async function findInvoice(db: Db, id: string): Promise<Invoice> {
  return await db.one<Invoice>(sql`select ${COLUMNS} from invoices where id = ${id}`)
}

/** A bill by its id, of one app where `app_id` is given. */
export async function findInvoiceOf(
  db: Db,
  facts: { id: string; app_id: string | null },
): Promise<(Invoice & { number: number }) | undefined> {
  return await db.maybe<Invoice & { number: number }>(sql`select number, ${COLUMNS} from invoices
    where id = ${facts.id} and (${facts.app_id}::text is null or app_id = ${facts.app_id})`)
}

/** The bill that a subscription waits to be paid. */
export async function openInvoiceOf(db: Db, subscription_id: string): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where subscription_id = ${subscription_id} and kind = 'renewal' and status = 'open'`)
}

/** The invoices that subscriptions wait to be paid, by subscription. */
export async function openInvoicesOf(
  db: Db,
  subscription_ids: string[],
): Promise<Map<string, Invoice>> {
  const found = await db.rows<Invoice>(sql`select ${COLUMNS} from invoices
    where subscription_id = any(${subscription_ids}) and kind = 'renewal' and status = 'open'`)
  return new Map(found.map((each) => [each.subscription_id!, each]))
}

/** The bill that paid for the period that runs. */
export async function lastPaidInvoice(db: Db, license_id: string): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where license_id = ${license_id} and status = 'paid'
    order by paid_at desc, number desc limit 1`)
}

/** The last invoice of a license that was charged; one that was waived is passed over. */
export async function lastChargedInvoice(db: Db, license_id: string): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where license_id = ${license_id} and status = 'paid' and not is_waived
    order by paid_at desc, number desc limit 1`)
}

/** The invoice that paid for the period before: the one whose unused part an upgrade credited. */
export async function paidBefore(
  db: Db,
  { license_id, id }: Pick<Invoice, 'license_id' | 'id'>,
): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where license_id = ${license_id} and status = 'paid'
      and (paid_at, number) < (select paid_at, number from invoices where id = ${id})
    order by paid_at desc, number desc limit 1`)
}

/**
 * Notes that a bill was paid, and what for: a renewal that came late pays for a later period. One
 * that was given up is paid all the same where its money was on the way.
 */
export async function payInvoice(
  db: Db,
  now: Date,
  paid: Pick<Invoice, 'id' | 'period_index' | 'period_start' | 'period_end' | 'is_waived'>,
): Promise<void> {
  await db.run(sql`update invoices set status = 'paid', paid_at = ${now},
      period_index = ${paid.period_index}, period_start = ${paid.period_start},
      period_end = ${paid.period_end}, is_waived = ${paid.is_waived}
    where id = ${paid.id} and status <> 'paid'`)
}

/** Nobody earns on a bill that waits for its money, as the affiliate himself pays it. */
export async function waiveCommission(db: Db, id: string): Promise<void> {
  await db.run(sql`update invoices set commission = 0, affiliate_id = null
    where id = ${id} and status <> 'paid'`)
}

/** Gives up a bill that nobody will pay. */
export async function voidInvoice(db: Db, id: string): Promise<void> {
  await db.run(sql`update invoices set status = 'void' where id = ${id} and status = 'open'`)
}

/** The paid invoices of an account, the latest first. */
export async function paidInvoicesOf(db: Db, user_id: string): Promise<Invoice[]> {
  return await db.rows<Invoice>(sql`select ${COLUMNS} from invoices
    where user_id = ${user_id} and status = 'paid' order by paid_at desc, id`)
}
