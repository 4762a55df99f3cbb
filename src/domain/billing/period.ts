import { type Frequency, periodEnd } from '#platform/calendar'

/** A subscription's billing cycle: period number `anchor_index` ends at the anchor. */
export interface BillingCycle {
  anchor: Date
  anchor_index: number
  frequency: Frequency
}

/** A period by its number, and the time that it covers. */
export interface Period {
  period_index: number
  period_start: Date
  period_end: Date
}

/** The period of a number. */
export function periodOf({ anchor, anchor_index, frequency }: BillingCycle, index: number): Period {
  const count = index - anchor_index
  return {
    period_index: index,
    period_start: periodEnd(anchor, frequency, count - 1),
    period_end: periodEnd(anchor, frequency, count),
  }
}

/**
 * The period that a payment covers, and the cycle from then on: if more than half of it is over,
 * a new one begins with the payment (decision 56).
 */
export function periodPaid(cycle: BillingCycle, index: number, now: Date): BillingCycle & Period {
  const period = periodOf(cycle, index)
  const half = (period.period_start.getTime() + period.period_end.getTime()) / 2
  if (now.getTime() <= half) return { ...cycle, ...period }
  const restarted = { ...cycle, anchor: now, anchor_index: index - 1 }
  return { ...restarted, ...periodOf(restarted, index) }
}
