import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { detailsUrl, type OwnCart } from './purchase.ts'

/** The step to redirect to if the requested one is too early or too late. */
export async function stepElsewhere(
  world: World,
  own: Pick<OwnCart, 'cart'>,
): Promise<string | undefined> {
  return elsewhere(world, own, await latestAttempt(world, own))
}

/** The latest attempt to pay for a cart; there is none before a card was entered. */
export async function latestAttempt(
  { db }: World,
  { cart }: Pick<OwnCart, 'cart'>,
): Promise<payments.Attempt | undefined> {
  return cart.card === null ? undefined : await payments.latestOfCart(db, cart.id)
}

/** As `stepElsewhere`, given the latest attempt to pay for the cart. */
export function elsewhere(
  { clock }: World,
  { cart }: Pick<OwnCart, 'cart'>,
  attempt: payments.Attempt | undefined,
): string | undefined {
  const base = `/checkout/${cart.id}`
  if (cart.completed_at !== null) return `${base}/success`
  if (attempt?.status === 'open') return `${base}/processing`
  return billing.hasExpired(clock.now(), cart) ? detailsUrl(cart) : undefined
}
