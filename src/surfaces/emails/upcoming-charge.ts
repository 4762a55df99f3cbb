import * as payments from '#domain/payments'
import { type NextCharge, nextCharge } from '#flows/subscription'
import type { World } from '#flows/world'
import type { LicenseId } from '#platform/ids'
import { sum } from '#platform/money'
import type { EndingDiscount, UpcomingCharge } from './upcoming-text.ts'

/** The next automatic charge of a license, as things are now; undefined if there is none. */
export async function upcomingCharge(
  world: World,
  license_id: LicenseId,
): Promise<UpcomingCharge | undefined> {
  const next = await nextCharge(world, license_id)
  // A paused plan is charged when its buyer resumes it.
  if (!next || next.why === 'resumption') return undefined
  const { subscription, price, now } = next
  const { auto_renew, pause_at_end, card_id, state, period_end: day } = subscription
  if (!auto_renew || pause_at_end) return undefined
  const card = await payments.getCard(world.db, card_id)
  const card_expires = payments.expiresFirst(card, { at: day, now, amount: next.charged })
  const { frequency, product_name } = price
  const charge = { ...next, is_about: !next.is_exact, product_name, frequency, state, day }
  return { ...charge, card, card_expires, ending: endingDiscount(next) }
}

/** The discount of the next charges, if later ones are without it. */
function endingDiscount({
  why,
  discount,
  amount,
  subscription: { discount_periods_left: count },
}: NextCharge): EndingDiscount | undefined {
  if (why !== 'renewal' || !discount || count === null) return undefined
  return { code: discount.code, count, full_amount: sum(amount, discount.amount) }
}
