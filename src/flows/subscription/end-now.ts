import { lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import type { LicenseId } from '#platform/ids'
import { endSubscription } from './dunning.ts'

/**
 * Ends a license that renews at once, without a refund; nothing is charged for it afterwards. The
 * buyer gets a confirmation, the seller an email. Returns false where nothing renews.
 */
export async function endNow(
  world: World,
  actor: ActorOf<'seller'>,
  { license_id, reason }: { license_id: LicenseId; reason: string },
): Promise<boolean> {
  return await world.db.tx(async (tx) => {
    const { license, subscription, now } = await lockLicense(world, tx, license_id)
    if (!subscription || license.status === 'canceled') return false
    await endSubscription(tx, now, { ...subscription, auto_renew: false }, 'period_ended')
    await audit(tx, now, {
      actor,
      action: 'license.ended',
      subject: license_id,
      detail: { reason },
    })
    const about = { subject_id: license_id }
    await queueFreshEmail(tx, now, world, { kind: 'subscription_canceled', ...about })
    await queueFreshEmail(tx, now, world, { kind: 'seller_cancellation', ...about })
    return true
  })
}
