import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { lockLicense, resume, suspend } from '#flows/locked-license'
import type { World } from '#flows/world'
import { concerning } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import type { LicenseId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * The outcome of a suspension: a license that ended, or that its owner paused, is not suspended.
 */
export type SuspendedByStaff = 'suspended' | 'ended' | 'paused_by_owner'

/**
 * Suspends a license, and emails its buyer that it cannot be used. One that is suspended for a
 * dispute stays so until staff reinstate it.
 */
export async function suspendByStaff(
  world: World,
  staff: StaffWithReason,
  license_id: LicenseId,
): Promise<SuspendedByStaff> {
  return await world.db.tx(async (tx) => {
    const locked = await lockLicense(world, tx, license_id)
    const { status, paused_for } = locked.license
    if (status === 'canceled' || status === 'preview') return 'ended'
    if (paused_for === 'buyer') return 'paused_by_owner'
    if (paused_for === 'staff') return 'suspended'
    if (status === 'paused') await licensing.changePause(tx, { license_id, paused_for: 'staff' })
    else {
      await suspend(tx, locked, { trigger: 'suspended', paused_for: 'staff' })
      const email = { kind: 'license_suspended', subject_id: license_id } as const
      await queueFreshEmail(tx, world.clock.now(), world, email)
    }
    await recordStaffAction(tx, locked.now, concerning(staff, locked.app.seller_id), {
      action: 'license.suspended',
      subject: license_id,
    })
    return 'suspended'
  })
}

/** The outcome of a reinstatement: a disputed license stays suspended for the dispute. */
export type ReinstatedByStaff = 'reinstated' | 'still_disputed' | 'nothing'

/** Reinstates a license that staff suspended, and emails its buyer once it can be used. */
export async function reinstateByStaff(
  world: World,
  staff: StaffWithReason,
  license_id: LicenseId,
): Promise<ReinstatedByStaff> {
  return await world.db.tx(async (tx) => {
    const locked = await lockLicense(world, tx, license_id)
    if (locked.license.paused_for !== 'staff') return 'nothing'
    const isDisputed = (await payments.countOpenDisputes(tx, license_id)) > 0
    if (isDisputed) await licensing.changePause(tx, { license_id, paused_for: 'dispute' })
    else {
      await resume(tx, locked)
      const email = { kind: 'license_reinstated', subject_id: license_id } as const
      await queueFreshEmail(tx, world.clock.now(), world, email)
    }
    await recordStaffAction(tx, locked.now, concerning(staff, locked.app.seller_id), {
      action: 'license.reinstated',
      subject: license_id,
    })
    return isDisputed ? 'still_disputed' : 'reinstated'
  })
}
