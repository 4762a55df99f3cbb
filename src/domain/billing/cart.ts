import { addSeconds } from '#platform/calendar'

const CART_SECONDS = 24 * 3600

/** Whether a cart was left for 24 hours without becoming an order: its buyer starts again. */
export function hasExpired(
  now: Date,
  cart: { created_at: Date; completed_at: Date | null },
): boolean {
  return cart.completed_at === null && addSeconds(cart.created_at, CART_SECONDS) <= now
}
