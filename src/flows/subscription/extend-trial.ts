import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { lockLicenseFor } from '#flows/locked-license'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { addDays } from '#platform/calendar'
import type { LicenseId } from '#platform/ids'

/** The days by which a trial can be extended at a time. */
export const EXTENSION_DAYS = { least: 1, most: 90 } as const

/**
 * The outcome of extending a trial: `ending` while its first charge is processing, and `moved` if
 * its end has changed since it was read.
 */
export type TrialExtended =
  | { outcome: 'extended'; period_end: Date }
  | { outcome: 'no_trial' }
  | { outcome: 'ending' }
  | { outcome: 'moved' }

/**
 * Extends a trial from the end that was read by whole days; its first charge and its reminder
 * follow the new end. The same request again changes nothing.
 */
export async function extendTrial(
  world: World,
  actor: ActorOf<'seller'>,
  facts: { license_id: LicenseId; from: Date; days: number; reason: string },
): Promise<TrialExtended> {
  const { license_id, from, days, reason } = facts
  if (!Number.isInteger(days) || days < EXTENSION_DAYS.least || days > EXTENSION_DAYS.most) {
    throw new RangeError(`a trial is extended by 1 to 90 days, and not by ${days}`)
  }
  return await world.db.tx(async (tx) => {
    const { license, subscription, now } = await lockLicenseFor(world, tx, actor, license_id)
    if (!subscription || license.status !== 'trialing') return { outcome: 'no_trial' }
    if (await billing.openInvoiceOf(tx, subscription.id)) return { outcome: 'ending' }
    const { period_end: before, frequency } = subscription
    // The trial is the period before the anchor, so what is paid starts at its new end.
    const period_end = addDays(from, days)
    if (before.getTime() === period_end.getTime()) return { outcome: 'extended', period_end }
    if (before.getTime() !== from.getTime()) return { outcome: 'moved' }
    const next_at = billing.reminderOrEnd(now, 'trialing', { period_end, frequency })
    await billing.changeSubscription(tx, subscription, { anchor: period_end, period_end, next_at })
    const step = { trigger: 'trial_extended', to: 'trialing', period_end } as const
    await licensing.transition(tx, now, { license_id, ...step })
    if (!subscription.auto_renew) {
      await licensing.setEndDay(tx, { license_id, canceled_at: period_end })
    }
    await audit(tx, now, {
      actor,
      action: 'license.trial_extended',
      subject: license_id,
      detail: { reason, days, before, period_end },
    })
    return { outcome: 'extended', period_end }
  })
}
