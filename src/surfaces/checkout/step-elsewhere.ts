import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { detailsUrl, type OwnCart } from './purchase.ts'

/** The step to redirect to if the requested one is too early or too late. */
export async function stepElsewhere(
  { db, clock }: World,
  { cart }: OwnCart,
): Promise<string | undefined> {
  const base = `/checkout/${cart.id}`
  if (cart.completed_at !== null) return `${base}/success`
  const attempt = await payments.latestOfCart(db, cart.id)
  if (attempt?.status === 'open') return `${base}/processing`
  return billing.hasExpired(clock.now(), cart) ? detailsUrl(cart) : undefined
}
