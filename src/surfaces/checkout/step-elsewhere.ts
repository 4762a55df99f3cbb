import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { detailsUrl, type OwnCart } from './purchase.ts'

/** A cart on its way through the steps. */
type SteppingCart = Pick<OwnCart, 'cart' | 'attempt'> & Partial<Pick<OwnCart, 'not_continued'>>

/** The step to redirect to if the requested one is too early or too late. */
export async function stepElsewhere(
  world: World,
  { cart }: Pick<OwnCart, 'cart'>,
): Promise<string | undefined> {
  // There is none before a card was entered.
  const attempt = cart.card === null ? undefined : await payments.latestOfCart(world.db, cart.id)
  return elsewhere(world, { cart, attempt })
}

/** Like `stepElsewhere`, given the latest attempt to pay for the cart. */
export function elsewhere(
  { clock }: World,
  { cart, attempt, not_continued }: SteppingCart,
): string | undefined {
  const base = `/checkout/${cart.id}`
  if (cart.completed_at !== null) return `${base}/success`
  if (attempt?.status === 'open') return `${base}/processing`
  if (not_continued) return `${base}/not-continued`
  return billing.hasExpired(clock.now(), cart) ? detailsUrl(cart) : undefined
}
