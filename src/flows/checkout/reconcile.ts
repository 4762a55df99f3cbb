import type * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { askProcessor, closeByHand, lostBefore } from '#flows/lost-answer'
import type { World } from '#flows/world'
import { type Settled, settle, told } from './settle.ts'

const PROCESSING = { outcome: 'processing' } as const

/** What a cart stands at: its own attempt's outcome, or that it was never tried. */
export type Resumed = Settled | { outcome: 'processing' | 'untried' }

/**
 * Looks again at a cart whose buyer comes back from a challenge, or waits for an answer: to his own
 * attempt, or to one in another tab that holds this cart up.
 */
export async function resume(world: World, cart: billing.Cart): Promise<Resumed> {
  const own = await payments.latestOf(world.db, cart.id)
  if (own && payments.isPending(own)) return await reconcileAttempt(world, own)
  if (own?.status === 'succeeded') return told(own)
  const { app_id, email_normalised } = cart as { app_id: string; email_normalised: string }
  const other = await payments.findPending(world.db, { app_id, email_normalised })
  const isBlocked =
    other?.status === 'open' && (await reconcileAttempt(world, other)).outcome === 'processing'
  if (isBlocked) return PROCESSING
  return own ? told(own) : { outcome: 'untried' }
}

/** Finishes every attempt whose answer was lost; run at the start and every few seconds. */
export async function reconcile(world: World): Promise<void> {
  for (const attempt of await payments.pendingSince(world.db, lostBefore(world))) {
    if (world.stopping.aborted) return
    try {
      await reconcileAttempt(world, attempt)
    } catch (error) {
      world.log.error({ error, attempt_id: attempt.id }, 'an attempt could not be settled yet')
    }
  }
}

async function reconcileAttempt(world: World, attempt: payments.Attempt): Promise<Resumed> {
  const answer = await askProcessor(world, attempt)
  return answer ? await settle(world, attempt, answer) : PROCESSING
}

/** Closes an attempt on a cart by hand; undefined while the processor gives no answer. */
export async function closeCartAttempt(
  world: World,
  attempt: { id: string; cart_id: string },
  facts: { nothing_charged: boolean },
): Promise<Settled | undefined> {
  const answer = await closeByHand(world, { id: attempt.id, ...facts })
  return answer && (await settle(world, attempt, answer))
}
