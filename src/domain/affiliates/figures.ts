import type { Db } from '#platform/db'
import type { AffiliateId, AppId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** Referral figures by day: clicks, purchases, and the amounts in the ledger. */
export interface ReferredFigures {
  clicks: number
  /** Orders of referred buyers, trials included. */
  purchases: number
  /** What the seller earned on every payment of these buyers, after refunds and disputes. */
  net: Cents
  /** What the affiliate earned on them, after what was reversed. */
  commission: Cents
}

/** The figures of one affiliate in an app. */
export interface AffiliateFigures extends ReferredFigures {
  affiliate_id: AffiliateId
  code: string
}

/** The figures of an affiliate in one app; of links to the marketplace where `app_id` is null. */
export interface ReferredApp extends ReferredFigures {
  app_id: AppId | null
  slug: string | null
  name: string | null
}

/** Days in UTC, both included. */
interface Days {
  from: string
  to: string
}

/** The row after which a list continues. */
export interface FiguresCursor {
  amount: Cents
  id: string
}

/** The affiliates with referrals to an app in these days, by the seller's revenue. */
export async function affiliatesOfApp(
  db: Db,
  query: { app_id: AppId; days: Days; after?: FiguresCursor | undefined; limit: number },
): Promise<AffiliateFigures[]> {
  const { app_id, days, after, limit } = query
  return await db.rows<AffiliateFigures>(sql`select a.id as affiliate_id, a.code, f.clicks,
      f.purchases, f.net, f.commission
    from (${sums({ app_id, days }, sql`affiliate_id`)}) f
      join affiliates a on a.id = f.affiliate_id
    where ${beyond(sql`f.net`, sql`f.affiliate_id`, after)}
    order by f.net desc, f.affiliate_id desc limit ${limit}`)
}

const TOTALS = sql`coalesce(sum(f.clicks), 0)::bigint as clicks,
  coalesce(sum(f.purchases), 0)::bigint as purchases, coalesce(sum(f.net), 0)::bigint as net,
  coalesce(sum(f.commission), 0)::bigint as commission`

/**
 * The apps that an affiliate referred visitors to, by commission, and the totals over all of them.
 * They cover all days, which are read once.
 */
export async function appsOfAffiliate(
  db: Db,
  query: { affiliate_id: AffiliateId; after?: FiguresCursor | undefined; limit: number },
): Promise<{ totals: ReferredFigures; apps: ReferredApp[] }> {
  const { affiliate_id, after, limit } = query
  const id = sql`coalesce(f.app_id, '')`
  const { apps, ...totals } = await db.one<ReferredFigures & { apps: ReferredApp[] }>(sql`
    with f as materialized (${sums({ affiliate_id }, sql`app_id`)}),
    page as (select f.app_id, a.slug, a.name, f.clicks, f.purchases, f.net, f.commission
      from f left join apps a on a.id = f.app_id
      where ${beyond(sql`f.commission`, id, after)}
      order by f.commission desc, ${id} desc limit ${limit})
    select ${TOTALS}, (select coalesce(
        jsonb_agg(to_jsonb(f) order by f.commission desc, ${id} desc), '[]') from page f) as apps
    from f`)
  return { totals, apps }
}

/** The sums over all affiliates of an app. */
export async function referredTotals(
  db: Db,
  scope: { app_id: AppId; days: Days },
): Promise<ReferredFigures> {
  return await db.one<ReferredFigures>(
    sql`select ${TOTALS} from (${sums(scope, sql`affiliate_id`)}) f`,
  )
}

/** What was referred on one day, in UTC. */
export interface ReferredDay {
  day: string
  net: Cents
  commission: Cents
}

/** The amounts of each day that has any, for an app or an affiliate, oldest first. */
export async function referredByDay(db: Db, scope: ReferredScope): Promise<ReferredDay[]> {
  return await db.rows<ReferredDay>(sql`select f.day::text, f.net, f.commission
    from (${sums(scope, sql`day`)}) f where f.net <> 0 or f.commission <> 0 order by f.day`)
}

type ReferredScope = { app_id: AppId; days?: Days } | { affiliate_id: AffiliateId; days?: Days }

/**
 * The figures of a scope, grouped by one column; of changes that are not added to their day too.
 */
function sums(scope: ReferredScope, by: Sql): Sql {
  const { days } = scope
  const which =
    'app_id' in scope
      ? sql`k.app_id = ${scope.app_id}`
      : sql`k.affiliate_id = ${scope.affiliate_id}`
  const day = days ? sql`k.day between ${days.from}::date and ${days.to}::date` : sql`true`
  const money = (table: Sql) =>
    sql`select k.${by}, 0 as clicks, k.purchases, k.net, k.commission
      from ${table} k where ${which} and ${day}`
  return sql`select p.${by}, coalesce(sum(p.clicks), 0)::bigint as clicks,
      coalesce(sum(p.purchases), 0)::bigint as purchases,
      coalesce(sum(p.net), 0)::bigint as net, coalesce(sum(p.commission), 0)::bigint as commission
    from (
      select k.${by}, k.count as clicks, 0 as purchases, 0::bigint as net, 0::bigint as commission
        from affiliate_clicks k where ${which} and ${day}
      union all ${money(sql`referred_days`)}
      union all ${money(sql`referred_changes`)}
    ) p group by p.${by}`
}

function beyond(amount: Sql, id: Sql, after: FiguresCursor | undefined): Sql {
  if (!after) return sql`true`
  return sql`(${amount}, ${id}) < (${after.amount}::bigint, ${after.id}::text)`
}
