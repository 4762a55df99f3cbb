import type * as apps from '#domain/apps'
import type * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { nextCharge } from '#flows/subscription'
import { appTime, type World } from '#flows/world'
import type { LicenseId } from '#platform/ids'
import type { UpcomingCharge } from './upcoming-text.ts'

/** The next automatic charge of a license, as things are now; undefined if there is none. */
export async function upcomingCharge(
  world: World,
  facts: {
    license_id: LicenseId
    subscription: billing.RunningSubscription | undefined
    app: Pick<apps.App, 'clock_ahead'>
  },
): Promise<UpcomingCharge | undefined> {
  const { license_id, subscription, app } = facts
  if (!subscription?.auto_renew || subscription.pause_at_end) return undefined
  const next = await nextCharge(world, { license_id, app })
  // A paused plan is charged when its buyer resumes it.
  if (!next || next.why === 'resumption') return undefined
  const { frequency, product_name } = next.price
  const day = subscription.period_end
  const card = await payments.findCard(world.db, subscription.card_id)
  const charge = { at: day, now: appTime(world, app), amount: next.charged }
  const card_expires = payments.expiresFirst(card, charge)
  return { ...next, is_about: !next.is_exact, product_name, frequency, day, card, card_expires }
}
