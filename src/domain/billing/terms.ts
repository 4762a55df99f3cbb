import { addDays, type Frequency, periodEnd } from '#platform/calendar'
import { type Cents, ZERO } from '#platform/money'

/** The terms of a purchase: the license's first status, its end, and the amount due now. */
export interface Terms {
  status: 'active' | 'trialing' | 'one_time_active'
  /** The end of the paid or trial period; null if it has none. */
  period_end: Date | null
  due_now: Cents
}

/**
 * The terms of a purchase at a given time, with or without its trial. What was paid at another
 * service until `prepaid_until` is charged from then on.
 */
export function termsOf(
  now: Date,
  price: { frequency: Frequency | null; trial_days: number },
  facts: { total: Cents; trial_allowed: boolean; prepaid_until?: Date | undefined },
): Terms {
  if (facts.prepaid_until) {
    return { status: 'active', period_end: facts.prepaid_until, due_now: ZERO }
  }
  if (price.frequency === null) {
    return { status: 'one_time_active', period_end: null, due_now: facts.total }
  }
  if (price.trial_days > 0 && facts.trial_allowed) {
    return { status: 'trialing', period_end: addDays(now, price.trial_days), due_now: ZERO }
  }
  return { status: 'active', period_end: periodEnd(now, price.frequency, 1), due_now: facts.total }
}
