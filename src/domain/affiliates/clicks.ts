import type { Db } from '#platform/db'
import type { AffiliateId, AppId } from '#platform/ids'
import { rowsOf, sql } from '#platform/sql'

/** A click on an affiliate's link: to an app, or to the marketplace (`app_id` null). */
export interface Click {
  affiliate_id: AffiliateId
  app_id: AppId | null
}

/** How often a link was followed, and when first. */
export interface CountedClicks extends Click {
  count: number
  first_at: Date
}

/** Adds counted clicks to each day's count (UTC, in the app's own time). */
export async function addClicks(db: Db, clicks: CountedClicks[]): Promise<void> {
  if (clicks.length === 0) return
  await db.run(sql`
    insert into affiliate_clicks (affiliate_id, app_id, day, count)
    select row.affiliate_id, a.id,
      ((row.first_at + coalesce(a.clock_ahead, 0) * interval '1 second') at time zone 'UTC')::date,
      sum(row.count)
    from ${rowsOf(clicks, TYPES)}
    left join apps a on a.id = row.app_id
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (affiliate_id, app_id, day) do update set
      count = affiliate_clicks.count + excluded.count`)
}

const TYPES = {
  affiliate_id: 'text',
  app_id: 'text',
  count: 'int',
  first_at: 'timestamptz',
} as const

// Programs that name themselves; a browser's name is "Mozilla/5.0 …".
const PROGRAM =
  /bot|crawl|spider|slurp|preview|scan|monitor|fetch|curl|wget|python|http-client|java\//i

/** Whether a request looks like a person who follows a link. */
export function isClick(headers: {
  'user-agent'?: string | undefined
  'sec-purpose'?: string | string[] | undefined
  purpose?: string | string[] | undefined
}): boolean {
  const agent = headers['user-agent'] ?? ''
  const isPrefetch = /prefetch|prerender/.test(`${headers['sec-purpose']} ${headers.purpose}`)
  return agent !== '' && !PROGRAM.test(agent) && !isPrefetch
}
