import * as licensing from '#domain/licensing'
import { lockLicenseFor } from '#flows/locked-license'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import type { LicenseId } from '#platform/ids'
import { endSubscription } from './dunning.ts'

/**
 * Ends a license that renews, a comp or an imported license at once and without a refund; nothing
 * is charged for it afterwards. The buyer gets an email, and so does the seller if it renewed.
 * Returns false for other licenses.
 */
export async function endNow(
  world: World,
  actor: ActorOf<'seller'>,
  { license_id, reason }: { license_id: LicenseId; reason: string },
): Promise<boolean> {
  return await world.db.tx(async (tx) => {
    const { license, subscription, now } = await lockLicenseFor(world, tx, actor, license_id)
    const isUncharged = licensing.isUncharged(license.origin)
    if (license.status === 'canceled' || (!subscription && !isUncharged)) return false
    if (subscription) {
      await endSubscription(tx, now, { ...subscription, auto_renew: false }, 'period_ended')
    } else {
      const trigger = licensing.endOfUncharged(license.origin)
      await licensing.transition(tx, now, { license_id, trigger, to: 'canceled' })
    }
    await audit(tx, now, {
      actor,
      action: 'license.ended',
      subject: license_id,
      detail: { reason },
    })
    const about = { subject_id: license_id }
    if (isUncharged) {
      await queueFreshEmail(tx, now, world, { kind: 'given_plan_ended', ...about })
      return true
    }
    await queueFreshEmail(tx, now, world, { kind: 'subscription_canceled', ...about })
    await queueFreshEmail(tx, now, world, { kind: 'seller_cancellation', ...about })
    return true
  })
}
