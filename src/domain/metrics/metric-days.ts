import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** Ledger events that change a seller's earnings. */
export const REVENUE_METRICS = [
  'sale',
  'refund',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
  'appeal_opened',
  'appeal_won',
] as const

/**
 * How monthly recurring revenue (MRR) changes. A reactivation resumes payment after it had stopped.
 */
export const MRR_METRICS = [
  'mrr_new',
  'mrr_reactivation',
  'mrr_expansion',
  'mrr_contraction',
  'mrr_churn',
] as const

/** Statuses of licenses that have not ended. */
export const STATUS_METRICS = [
  'active',
  'trialing',
  'one_time_active',
  'past_due',
  'unpaid',
  'paused',
] as const

/** The steps of the checkout, in order. */
export const CART_METRICS = ['cart_details', 'cart_card', 'cart_confirmation', 'cart_paid'] as const

export type Metric =
  | (typeof REVENUE_METRICS)[number]
  | (typeof MRR_METRICS)[number]
  | (typeof STATUS_METRICS)[number]
  | (typeof CART_METRICS)[number]

/** What a metric adds up to. */
export interface MetricTotal {
  metric: Metric
  count: number
  /** Cents; zero for metrics without an amount. */
  amount: Cents
}

/** The revenue figures of a day (`YYYY-MM-DD`). */
export interface MoneyDay {
  day: string
  /** What the seller earned. */
  net: Cents
  /** The change of monthly recurring revenue. */
  mrr: Cents
}

/**
 * Which metrics to read: apps, metrics, and the first and last day. Without a first day, from the
 * beginning.
 */
export interface MetricQuery {
  app_ids: AppId[]
  metrics: readonly Metric[]
  from?: string
  to: string
}

/**
 * The stored sums plus the changes that are not in them yet, so the result is always exact. In the
 * order of the index: apps, then days.
 */
const PARTS = ({ app_ids, metrics, from, to }: MetricQuery) => {
  const which = sql`app_id = any(${app_ids}::text[]) and metric = any(${[...metrics]}::text[])
    and day between ${from ?? BEGINNING}::date and ${to}::date`
  return sql`(select metric, day, count, amount from metric_days where ${which}
    union all select metric, day, count, amount from metric_changes where ${which})`
}

const BEGINNING = '2000-01-01'

/** The sum of each metric over apps and days. */
export async function metricTotals(db: Db, query: MetricQuery): Promise<MetricTotal[]> {
  return await db.rows<MetricTotal>(sql`select metric, sum(count)::bigint as count,
      sum(amount)::bigint as amount
    from ${PARTS(query)} parts group by metric order by metric`)
}

/** The revenue of apps by day, summed over the apps. Days without revenue are absent. */
export async function moneyDays(
  db: Db,
  range: Pick<MetricQuery, 'app_ids' | 'to'> & { from: string },
): Promise<MoneyDay[]> {
  const parts = PARTS({ ...range, metrics: [...REVENUE_METRICS, ...MRR_METRICS] })
  const isMrr = sql`metric = any(${[...MRR_METRICS]}::text[])`
  return await db.rows<MoneyDay>(sql`select to_char(day, 'YYYY-MM-DD') as day,
      coalesce(sum(amount) filter (where not ${isMrr}), 0)::bigint as net,
      coalesce(sum(amount) filter (where ${isMrr}), 0)::bigint as mrr
    from ${parts} parts group by parts.day order by parts.day`)
}

/**
 * How many payments of apps had a refund on these days (UTC). A payment that was refunded in parts
 * counts once, and the sums by day have each part.
 */
export async function refundedPayments(
  db: Db,
  { app_ids, from, to }: Pick<MetricQuery, 'app_ids' | 'to'> & { from: string },
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count
    from refunded_invoices s where s.app_id = any(${app_ids}::text[]) and exists (
      select 1 from refunds r join ledger_transactions t on t.subject = r.id and t.event = 'refund'
      where r.charge_id = s.charge_id
        and t.at >= ${from}::date::timestamp at time zone 'UTC'
        and t.at < (${to}::date + 1)::timestamp at time zone 'UTC')`)
  return count
}
