import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, LicenseId, ProductId, SubscriptionId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** The statuses of a subscription in its list: those of a license that renews. */
export const SUBSCRIPTION_STATUSES = [
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** The orders of the list of subscriptions: each puts the largest value first. */
export const SUBSCRIPTION_SORTS = ['newest', 'mrr'] as const
export type SubscriptionSort = (typeof SUBSCRIPTION_SORTS)[number]

/** A subscription of an app, in its list. */
export interface ListedSubscription {
  id: SubscriptionId
  license_id: LicenseId
  email: string
  status: SubscriptionStatus
  product_name: string
  /** Its part of the monthly recurring revenue, before tax. */
  mrr: Cents
  /** The agreed price of a period, before tax and before a discount. */
  amount: Cents
  /** Null if it ended by a change to a plan that is paid once. */
  frequency: Frequency | null
  /** The discount code that applies to periods to come. */
  discount_code: string | null
  created_at: Date
  period_end: Date
  /** False once it has ended. */
  auto_renew: boolean
}

/** Which subscriptions of an app. */
export interface SubscriptionFilter {
  app_id: AppId
  status?: SubscriptionStatus | undefined
  product_id?: ProductId | undefined
  frequency?: Frequency | undefined
  /** Whether a discount applies to periods to come. */
  is_discounted?: boolean | undefined
  /** The days on which they began: from one, and before another. */
  from?: Date | undefined
  before?: Date | undefined
  /** The licenses that a search found; undefined without a search. */
  license_ids?: LicenseId[] | undefined
}

/** A page of an app's subscriptions; it starts after the last one of the previous page. */
export async function listSubscriptions(
  db: Db,
  query: SubscriptionFilter & {
    sort: SubscriptionSort
    after?: { at: Date; amount: Cents; id: string } | undefined
    limit: number
  },
): Promise<ListedSubscription[]> {
  const { sort, after, limit } = query
  const column = sort === 'newest' ? sql`created_at` : sql`mrr`
  const rest = after
    ? sql`and (x.${column}, x.license_id)
        < (${sort === 'newest' ? after.at : after.amount}, ${after.id})`
    : sql``
  return await db.rows<ListedSubscription>(sql`
    select s.id, x.license_id, u.email, x.status, p.name as product_name, x.mrr, s.amount,
      x.frequency, d.code as discount_code, x.created_at, s.period_end,
      s.auto_renew and x.status <> 'canceled' as auto_renew
    from (select x.* from listed_subscriptions x where ${matching(query)} ${rest}
        order by x.${column} desc, x.license_id desc limit ${limit}) x
      join subscriptions s on s.license_id = x.license_id
      join licenses l on l.id = x.license_id join users u on u.id = l.user_id
      join products p on p.id = x.product_id
      left join discount_codes d on d.id = x.discount_id
    order by x.${column} desc, x.license_id desc`)
}

/** The number of subscriptions, how many of them are active, and their recurring revenue. */
export interface SubscriptionTotals {
  count: number
  active: number
  mrr: Cents
}

/** The totals of an app's subscriptions. */
export async function subscriptionTotals(
  db: Db,
  filter: SubscriptionFilter,
): Promise<SubscriptionTotals> {
  return await db.one<SubscriptionTotals>(sql`select count(*) as count,
      count(*) filter (where x.status = 'active') as active,
      coalesce(sum(x.mrr), 0)::bigint as mrr
    from listed_subscriptions x where ${matching(filter)}`)
}

function matching(filter: SubscriptionFilter): Sql {
  const { app_id, status, product_id, frequency, is_discounted, from, before } = filter
  const { license_ids } = filter
  return sql`x.app_id = ${app_id}
    and x.created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
    and x.created_at < coalesce(${before ?? null}::timestamptz, 'infinity')
    and (${product_id ?? null}::text is null or x.product_id = ${product_id ?? null})
    and (${frequency ?? null}::text is null or x.frequency = ${frequency ?? null})
    and (${is_discounted ?? null}::boolean is null
      or (x.discount_id is not null) = ${is_discounted ?? null})
    ${status === undefined ? sql`` : sql`and x.status = ${status}`}
    ${license_ids === undefined ? sql`` : sql`and x.license_id = any(${license_ids})`}`
}
