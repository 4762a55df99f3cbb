import { addDays, type Frequency } from '#platform/calendar'
import { type Cents, cents, share, ZERO } from '#platform/money'

/** The price of a plan and its frequency. */
export interface Rate {
  amount: Cents
  frequency: Frequency | null
}

/** The current period, and what was kept for it before tax, in cents. */
export interface CurrentPeriod {
  status: 'active' | 'trialing'
  /** For a trial, the start of the trial. */
  period_start: Date
  period_end: Date
  kept: Cents
  /** Whether the period was paid at another service. */
  is_prepaid?: boolean
}

/** When a plan change happens, and what is due for it. */
export type PlanChange =
  /** Now: the unused part is credited, and the rest of the new price is charged first. */
  | { when: 'now'; credit: Cents; due: Cents }
  /** Now and free of charge: the trial continues under the new plan until `trial_end`. */
  | { when: 'in_trial'; trial_end: Date }
  /** At the end of the period. */
  | { when: 'period_end' }

const COMMITMENT: Record<Frequency, number> = { day: 0, week: 1, month: 2, year: 3 }

function commitment({ frequency }: Rate): number {
  return frequency === null ? Number.POSITIVE_INFINITY : COMMITMENT[frequency]
}

/** Up is a longer commitment, or a higher price for the same one (decision 56). */
function isUp(from: Rate, to: Rate): boolean {
  const [before, after] = [commitment(from), commitment(to)]
  return after > before || (after === before && to.amount > from.amount)
}

/**
 * Decides a plan change (decision 56). An upgrade happens now, a downgrade at the period's end, and
 * so does an upgrade whose credit would cover its whole price, or one from a period paid at another
 * service, whose price is unknown here. A trial ends at the shorter of both trials.
 */
export function planChange(
  now: Date,
  from: Rate,
  to: Rate & {
    trial_days: number
    /** The discount on the new price, in cents. */
    discount?: Cents
  },
  current: CurrentPeriod,
): PlanChange {
  const discounted = cents(to.amount - (to.discount ?? ZERO))
  if (current.status === 'trialing') {
    const trial_end = trialEnd(current, to)
    if (trial_end > now) return { when: 'in_trial', trial_end }
    return { when: 'now', credit: ZERO, due: discounted }
  }
  if (current.is_prepaid || !isUp(from, to)) return { when: 'period_end' }
  const credit = unusedPart(now, current)
  const due = cents(discounted - credit)
  return due > 0 ? { when: 'now', credit, due } : { when: 'period_end' }
}

/** The end of a trial under another plan: the shorter of both; a one-time price has none. */
function trialEnd(
  { period_start, period_end }: CurrentPeriod,
  { frequency, trial_days }: Rate & { trial_days: number },
): Date {
  const end = addDays(period_start, frequency === null ? 0 : trial_days)
  return end < period_end ? end : period_end
}

/** The value of the remaining seconds of a paid period, in cents, rounded half up. */
export function unusedPart(
  now: Date,
  { period_start, period_end, kept }: Pick<CurrentPeriod, 'period_start' | 'period_end' | 'kept'>,
): Cents {
  const seconds = (from: Date, to: Date) => Math.floor((to.getTime() - from.getTime()) / 1000)
  const whole = seconds(period_start, period_end)
  const left = Math.min(whole, Math.max(0, seconds(now, period_end)))
  return whole <= 0 ? ZERO : share(kept, left, whole)
}
