import type { Db } from '#platform/db'
import type { AppId, InvoiceId, LicenseId, SellerId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { DISPUTE_COST } from './fee.ts'
import type { Invoice } from './invoices.ts'

/**
 * The status of an invoice, by its charge, its refunds and its disputes. A refund is pending until
 * the buyer's card has confirmed it.
 */
export const SELLER_INVOICE_STATUSES = [
  'paid',
  'refund_pending',
  'partly_refunded',
  'refunded',
  'disputed',
  'dispute_lost',
  'open',
  'void',
] as const
export type SellerInvoiceStatus = (typeof SELLER_INVOICE_STATUSES)[number]

/** An invoice in the seller's list. */
export interface SellerInvoice
  extends Pick<
    Invoice,
    'id' | 'kind' | 'amount' | 'tax' | 'created_at' | 'paid_at' | 'order_id' | 'license_id'
  > {
  number: number
  email: string
  product_name: string
  /** The service's whole fee, and what the add-on adds to it; zero until the invoice is paid. */
  fee: Cents
  add_on_fee: Cents
  /** What the seller earned, before refunds and disputes; zero until the invoice is paid. */
  net: Cents
  /** The state that its tax is owed to. */
  state: string
  /** What the buyer was charged, tax included; zero if nothing was due, or it was waived. */
  charged: Cents
  /** The buyer's refunds, tax included. */
  refunded: Cents
  /** What of it the buyer's card has not confirmed. */
  refund_pending: Cents
  /** What those refunds deducted from the seller's balance: without tax and the returned fee. */
  deducted: Cents
  /** What disputes deducted: their cost until they are won, and their amount once they are lost. */
  dispute_deducted: Cents
  status: SellerInvoiceStatus
}

/** What a dispute `d` deducts from what the seller earned, as the ledger books it. */
export const DEDUCTED_BY_DISPUTE = sql`case d.status
  when 'lost' then d.amount - d.tax - d.owed + ${DISPUTE_COST}::bigint
  when 'open' then ${DISPUTE_COST}::bigint else 0 end`

/** Invoices in the list of a seller, each with its status. */
export const SELLER_INVOICES = (
  invoices: Sql,
) => sql`select i.id, i.number, i.kind, i.amount, i.tax,
    case when i.status = 'paid' then i.fee else 0 end as fee,
    case when i.status = 'paid' then i.add_on_fee else 0 end as add_on_fee,
    case when i.status = 'paid' then i.amount - i.fee else 0 end as net,
    i.created_at, i.paid_at, i.order_id, i.license_id, u.email, p.name as product_name, q.state,
    coalesce(c.amount, 0)::bigint as charged,
    coalesce(r.refunded, 0)::bigint as refunded,
    coalesce(r.pending, 0)::bigint as refund_pending,
    coalesce(r.deducted, 0)::bigint as deducted,
    coalesce(d.deducted, 0)::bigint as dispute_deducted,
    case when i.status <> 'paid' then i.status
      when d.is_open then 'disputed'
      when d.is_lost then 'dispute_lost'
      when r.pending > 0 then 'refund_pending'
      when r.refunded >= c.amount then 'refunded'
      when r.refunded > 0 then 'partly_refunded'
      else 'paid' end as status
  from (${invoices}) i
    join users u on u.id = i.user_id
    join products p on p.id = i.product_id
    join tax_quotes q on q.id = i.tax_quote_id
    left join charges c on c.invoice_id = i.id
    left join lateral (select sum(amount) as refunded, sum(amount - tax - fee) as deducted,
        sum(amount) filter (where status = 'pending') as pending
      from refunds where charge_id = c.id and is_made) r on true
    left join lateral (select bool_or(d.status = 'open') as is_open,
        bool_or(d.status = 'lost') as is_lost, sum(${DEDUCTED_BY_DISPUTE}) as deducted
      from disputes d where d.charge_id = c.id) d on true`

/** An invoice with its app, and the app's seller when it was created. */
export interface AppInvoice extends SellerInvoice {
  app_id: AppId
  seller_id: SellerId
}

/** One invoice; of one app if `app_id` is given. */
export async function findSellerInvoice(
  db: Db,
  facts: { id: InvoiceId; app_id: AppId | null },
): Promise<AppInvoice | undefined> {
  const { id, app_id } = facts
  return await db.maybe<AppInvoice>(
    sql`select s.*, i.app_id, i.seller_id from (${SELLER_INVOICES(sql`select * from invoices where id = ${id}
        and number is not null
        and (${app_id}::text is null or app_id = ${app_id})`)}) s join invoices i on i.id = s.id`,
  )
}

/** The statuses of some invoices. */
export async function invoiceStatuses(
  db: Db,
  ids: InvoiceId[],
): Promise<Map<InvoiceId, SellerInvoiceStatus>> {
  const rows = await db.rows<Pick<SellerInvoice, 'id' | 'status'>>(
    sql`select s.id, s.status
      from (${SELLER_INVOICES(sql`select * from invoices where id = any(${ids})`)}) s`,
  )
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** A page of the invoices of a license, latest first. */
export async function invoicesOfLicense(
  db: Db,
  license_id: LicenseId,
  { below, limit }: { below?: number | undefined; limit: number },
): Promise<SellerInvoice[]> {
  return await db.rows<SellerInvoice>(
    sql`${SELLER_INVOICES(sql`select * from invoices
      where license_id = ${license_id} and number is not null
        and number < coalesce(${below ?? null}::bigint, 9223372036854775807)
      order by number desc limit ${limit}`)} order by i.number desc`,
  )
}
