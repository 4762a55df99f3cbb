import type { Db } from '#platform/db'
import type { AffiliateId, AppId } from '#platform/ids'
import { sql } from '#platform/sql'

/**
 * Adds up to `limit` changes to the daily referral figures. A change leaves the queue as its sum is
 * written, so each counts once however many processes run. Returns the number added.
 */
export async function sumReferred(db: Db, limit: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`with
    taken as (delete from referred_changes where id in (
        select id from referred_changes limit ${limit} for update skip locked)
      returning affiliate_id, app_id, day, purchases, net, commission),
    summed as (insert into referred_days as kept
        (affiliate_id, app_id, day, purchases, net, commission)
      select affiliate_id, app_id, day, sum(purchases), sum(net), sum(commission) from taken
      group by affiliate_id, app_id, day order by affiliate_id, app_id, day
      on conflict (affiliate_id, app_id, day) do update set
        purchases = kept.purchases + excluded.purchases, net = kept.net + excluded.net,
        commission = kept.commission + excluded.commission)
    select count(*) as count from taken`)
  return count
}

/** The stored referral figures of an affiliate for an app and day, and the correct ones. */
export interface WrongReferred {
  affiliate_id: AffiliateId
  app_id: AppId
  /** Never null: both sides have a day. */
  day: string | null
  /** Purchases, net revenue and commission. */
  found: string
  expected: string
}

/** Referred days that differ from the invoices and the ledger, over everything. */
export async function wrongReferred(db: Db): Promise<WrongReferred[]> {
  const sums = sql`affiliate_id, app_id, day, sum(purchases) as purchases, sum(net) as net,
    sum(commission) as commission`
  return await db.rows<WrongReferred>(sql`with
    kept as (select ${sums} from (
        select affiliate_id, app_id, day, purchases, net, commission from referred_days
        union all select affiliate_id, app_id, day, purchases, net, commission
          from referred_changes) k group by affiliate_id, app_id, day),
    due as (select ${sums} from (
        select affiliate_id, app_id, day, 0 as purchases, net, commission from referred_revenue
        union all select affiliate_id, app_id, day, 1, 0, 0 from referred_purchases) d
      group by affiliate_id, app_id, day),
    compared as (select affiliate_id, app_id, day::text,
        concat_ws(' ', coalesce(kept.purchases, 0), coalesce(kept.net, 0),
          coalesce(kept.commission, 0)) as found,
        concat_ws(' ', coalesce(due.purchases, 0), coalesce(due.net, 0),
          coalesce(due.commission, 0)) as expected
      from kept full join due using (affiliate_id, app_id, day))
    select affiliate_id, app_id, day, found, expected from compared where found <> expected
    order by 1, 2, 3`)
}

/** How many days are stored. */
export async function countReferred(db: Db): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from referred_days`,
  )
  return count
}
