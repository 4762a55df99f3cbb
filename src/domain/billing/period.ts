import { addDays, type Frequency, periodEnd } from '#platform/calendar'

/** A subscription's calendar: the period of number `anchor_index` ends at the anchor. */
export interface Calendar {
  anchor: Date
  anchor_index: number
  frequency: Frequency
}

/** A period by its number, and the time it covers. */
export interface Period {
  period_index: number
  period_start: Date
  period_end: Date
}

/** The period of a number. */
export function periodOf({ anchor, anchor_index, frequency }: Calendar, index: number): Period {
  const count = index - anchor_index
  return {
    period_index: index,
    period_start: periodEnd(anchor, frequency, count - 1),
    period_end: periodEnd(anchor, frequency, count),
  }
}

/**
 * The period that is to be paid next at a time: the one after `index`, or a later one where that
 * has passed unpaid. Nobody pays for time in which the license was suspended.
 */
export function periodDue(calendar: Calendar, index: number, now: Date): Period {
  let period = periodOf(calendar, index + 1)
  while (period.period_end <= now) period = periodOf(calendar, period.period_index + 1)
  return period
}

const REMIND_DAYS = 3

/** When something is next due of a trial: a reminder, or its end where there is no time for one. */
export function trialDue(now: Date, period_end: Date): Date {
  const reminder = addDays(period_end, -REMIND_DAYS)
  return reminder > now ? reminder : period_end
}
