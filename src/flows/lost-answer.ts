import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'

// An answer that is older than this was lost, not late: the processor is asked by the key.
const LOOK_AFTER_SECONDS = 3
// By now a charge that the processor never heard of must not happen any more.
const CLOSE_AFTER_SECONDS = 20
// How long a buyer may take over a challenge of his bank.
const CHALLENGE_SECONDS = 15 * 60

/** Attempts that were made before this time may have lost their answer. */
export function lostBefore({ clock }: World): Date {
  return addSeconds(clock.now(), -LOOK_AFTER_SECONDS)
}

/**
 * Asks the processor by its key what became of an attempt that is not settled. Where it waits too
 * long it is closed, so that nothing can follow. Undefined while nobody knows.
 */
export async function askAgain(
  { processor, clock }: World,
  attempt: { id: string; status: payments.AttemptStatus; created_at: Date },
): Promise<payments.ChargeAnswer | undefined> {
  const now = clock.now()
  const isOlder = (seconds: number) => addSeconds(attempt.created_at, seconds) <= now
  if (attempt.status === 'open' && !isOlder(LOOK_AFTER_SECONDS)) return undefined
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
