import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import { type ChargeOutcome, closeAttempt } from '#flows/payment'
import type { World } from '#flows/world'
import type { LicenseId } from '#platform/ids'

/**
 * Closes a challenge of the bank that an earlier payment for a license left open, so that the buyer
 * does not pass it for what they chose since. Returns how that payment ended; undefined if no
 * challenge is open, or it is for `card`.
 */
export async function closeChallenge(
  world: World,
  license_id: LicenseId,
  { card }: { card?: payments.Card } = {},
): Promise<ChargeOutcome | undefined> {
  const attempt = await payments.latestOfLicense(world.db, license_id)
  if (attempt?.status !== 'action_required' || attempt.card.token === card?.token) return undefined
  const app = await apps.get(world.db, attempt.app_id)
  return await closeAttempt(world, attempt, { app })
}
