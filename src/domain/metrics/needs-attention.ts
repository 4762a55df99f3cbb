import type { Db } from '#platform/db'
import type { AppId, DisputeId, InvoiceId, SubscriptionId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** A paid invoice. */
export interface LatestSale {
  id: InvoiceId
  app_slug: string
  app_name: string
  email: string
  product_name: string
  /** Before tax. */
  amount: Cents
  /** What the ledger says that the seller earned on it, after refunds and disputes. */
  net: Cents
  paid_at: Date
}

/** Which apps, and how many rows at most. */
export interface AttentionQuery {
  app_ids: AppId[]
  limit: number
}

/** The latest paid invoices of apps. */
export async function latestSales(db: Db, query: AttentionQuery): Promise<LatestSale[]> {
  const { app_ids, limit } = query
  // The bounds and the order are those of the index of app and day, as in the list of sales. A
  // renewal may be paid weeks after it got its number.
  return await db.rows<LatestSale>(sql`
    select i.id, a.slug as app_slug, a.name as app_name, u.email, p.name as product_name, i.amount,
      e.net, i.paid_at
    from (select latest.* from unnest(${app_ids}::text[]) own (id)
        cross join lateral (select * from invoices
          where app_id between own.id and own.id and number is not null
            and coalesce(paid_at, created_at) < 'infinity'
            and status = 'paid' and paid_at is not null
          order by app_id desc, coalesce(paid_at, created_at) desc, number desc
          limit ${limit}) latest
        order by latest.paid_at desc, latest.number desc limit ${limit}) i
      join apps a on a.id = i.app_id join users u on u.id = i.user_id
      join products p on p.id = i.product_id
      left join charges c on c.invoice_id = i.id
      cross join lateral (select coalesce(-sum(l.amount), 0)::bigint as net
        from ledger_transactions t join ledger_entries l on l.transaction_id = t.id
        where l.account in ('seller_payable', 'dispute_hold') and t.subject = any(i.id
          || array(select id from refunds where charge_id = c.id)
          || array(select id from disputes where charge_id = c.id))) e
    order by i.paid_at desc, i.number desc`)
}

/** A dispute or inquiry that is not decided. */
export interface OpenDispute {
  id: DisputeId
  invoice_id: InvoiceId
  app_slug: string
  app_name: string
  email: string
  amount: Cents
  /** Whether the bank only asks, and has withdrawn nothing. */
  is_inquiry: boolean
  due_at: Date
  submitted_at: Date | null
}

/** The undecided disputes and inquiries of apps, next one due first. */
export async function openDisputes(db: Db, query: AttentionQuery): Promise<OpenDispute[]> {
  return await db.rows<OpenDispute>(sql`
    select d.id, i.id as invoice_id, a.slug as app_slug, a.name as app_name, u.email, d.amount,
      d.status = 'inquiry' as is_inquiry, d.due_at, d.submitted_at
    from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      join apps a on a.id = i.app_id join users u on u.id = i.user_id
    where d.status in ('inquiry', 'open') and i.app_id = any(${query.app_ids}::text[])
    order by d.due_at, d.id limit ${query.limit}`)
}

/** A renewal that failed and is not paid yet. */
export interface FailedRenewal {
  id: SubscriptionId
  app_slug: string
  app_name: string
  email: string
  product_name: string
  /** What the period comes to, before tax and less a discount. */
  amount: Cents
  past_due_since: Date
  /** When it is retried; null while the license is paused. */
  next_at: Date | null
  /** Why the card was declined last, in the words of the processor. */
  last_decline: string | null
  invoice_id: InvoiceId | null
}

/** The renewals of apps that failed and are not paid, latest first. */
export async function failedRenewals(db: Db, query: AttentionQuery): Promise<FailedRenewal[]> {
  return await db.rows<FailedRenewal>(sql`
    select s.id, a.slug as app_slug, a.name as app_name, u.email, p.name as product_name,
      coalesce(i.amount, s.amount) as amount, s.past_due_since, s.next_at,
      s.last_decline, i.id as invoice_id
    from subscriptions s join licenses l on l.id = s.license_id
      join apps a on a.id = s.app_id join users u on u.id = l.user_id
      left join lateral (select id, amount, product_id from invoices
        where subscription_id = s.id and kind = 'renewal' and status = 'open'
        order by period_index desc limit 1) i on true
      join products p on p.id = coalesce(i.product_id, l.product_id)
    where s.app_id = any(${query.app_ids}::text[]) and s.past_due_since is not null
      and s.ended_at is null
    order by s.past_due_since desc, s.id limit ${query.limit}`)
}
