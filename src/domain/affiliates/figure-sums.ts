import type { Db } from '#platform/db'
import type { AffiliateId, AppId } from '#platform/ids'
import { sql } from '#platform/sql'

/**
 * Adds up to `limit` changes to what affiliates brought by day. A change leaves the queue as its
 * sum is written, so each counts once however many processes run. Returns the number added.
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

/** Referred days that differ from the invoices and the ledger: for tests, over everything. */
export async function wrongReferred(
  db: Db,
): Promise<{ affiliate_id: AffiliateId; app_id: AppId; day: string | null; found: string }[]> {
  return await db.rows(sql`with change as (
      select affiliate_id, app_id, day, purchases, net, commission from referred_days
      union all select affiliate_id, app_id, day, purchases, net, commission from referred_changes
      union all select affiliate_id, app_id, day, 0, -net, -commission from referred_revenue
      union all select affiliate_id, app_id, day, -1, 0, 0 from referred_purchases)
    select affiliate_id, app_id, day::text,
      concat_ws(' ', sum(purchases), sum(net), sum(commission)) as found
    from change group by affiliate_id, app_id, day
    having sum(purchases) <> 0 or sum(net) <> 0 or sum(commission) <> 0 order by 1, 2, 3`)
}
