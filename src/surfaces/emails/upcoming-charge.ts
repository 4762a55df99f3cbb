import type * as billing from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as payments from '#domain/payments'
import { nextCharge } from '#flows/subscription'
import type { World } from '#flows/world'
import type { LicenseId } from '#platform/ids'
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
  const ending = next.why === 'renewal' ? await endingDiscount(world, next) : undefined
  return { ...charge, card, card_expires, ending }
}

/** The discount of the next charges, if later ones are without it. */
async function endingDiscount(
  { db }: World,
  { subscription, price }: { subscription: billing.Subscription; price: ProductPrice },
): Promise<EndingDiscount | undefined> {
  const { discount_id, discount_periods_left: count, pending_amount, amount } = subscription
  if (discount_id === null || count === null) return undefined
  const discount = await discounts.getDiscount(db, discount_id)
  if (!discounts.isForProduct(discount, price.product_id)) return undefined
  return { code: discount.code, count, full_amount: pending_amount ?? amount }
}
