import type * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { listAudit } from '#platform/audit-log'
import { addSeconds } from '#platform/calendar'

/** More advances of one app than this are not looked back at. */
const MOST_ADVANCES = 1000

/**
 * Converts a time of the service's clock, such as that of a sign-in, to what an app's own clock
 * showed then: in test mode it is ahead (decision 31). How far ahead it was before each advance is
 * in the audit log, and what happened while it advanced gets the time at which it stopped.
 */
export async function appTimes(
  { db }: World,
  { id, clock_ahead }: apps.App,
): Promise<(at: Date) => Date> {
  if (clock_ahead === 0) return (at) => at
  const action = 'app.clock_advanced'
  const advances = await listAudit(db, { subject: id, action, limit: MOST_ADVANCES })
  return (at) => {
    const next = advances.findLast((advance) => at < advance.at)
    return addSeconds(at, next ? secondsAhead(next.at, String(next.detail.from)) : clock_ahead)
  }
}

function secondsAhead(at: Date, shown: string): number {
  return Math.max(0, Math.round((Date.parse(shown) - at.getTime()) / 1000))
}
