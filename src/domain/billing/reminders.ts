import { addDays, type Frequency } from '#platform/calendar'

const TRIAL_DAYS = 3
/** States require notice before a year renews, in different windows; all include this day. */
const YEAR_DAYS = 30

/** The end of a period, and how often the plan is charged. */
export interface PeriodEnd {
  period_end: Date
  frequency: Frequency | null
}

/** When the owner is reminded of the charge at a period's end; undefined if they are not. */
export function remindedAt(status: string, { period_end, frequency }: PeriodEnd): Date | undefined {
  if (status === 'trialing') return addDays(period_end, -TRIAL_DAYS)
  if (status === 'active' && frequency === 'year') return addDays(period_end, -YEAR_DAYS)
  return undefined
}

/**
 * When a license that is paid or in trial is next due: for the reminder of its next charge, or for
 * its end if none is sent or there is no time for one.
 */
export function reminderOrEnd(now: Date, status: 'trialing' | 'active', period: PeriodEnd): Date {
  const reminder = remindedAt(status, period)
  return reminder && reminder > now ? reminder : period.period_end
}
