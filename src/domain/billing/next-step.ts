import { isHardDecline, isInDunning, resumeDunning } from './dunning.ts'
import { type PeriodEnd, remindedAt } from './reminders.ts'
import type { RunningSubscription } from './subscriptions.ts'

/** What to do with a subscription that is due. */
export type NextStep =
  /** Remind the buyer of the charge at the end of the trial or the year. */
  | 'remind'
  /** Charge the next period. */
  | 'renew'
  /** Retry the charge of what is owed. */
  | 'retry'
  /** The card is known not to work: the retry is skipped. */
  | 'skip_retry'
  /** End the license, as its owner requested. */
  | 'end'
  /** Pause the license, as its owner requested. */
  | 'pause'
  /** Do nothing until something else changes. */
  | 'rest'

/** Decides what is due at a time; `status` is the license's. */
export function nextStep(
  now: Date,
  subscription: Pick<
    RunningSubscription,
    'next_at' | 'period_end' | 'frequency' | 'auto_renew' | 'pause_at_end' | 'last_decline'
  >,
  status: string,
): NextStep {
  const { next_at, period_end, auto_renew, pause_at_end, last_decline } = subscription
  if (next_at === null || next_at > now) return 'rest'
  if (isInDunning(status)) {
    // Auto-renew was turned off while the license was suspended, or while the payment was pending.
    if (!auto_renew) return 'end'
    return isHardDecline(last_decline) ? 'skip_retry' : 'retry'
  }
  if (!isRunning(status)) return 'rest'
  if (now < period_end) return isReminderDue(now, subscription, status) ? 'remind' : 'rest'
  if (!auto_renew) return 'end'
  return pause_at_end ? 'pause' : 'renew'
}

function isRunning(status: string): boolean {
  return status === 'active' || status === 'trialing'
}

/** A trial is announced to end even if nothing is charged; a year only if it renews. */
function isReminderDue(
  now: Date,
  subscription: PeriodEnd & Pick<RunningSubscription, 'auto_renew' | 'pause_at_end'>,
  status: string,
): boolean {
  const at = remindedAt(status, subscription)
  if (at === undefined || at > now) return false
  return status === 'trialing' || (subscription.auto_renew && !subscription.pause_at_end)
}

/**
 * When a subscription is due again if its license resumes with `status`: what became due in the
 * meantime is due now.
 */
export function dueAgain(
  now: Date,
  subscription: PeriodEnd & Pick<RunningSubscription, 'past_due_since' | 'retries'>,
  status: string,
): Pick<RunningSubscription, 'next_at' | 'past_due_since'> {
  const { period_end, past_due_since, retries } = subscription
  if (isRunning(status)) {
    const due = remindedAt(status, subscription) ?? period_end
    return { next_at: due < now ? now : due, past_due_since }
  }
  if (isInDunning(status) && past_due_since) {
    return resumeDunning(now, { past_due_since, retries })
  }
  return { next_at: null, past_due_since }
}
