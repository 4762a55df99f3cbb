import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** A subscriber of an app, and when the subscription is next due. */
export interface Subscriber {
  license_id: LicenseId
  email: string
  product_name: string
  status: string
  frequency: Frequency
  amount: Cents
  period_end: Date
  auto_renew: boolean
  pause_at_end: boolean
  last_decline: string | null
  next_at: Date | null
}

/** The subscribers of an app, earliest due first. */
export async function subscribersOf(
  db: Db,
  { app_id, limit }: { app_id: AppId; limit: number },
): Promise<Subscriber[]> {
  return await db.rows<Subscriber>(sql`
    select s.license_id, u.email, p.name as product_name, l.status, r.frequency, s.amount,
      s.period_end, s.auto_renew, s.pause_at_end, s.last_decline, s.next_at
    from subscriptions s join licenses l on l.id = s.license_id join users u on u.id = l.user_id
      join products p on p.id = l.product_id join prices r on r.id = s.price_id
    where ${running(app_id)} order by s.next_at nulls last, s.id limit ${limit}`)
}

/** The number of subscribers of an app, up to `most`. */
export async function countSubscribers(db: Db, app_id: AppId, most: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count
    from (select from subscriptions s where ${running(app_id)} limit ${most}::integer) first`)
  return count
}

function running(app_id: AppId): Sql {
  return sql`s.app_id = ${app_id} and s.ended_at is null`
}
