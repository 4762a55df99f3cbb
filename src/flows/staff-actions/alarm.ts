import type { World } from '#flows/world'
import { resolveAlarm } from '#platform/alarms'
import type { AlarmId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/** Resolves an alarm by hand. False if it is not open. */
export async function resolveByStaff(
  { db, clock }: World,
  staff: StaffWithReason,
  alarm_id: AlarmId,
): Promise<boolean> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const alarm = await resolveAlarm(tx, now, alarm_id)
    if (!alarm) return false
    const { kind, subject, message } = alarm
    const detail = { kind, subject, message }
    await recordStaffAction(tx, now, staff, { action: 'alarm.resolved', subject: alarm_id, detail })
    return true
  })
}
