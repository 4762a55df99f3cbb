import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { lockLicenseFor } from '#flows/locked-license'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import type { LicenseId } from '#platform/ids'
import { endSubscription } from './dunning.ts'

/**
 * Turns auto-renew off or on. Off: the license stays as it is until the paid period ends; where a
 * payment is past due, or its owner had paused it, it ends at once. The buyer gets a confirmation,
 * the seller an email. Returns false if nothing renews, or if the license would end at once and
 * `may_end` is false, because the person agreed to its end after the paid period only.
 */
export async function setAutoRenew(
  world: World,
  actor: ActorOf<'buyer' | 'seller'>,
  facts: {
    license_id: LicenseId
    to: 'on' | 'off'
    may_end?: boolean
    is_disowned?: boolean
    reason?: string
  },
): Promise<boolean> {
  const { license_id, to, may_end = true, is_disowned = false, reason } = facts
  return await world.db.tx(async (tx) => {
    const { license, subscription, now } = await lockLicenseFor(world, tx, actor, license_id)
    if (!subscription || license.status === 'canceled') return false
    const auto_renew = to === 'on'
    if (subscription.auto_renew === auto_renew) return true
    if (!auto_renew && (licensing.isInDunning(license.status) || license.paused_for === 'buyer')) {
      if (!may_end) return false
      await endSubscription(tx, now, { ...subscription, auto_renew }, 'period_ended')
    } else {
      await billing.changeSubscription(tx, subscription, { auto_renew, pause_at_end: false })
      const canceled_at = auto_renew ? null : subscription.period_end
      await licensing.setEndDay(tx, { license_id, canceled_at })
    }
    const action = auto_renew ? 'license.auto_renew_on' : 'license.auto_renew_off'
    await audit(tx, now, { actor, action, subject: license_id, detail: { reason } })
    if (to === 'off') {
      const about = { subject_id: license_id }
      // The mailbox's owner never subscribed, so no confirmation is sent to them.
      if (!is_disowned) {
        await queueFreshEmail(tx, now, world, { kind: 'subscription_canceled', ...about })
      }
      await queueFreshEmail(tx, now, world, { kind: 'seller_cancellation', ...about })
    }
    return true
  })
}
