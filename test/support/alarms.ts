import * as alarms from '#platform/alarms'
import type { Db } from '#platform/db'

/** The open alarms of a test, latest first. */
export async function openAlarms(db: Db): Promise<alarms.Alarm[]> {
  return await alarms.openAlarms(db, { limit: 50, offset: 0 })
}
