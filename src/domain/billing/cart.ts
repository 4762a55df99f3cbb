import { addSeconds } from '#platform/calendar'
import type { Cart } from './carts.ts'

const CART_SECONDS = 24 * 3600

/** Whether a cart was left for 24 hours without becoming an order: its buyer starts again. */
export function hasExpired(now: Date, cart: Pick<Cart, 'created_at' | 'completed_at'>): boolean {
  return cart.completed_at === null && addSeconds(cart.created_at, CART_SECONDS) <= now
}

/** How long after a purchase its success page may sign a new account in. */
const SIGN_IN_SECONDS = 3600

/** Whether a cart's success page may sign its new account in: within the hour, until a sign-out. */
export function maySignIn(
  now: Date,
  { completed_at, sign_in_ended_at }: Pick<Cart, 'completed_at' | 'sign_in_ended_at'>,
): boolean {
  if (completed_at === null || sign_in_ended_at !== null) return false
  return completed_at > addSeconds(now, -SIGN_IN_SECONDS)
}
