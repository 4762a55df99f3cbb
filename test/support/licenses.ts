import type { LicenseStatus } from '#domain/licensing'
import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { TestService } from './service.ts'

/**
 * Sets the status of licenses directly, with the matching subscriptions: all licenses, one, or
 * those of an account. Other tests cover how they get there.
 */
export async function forceStatus(
  { world, clock }: Pick<TestService, 'world' | 'clock'>,
  status: LicenseStatus,
  of: { license_id?: LicenseId; email?: string; canceled_at?: Date } = {},
): Promise<void> {
  const license_id = of.license_id ?? null
  const email = of.email ?? null
  const isPaused = status === 'paused'
  const canceled_at = status === 'canceled' ? (of.canceled_at ?? clock.now()) : null
  await world.db.run(sql`with forced as (
      update licenses l set status = ${status}, canceled_at = ${canceled_at},
        paused_from = ${isPaused ? 'active' : null}, paused_for = ${isPaused ? 'staff' : null}
      from users u where u.id = l.user_id and (${license_id}::text is null or l.id = ${license_id})
        and (${email}::text is null or u.email_normalized = ${email})
      returning l.id)
    update subscriptions set ended_at = ${isRunning(status) ? null : clock.now()}
    where license_id in (select id from forced)`)
}

function isRunning(status: LicenseStatus): boolean {
  return !['canceled', 'one_time_active', 'preview'].includes(status)
}

/** A transition in a license's history. */
interface PastStep {
  at: Date
  from_status: LicenseStatus | null
  to_status: LicenseStatus
  trigger: string
}

/** The transitions of a license, earliest first. */
export async function historyOf(db: Db, license_id: LicenseId): Promise<PastStep[]> {
  return await db.rows<PastStep>(sql`select at, from_status, to_status, trigger
    from license_history where license_id = ${license_id} order by id`)
}
