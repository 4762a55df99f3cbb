import type { Db } from '#platform/db'
import type { AppId, InvoiceId, LicenseId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import type { InvoiceKind } from './invoices.ts'
import {
  DEDUCTED_BY_DISPUTE,
  SELLER_INVOICES,
  type SellerInvoice,
  type SellerInvoiceStatus,
} from './seller-invoices.ts'

/** Filters the invoices of an app. */
export interface InvoiceFilter {
  app_id: AppId
  kind?: InvoiceKind | undefined
  status?: SellerInvoiceStatus | undefined
  /** The time of payment, or of creation if unpaid: from (inclusive) and before (exclusive). */
  dated?: { from?: Date | undefined; before?: Date | undefined } | undefined
  /** What a search found. */
  found?: FoundInvoices | undefined
}

/** What a search found: an invoice, or all those of some licenses. */
export interface FoundInvoices {
  id: InvoiceId | null
  number: number | null
  license_ids: LicenseId[]
}

/** The invoices of an app to list, and from which number downwards. */
export interface InvoiceQuery extends InvoiceFilter {
  below?: number | undefined
  limit: number
}

// A bound that is always present lets the index scan start there, whatever the plan.
const HIGHEST = sql`9223372036854775807`

/** The pending refunds of a charge. */
const PENDING = sql`(select count(*) from refunds
  where charge_id = s.charge_id and status = 'pending')`

const DISPUTES_OF_CHARGE = sql`(select count(*) from disputes
  where charge_id = s.charge_id and status in ('open', 'lost'))`

/** The condition for a status, decided row by row until the page is full. */
const CANDIDATES: Record<SellerInvoiceStatus, Sql> = {
  // A scalar subquery is not turned into a join, which would read every invoice.
  paid: sql`i.status = 'paid' and (select count(r.id) + count(d.id) from charges c
    left join refunds r on r.charge_id = c.id and r.is_made
    left join disputes d on d.charge_id = c.id and d.status in ('open', 'lost')
    where c.invoice_id = i.id) = 0`,
  open: sql`i.status = 'open'`,
  void: sql`i.status = 'void'`,
  refund_pending: sql`i.status = 'paid' and ${PENDING} > 0 and ${DISPUTES_OF_CHARGE} = 0`,
  partly_refunded: OF_REFUNDS(sql`<`),
  refunded: OF_REFUNDS(sql`>=`),
  disputed: sql`i.status = 'paid' and ${OF_DISPUTES('open')}`,
  dispute_lost: sql`i.status = 'paid' and ${OF_DISPUTES('lost')} and not ${OF_DISPUTES('open')}`,
}

/** The condition for paid invoices when many rows are read: unpaid ones are looked up once. */
function PAID_OF_MANY(app_id: AppId): Sql {
  return sql`i.status = 'paid' and i.number not in (select s.number
    from refunded_invoices s join refunds r on r.charge_id = s.charge_id
    where s.app_id = ${app_id} and r.is_made)
  and i.id not in (select c.invoice_id from disputes d join charges c on c.id = d.charge_id
    where d.status in ('open', 'lost') and c.invoice_id is not null)`
}

/** The invoices that had a refund, `s`; decided by the charge, as few refunds are partial. */
function OF_REFUNDS(how: Sql): Sql {
  return sql`i.status = 'paid' and (select sum(amount) from refunds
      where charge_id = s.charge_id and is_made)
    ${how} (select amount from charges where id = s.charge_id)
    and ${PENDING} = 0 and ${DISPUTES_OF_CHARGE} = 0`
}

function OF_DISPUTES(status: 'open' | 'lost'): Sql {
  return sql`i.id in (select c.invoice_id from disputes d join charges c on c.id = d.charge_id
    where d.status = ${status})`
}

const KINDS: InvoiceKind[] = ['purchase', 'renewal', 'upgrade']

function matching({ app_id, kind, dated, found }: InvoiceFilter, table: Sql): Sql {
  const date = sql`coalesce(i.paid_at, i.created_at)`
  // Bounds instead of an equality, and the app in the order: only the index of both serves that,
  // and not the one of numbers alone, in which an app's latest invoice may be far away.
  return sql`${table}.app_id between ${app_id} and ${app_id} and i.number is not null
    and ${kind === undefined ? sql`i.kind = any(${KINDS})` : sql`i.kind = ${kind}`}
    ${
      dated === undefined
        ? sql``
        : sql`and ${date} >= coalesce(${dated.from ?? null}::timestamptz, '-infinity')
            and ${date} < coalesce(${dated.before ?? null}::timestamptz, 'infinity')`
    }
    ${
      found === undefined
        ? sql``
        : sql`and (i.id = ${found.id} or i.number = ${found.number}
            or i.license_id = any(${found.license_ids}))`
    }`
}

const REFUNDED = new Set<SellerInvoiceStatus | undefined>([
  'refund_pending',
  'partly_refunded',
  'refunded',
])

/** The table whose order a list follows: invoices with a refund are read from their own. */
function tableOf({ status }: InvoiceFilter): Sql {
  return REFUNDED.has(status) ? sql`s` : sql`i`
}

/** The `from` and `where` clauses of a filter. */
function sourceOf(filter: InvoiceFilter): Sql {
  const { status } = filter
  const from = REFUNDED.has(status)
    ? sql`refunded_invoices s join invoices i on i.id = s.invoice_id`
    : sql`invoices i`
  const candidates = status === undefined ? sql`` : sql`and ${CANDIDATES[status]}`
  return sql`from ${from} where ${matching(filter, tableOf(filter))} ${candidates}`
}

/** Invoices of an app, latest first. */
export async function listInvoices(db: Db, query: InvoiceQuery): Promise<SellerInvoice[]> {
  const { below = null, limit } = query
  const table = tableOf(query)
  // Everything else that a page shows is read for its invoices only.
  const page = sql`select i.* ${sourceOf(query)}
    and ${table}.number < coalesce(${below}::bigint, ${HIGHEST})
    order by ${table}.app_id desc, ${table}.number desc limit ${limit}`
  return await db.rows<SellerInvoice>(sql`${SELLER_INVOICES(page)} order by i.number desc`)
}

/** The number of invoices that a filter matches. */
export async function countInvoices(db: Db, filter: InvoiceFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count ${sourceOf(filter)}`,
  )
  return count
}

/** How many invoices are summed for a page. */
export const MAX_SUMMED = 5_000

/** The sums of the paid invoices that a filter matches. */
export interface InvoiceTotals {
  /** The number of invoices, paid or not. */
  count: number
  amount: Cents
  tax: Cents
  fee: Cents
  /** The buyers' refunds, tax included. */
  refunded: Cents
  /** What those refunds deducted from the seller's balance. */
  deducted: Cents
  /** What disputes deducted. */
  dispute_deducted: Cents
}

/** The totals of a list of invoices; undefined if they are more than `MAX_SUMMED`. */
export async function invoiceTotals(
  db: Db,
  filter: InvoiceFilter,
): Promise<InvoiceTotals | undefined> {
  const { app_id, status } = filter
  const table = status === 'paid' ? sql`i` : tableOf(filter)
  const source =
    status === 'paid'
      ? sql`from invoices i where ${matching(filter, sql`i`)} and ${PAID_OF_MANY(app_id)}`
      : sourceOf(filter)
  const totals = await db.one<InvoiceTotals>(sql`
    with found as materialized (
      select i.id, i.number, i.status, i.amount, i.tax, i.fee
      ${source}
      order by ${table}.app_id desc, ${table}.number desc limit ${MAX_SUMMED + 1}::integer),
    returned as (
      select sum(r.amount) as refunded, sum(r.amount - r.tax - r.fee) as deducted
      from found g
        join refunded_invoices s on s.app_id = ${app_id} and s.number = g.number
        join refunds r on r.charge_id = s.charge_id and r.is_made),
    disputed as (
      select sum(${DEDUCTED_BY_DISPUTE}) as deducted
      from found g join charges c on c.invoice_id = g.id join disputes d on d.charge_id = c.id)
    select count(*) as count,
      coalesce(sum(f.amount) filter (where f.status = 'paid'), 0)::bigint as amount,
      coalesce(sum(f.tax) filter (where f.status = 'paid'), 0)::bigint as tax,
      coalesce(sum(f.fee) filter (where f.status = 'paid'), 0)::bigint as fee,
      coalesce((select refunded from returned), 0)::bigint as refunded,
      coalesce((select deducted from returned), 0)::bigint as deducted,
      coalesce((select deducted from disputed), 0)::bigint as dispute_deducted
    from found f`)
  return totals.count > MAX_SUMMED ? undefined : totals
}
