import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'

// An answer that is older than this was lost, not late: the processor is asked by the key.
const RECONCILE_AFTER_SECONDS = 3
// By now a charge that the processor never heard of must not happen any more.
const CLOSE_AFTER_SECONDS = 20
// How far the clocks of two machines may differ.
const CLOCK_SKEW_SECONDS = 60
// How long a buyer may take over a challenge of his bank.
const CHALLENGE_SECONDS = 15 * 60
// An attempt that is open for so long is shown to staff (decided: attempts).
const STUCK_SECONDS = 3600

/** Attempts that were made before this time may have lost their answer. */
export function lostBefore({ clock }: World): Date {
  return addSeconds(clock.now(), -RECONCILE_AFTER_SECONDS)
}

/**
 * Asks the processor by its key what became of an attempt that is not settled. Where it waits too
 * long it is closed, so that nothing can follow. Undefined while nobody knows.
 */
export async function askProcessor(
  { processor, clock }: World,
  attempt: { id: string; status: payments.AttemptStatus; created_at: Date },
): Promise<payments.ChargeAnswer | undefined> {
  const now = clock.now()
  // A clock that was set back must not make anybody wait for the time to come again.
  const isAhead = attempt.created_at > addSeconds(now, CLOCK_SKEW_SECONDS)
  const isOlder = (seconds: number) => isAhead || addSeconds(attempt.created_at, seconds) <= now
  if (attempt.status === 'open' && !isOlder(RECONCILE_AFTER_SECONDS)) return undefined
  const patience = attempt.status === 'open' ? CLOSE_AFTER_SECONDS : CHALLENGE_SECONDS
  try {
    const found = await processor.find(attempt.id)
    const isFinal = found !== undefined && found.status !== 'action_required'
    return isFinal || !isOlder(patience) ? found : await processor.close(now, attempt.id)
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    return undefined
  }
}

/** Attempts that were made before this time and are not settled are shown to staff. */
export function stuckBefore({ clock }: Pick<World, 'clock'>): Date {
  return addSeconds(clock.now(), -STUCK_SECONDS)
}

/**
 * Closes an attempt that staff asks to close. What the processor answers counts; where it gives no
 * answer, the attempt is closed only if staff saw at the processor that nothing was charged.
 */
export async function closeByHand(
  { processor, clock, log }: World,
  { id, nothing_charged }: { id: string; nothing_charged: boolean },
): Promise<payments.ChargeAnswer | undefined> {
  try {
    const found = await processor.find(id)
    const isFinal = found !== undefined && found.status !== 'action_required'
    return isFinal ? found : await processor.close(clock.now(), id)
  } catch (error) {
    log.warn({ error, attempt_id: id }, 'the processor did not close an attempt')
    return nothing_charged ? { status: 'closed' } : undefined
  }
}
