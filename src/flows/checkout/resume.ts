import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { type ChargeOutcome, reconcileAttempt, type Settled, settledOf } from '#flows/payment'
import type { World } from '#flows/world'
import type { AppId, OrderId } from '#platform/ids'

/** The state of a cart: the outcome of its own attempt, or that there was none. */
export type Resumed =
  | { outcome: 'completed'; order_id: OrderId }
  | Exclude<Settled, { outcome: 'paid' }>
  | { outcome: 'processing' | 'untried' | 'sign_in_needed' }

/**
 * Reads the state of a cart whose buyer returns from a challenge or waits for an answer: to their
 * own attempt, or to one in another tab that blocks this cart.
 */
export async function resume(world: World, cart: billing.Cart): Promise<Resumed> {
  const { db } = world
  const own = await payments.latestOfCart(db, cart.id)
  if (own && payments.isPending(own)) return await ofCart(await reconcileAttempt(world, own))
  if (own?.status === 'succeeded') return await ofCart(settledOf(own))
  const { app_id, email_normalized } = cart as { app_id: AppId; email_normalized: string }
  // A visitor who enters the email of an account learns nothing about its payments.
  const user = await identity.findByEmail(db, email_normalized)
  const isForeign = user !== undefined && user.id !== cart.user_id
  const other = isForeign ? undefined : await payments.findPending(db, { app_id, email_normalized })
  const isBlocked =
    other?.status === 'open' && (await reconcileAttempt(world, other)).outcome === 'processing'
  if (isBlocked) return { outcome: 'processing' }
  if (own) return await ofCart(settledOf(own))
  return { outcome: isForeign ? 'sign_in_needed' : 'untried' }

  async function ofCart(charged: ChargeOutcome): Promise<Resumed> {
    if (charged.outcome !== 'paid') return charged
    const { order_id } = (await billing.findCart(db, cart.id))!
    return { outcome: 'completed', order_id: order_id! }
  }
}
