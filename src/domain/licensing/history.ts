import type { LicenseId } from '#platform/ids'
import { columnsOf, rowsOf, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { LicenseStatus } from './status.ts'
import type { Beginning, Trigger } from './transition.ts'

/** Adds a transition, or the beginning (`from` null), to the history of a license, and why. */
export async function recordTransition(
  db: Writes,
  now: Date,
  step: {
    license_id: LicenseId
    from: LicenseStatus | null
    to: LicenseStatus
    trigger: Beginning | Trigger
  },
): Promise<void> {
  const { license_id, from: from_status, to: to_status, trigger } = step
  const row = { license_id, at: now, from_status, to_status, trigger }
  await db.run(sql`insert into license_history (${columnsOf(TYPES)})
    select * from ${rowsOf([row], TYPES)}`)
}

const TYPES = {
  license_id: 'text',
  at: 'timestamptz',
  from_status: 'text',
  to_status: 'text',
  trigger: 'text',
} as const
