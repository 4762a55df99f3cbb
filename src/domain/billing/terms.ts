import { addDays, type Frequency, periodEnd } from '#platform/calendar'
import { type Cents, ZERO } from '#platform/money'

/** What a purchase leads to: the license's first status, its end, and what is due now. */
export interface Terms {
  status: 'active' | 'trialing' | 'one_time_active'
  /** The end of the paid or trial period; null where it has none. */
  period_end: Date | null
  due_now: Cents
}

/** The terms on which an offer is bought at a time, with or without its trial. */
export function termsOf(
  now: Date,
  offer: { frequency: Frequency | null; trial_days: number },
  facts: { total: Cents; trial_allowed: boolean },
): Terms {
  if (offer.frequency === null) {
    return { status: 'one_time_active', period_end: null, due_now: facts.total }
  }
  if (offer.trial_days > 0 && facts.trial_allowed) {
    return { status: 'trialing', period_end: addDays(now, offer.trial_days), due_now: ZERO }
  }
  return { status: 'active', period_end: periodEnd(now, offer.frequency, 1), due_now: facts.total }
}
