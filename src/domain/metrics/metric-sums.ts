import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'

/**
 * Adds up to `limit` changes to the sums of their days. A change leaves the queue as its sum is
 * written, so each counts once however many processes run. Returns the number added.
 */
export async function sumMetrics(db: Db, limit: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`with
    taken as (delete from metric_changes where id in (
        select id from metric_changes limit ${limit} for update skip locked)
      returning app_id, metric, day, count, amount),
    summed as (insert into metric_days as kept (app_id, metric, day, count, amount)
      select app_id, metric, day, sum(count), sum(amount) from taken
      group by app_id, metric, day order by app_id, metric, day
      on conflict (app_id, metric, day) do update set count = kept.count + excluded.count,
        amount = kept.amount + excluded.amount)
    select count(*) as count from taken`)
  return count
}

/**
 * Metrics that differ from the ledger, by day, or from the licenses as they are now, over
 * everything.
 */
export async function findWrongMetrics(
  db: Db,
): Promise<{ app_id: AppId; what: string; found: string; expected: string }[]> {
  const kept = sql`(select * from metric_days
    union all select app_id, metric, day, count, amount from metric_changes)`
  return await db.rows(sql`
    with kept as (
        select app_id, metric || ' of ' || day as what, sum(count) as count, sum(amount) as amount
        from ${kept} k where metric ~ '^(sale|refund|dispute_|appeal_)'
        group by app_id, metric, day
      union all select app_id, metric, sum(count), 0 from ${kept} k
        where metric in ('active', 'trialing', 'one_time_active', 'past_due', 'unpaid', 'paused')
        group by app_id, metric
      union all select app_id, 'mrr', 0, sum(amount) from ${kept} k
        where metric like 'mrr\\_%' group by app_id),
      due as (
        select app_id, metric || ' of ' || day as what, sum(count) as count, sum(amount) as amount
        from revenue_changes group by app_id, metric, day
      union all select app_id, status, count(*), 0 from license_metrics
        where status is not null group by app_id, status
      union all select app_id, 'mrr', 0, sum(mrr) from license_metrics group by app_id)
    select app_id, what, concat_ws(' ', coalesce(kept.count, 0), coalesce(kept.amount, 0)) as found,
      concat_ws(' ', coalesce(due.count, 0), coalesce(due.amount, 0)) as expected
    from kept full join due using (app_id, what)
    where (coalesce(kept.count, 0), coalesce(kept.amount, 0))
      is distinct from (coalesce(due.count, 0), coalesce(due.amount, 0)) order by 1, 2`)
}

/** How many figures by day are stored. */
export async function countMetrics(db: Db): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count from metric_days`)
  return count
}
