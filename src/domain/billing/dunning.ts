import { addDays } from '#platform/calendar'
import type { Subscription } from './subscriptions.ts'

/** The days after the first failure on which a renewal is retried. */
export const RETRY_DAYS = [1, 3, 5, 7, 10, 14, 21] as const
/** The number of retries while the license is past due; the one after is the last. */
const WHILE_PAST_DUE = 6
/** A failure on the way to the processor is retried after this time, and is not counted. */
export const FAULT_SECONDS = 3600

/** What follows a failed retry, or one that was skipped because it needs a new card. */
export type Dunning =
  | { status: 'past_due' | 'unpaid'; next_at: Date; retries: number }
  | { status: 'canceled' }

/** Whether a payment for a license of this status failed and is retried. */
export function isInDunning(status: string): boolean {
  return status === 'past_due' || status === 'unpaid'
}

/** The state of a renewal after its first failure: past due, with a retry a day later. */
export function firstFailure(now: Date): Extract<Dunning, { next_at: Date }> {
  return { status: 'past_due', next_at: addDays(now, RETRY_DAYS[0]!), retries: 0 }
}

/**
 * The state of a renewal after retry number `retries + 1` failed, counted from the day of the first
 * failure: after the retry on day 14 it is unpaid, and after the retry on day 21 the license ends.
 */
export function nextRetry(past_due_since: Date, retries: number): Dunning {
  const made = retries + 1
  const day = RETRY_DAYS[made]
  if (day === undefined) return { status: 'canceled' }
  const status = made < WHILE_PAST_DUE ? 'past_due' : 'unpaid'
  return { status, next_at: addDays(past_due_since, day), retries: made }
}

/**
 * How an unpaid renewal continues after the license was suspended: a retry that was missed
 * during the suspension is due now, and later ones keep their intervals.
 */
export function resumeDunning(
  now: Date,
  { past_due_since, retries }: { past_due_since: Date; retries: number },
): { next_at: Date; past_due_since: Date } {
  const day = RETRY_DAYS[retries] ?? 0
  const next_at = addDays(past_due_since, day)
  if (next_at >= now) return { next_at, past_due_since }
  return { next_at: now, past_due_since: addDays(now, -day) }
}

/** When the last retry is made: if it fails too, the license ends. */
export function dunningEnd(past_due_since: Date): Date {
  return addDays(past_due_since, RETRY_DAYS.at(-1)!)
}

const HARD = ['lost_card', 'stolen_card', 'expired_card', 'fraudulent']

/** Whether a decline is final for this card: no retry is made until the card is replaced. */
export function isHardDecline(decline_code: string | null): boolean {
  return decline_code !== null && HARD.includes(decline_code)
}

/** When an unpaid renewal is retried; null if only another card helps. */
export function retryAt(subscription: Pick<Subscription, 'last_decline' | 'next_at'>): Date | null {
  return isHardDecline(subscription.last_decline) ? null : subscription.next_at
}
