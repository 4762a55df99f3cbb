import type { LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Writes } from '#platform/together'
import type { LicenseStatus } from './status.ts'
import type { Beginning, Trigger } from './transition.ts'

/** Adds a transition, or the beginning (`from` null), to the history of a license, and why. */
export async function remember(
  db: Writes,
  now: Date,
  step: {
    license_id: LicenseId
    from: LicenseStatus | null
    to: LicenseStatus
    trigger: Beginning | Trigger
  },
): Promise<void> {
  await db.run(sql`insert into license_history (license_id, at, from_status, to_status, trigger)
    values (${step.license_id}, ${now}, ${step.from}, ${step.to}, ${step.trigger})`)
}
