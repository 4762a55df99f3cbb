import { addSeconds } from '#platform/calendar'
import { sameDigest, sha256 } from '#platform/secrets'
import type { Cart } from './carts.ts'

const CART_SECONDS = 24 * 3600

/** Whether a cart was left for 24 hours without becoming an order: its buyer starts again. */
export function hasExpired(
  now: Date,
  cart: { created_at: Date; completed_at: Date | null },
): boolean {
  return cart.completed_at === null && addSeconds(cart.created_at, CART_SECONDS) <= now
}

/** Whether `endCartsOf` detached a cart from its browser: nothing more is charged for it. */
export function hasEnded({ id, browser_hash }: Pick<Cart, 'id' | 'browser_hash'>): boolean {
  return sameDigest(browser_hash, sha256(`ended ${id}`))
}
