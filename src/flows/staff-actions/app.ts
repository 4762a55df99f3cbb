import * as apps from '#domain/apps'
import type { AppDecision } from '#flows/closed-sets'
import type { World } from '#flows/world'
import { queueFreshEmail } from '#platform/email-queue'
import type { AppId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * Suspends an app, or reinstates it, and emails its seller the reason (decision 102). False if
 * nothing changed.
 */
export async function decideAboutApp(
  world: World,
  staff: StaffWithReason,
  { app_id, what }: { app_id: AppId; what: AppDecision },
): Promise<boolean> {
  const now = world.clock.now()
  const isSuspended = what === 'suspended'
  return await world.db.tx(async (tx) => {
    const { seller_id, suspended_at } = await apps.lock(tx, app_id)
    if ((suspended_at !== null) === isSuspended) return false
    await apps.setSuspended(tx, app_id, isSuspended ? now : null)
    const action = isSuspended ? 'app.suspended' : 'app.reinstated'
    await recordStaffAction(tx, now, { ...staff, seller_id }, { action, subject: app_id })
    const facts = { what, reason: staff.reason }
    await queueFreshEmail(tx, now, world, { kind: 'app_decision', subject_id: app_id, facts })
    return true
  })
}
