import type * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { type Settled, settle, told } from './settle.ts'

// An answer that is older than this was lost, not late: the processor is asked by the key.
const LOOK_AFTER_SECONDS = 3
// By now a charge that the processor never heard of must not happen any more.
const CLOSE_AFTER_SECONDS = 20
// How long a buyer may take over a challenge of his bank.
const CHALLENGE_SECONDS = 15 * 60

const PROCESSING = { outcome: 'processing' } as const

/** What a cart stands at: its own attempt's outcome, or that it was never tried. */
export type Resumed = Settled | { outcome: 'processing' | 'untried' }

/**
 * Looks again at a cart whose buyer comes back from a challenge, or waits for an answer: to his own
 * attempt, or to one in another tab that holds this cart up.
 */
export async function resume(world: World, cart: billing.Cart): Promise<Resumed> {
  const own = await payments.latestOf(world.db, cart.id)
  if (own && payments.isUnsettled(own)) return await look(world, own)
  if (own?.status === 'succeeded') return told(own)
  const { app_id, email_normalised } = cart as { app_id: string; email_normalised: string }
  const other = await payments.findUnsettled(world.db, { app_id, email_normalised })
  const isHeldUp = other?.status === 'open' && (await look(world, other)).outcome === 'processing'
  if (isHeldUp) return PROCESSING
  return own ? told(own) : { outcome: 'untried' }
}

/** Finishes every attempt whose answer was lost; run at the start and every few seconds. */
export async function recover(world: World): Promise<void> {
  const before = addSeconds(world.clock.now(), -LOOK_AFTER_SECONDS)
  for (const attempt of await payments.unsettledSince(world.db, before)) {
    try {
      await look(world, attempt)
    } catch (error) {
      world.log.error({ error, attempt_id: attempt.id }, 'an attempt could not be settled yet')
    }
  }
}

async function look(world: World, attempt: payments.Attempt): Promise<Resumed> {
  const { processor, clock } = world
  const now = clock.now()
  const isOlder = (seconds: number) => addSeconds(attempt.created_at, seconds) <= now
  if (attempt.status === 'open' && !isOlder(LOOK_AFTER_SECONDS)) return PROCESSING
  const patience = attempt.status === 'open' ? CLOSE_AFTER_SECONDS : CHALLENGE_SECONDS
  try {
    const found = await processor.find(attempt.id)
    const isFinal = found && found.status !== 'action_required'
    if (isFinal) return await settle(world, attempt, found)
    if (isOlder(patience)) {
      return await settle(world, attempt, await processor.close(now, attempt.id))
    }
    return found ? await settle(world, attempt, found) : PROCESSING
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    return PROCESSING
  }
}
