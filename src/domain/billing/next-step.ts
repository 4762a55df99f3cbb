import { isHardDecline, resumeDunning } from './dunning.ts'
import { trialDue } from './period.ts'
import type { Subscription } from './subscriptions.ts'

/** What to do with a subscription that is due. */
export type NextStep =
  /** Notify the buyer that the trial is about to end. */
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
    Subscription,
    'next_at' | 'period_end' | 'auto_renew' | 'pause_at_end' | 'last_decline'
  >,
  status: string,
): NextStep {
  const { next_at, period_end, auto_renew, pause_at_end, last_decline } = subscription
  if (next_at === null || next_at > now) return 'rest'
  if (status === 'past_due' || status === 'unpaid') {
    // Auto-renew was turned off while the license was suspended, or while the payment was pending.
    if (!auto_renew) return 'end'
    return isHardDecline(last_decline) ? 'skip_retry' : 'retry'
  }
  if (status !== 'active' && status !== 'trialing') return 'rest'
  if (now < period_end) return status === 'trialing' ? 'remind' : 'rest'
  if (!auto_renew) return 'end'
  return pause_at_end ? 'pause' : 'renew'
}

/** When a subscription is due again if its license has `status` from now on. */
export function dueAgain(
  now: Date,
  subscription: Pick<Subscription, 'period_end' | 'past_due_since' | 'retries'>,
  status: string,
): Pick<Subscription, 'next_at' | 'past_due_since'> {
  const { period_end, past_due_since, retries } = subscription
  if (status === 'active') return { next_at: period_end, past_due_since }
  if (status === 'trialing') return { next_at: trialDue(now, period_end), past_due_since }
  const isOwing = status === 'past_due' || status === 'unpaid'
  if (isOwing && past_due_since) return resumeDunning(now, { past_due_since, retries })
  return { next_at: null, past_due_since }
}
