import * as billing from '#domain/billing'
import { lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { LicenseId } from '#platform/ids'

/**
 * Schedules a pause for the end of the paid period, or cancels it. False if the seller does not
 * allow it, or nothing renews. Resuming is `payOwed`.
 */
export async function pauseAtEnd(
  world: World,
  actor: ActorOf<'buyer'>,
  facts: { license_id: LicenseId; to: 'on' | 'off' },
): Promise<boolean> {
  const { license_id, to } = facts
  return await world.db.tx(async (tx) => {
    const { license, subscription, app, now } = await lockLicense(world, tx, license_id)
    if (!subscription || license.status !== 'active') return false
    if (to === 'on' && !(app.allows_pause && subscription.auto_renew)) return false
    const pause_at_end = to === 'on'
    if (subscription.pause_at_end === pause_at_end) return true
    await billing.changeSubscription(tx, subscription, { pause_at_end })
    const action = to === 'on' ? 'license.pause_planned' : 'license.pause_withdrawn'
    await audit(tx, now, {
      actor,
      action,
      subject: license_id,
    })
    return true
  })
}
