import { isHardDecline, resumeDunning } from './dunning.ts'
import { trialDue } from './period.ts'
import type { Subscription } from './subscriptions.ts'

/** What is to be done with a subscription that is due. */
export type NextStep =
  /** Tell the buyer that the trial is about to end. */
  | 'remind'
  /** Charge the next period. */
  | 'renew'
  /** Try again to charge what is owed. */
  | 'retry'
  /** The card is known to be useless: a retry passes without a charge. */
  | 'skip_retry'
  /** The license ends, as its owner wished. */
  | 'end'
  /** The license pauses, as its owner wished. */
  | 'pause'
  /** Nothing, until something else happens. */
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
    // It was turned off while the license was suspended, or while the payment was on its way.
    if (!auto_renew) return 'end'
    return isHardDecline(last_decline) ? 'skip_retry' : 'retry'
  }
  if (status !== 'active' && status !== 'trialing') return 'rest'
  if (now < period_end) return status === 'trialing' ? 'remind' : 'rest'
  if (!auto_renew) return 'end'
  return pause_at_end ? 'pause' : 'renew'
}

/** When something is due again of a subscription whose license has `status` from now on. */
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
