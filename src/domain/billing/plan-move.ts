import type { Frequency } from '#platform/calendar'
import { type Cents, cents, share, ZERO } from '#platform/money'

/** What a plan costs and how often. */
export interface Rate {
  amount: Cents
  frequency: Frequency | null
}

/** The period that runs, and what was paid for it before tax. */
export interface Running {
  status: 'active' | 'trialing'
  period_start: Date
  period_end: Date
  paid: Cents
}

/** What a move from one plan to another means. */
export type PlanMove =
  /** At once: the unused part is credited, and the rest of the new price is charged first. */
  | { when: 'now'; credit: Cents; due: Cents }
  /** At once and free of charge: the trial goes on under the new plan. */
  | { when: 'in_trial' }
  /** At the end of the period. */
  | { when: 'period_end' }

const PER_YEAR: Record<Frequency, number> = { day: 365, week: 52, month: 12, year: 1 }

/** What a plan costs in a year; a plan that is paid once is above every other. */
function perYear({ amount, frequency }: Rate): number {
  return frequency === null ? Number.POSITIVE_INFINITY : amount * PER_YEAR[frequency]
}

/**
 * Decides a move (decided: plan move). Up, which is what costs more by the year, happens at once;
 * everything else at the period's end, and so does an upgrade whose credit would exceed its price.
 */
export function planMove(now: Date, from: Rate, to: Rate, running: Running): PlanMove {
  if (running.status === 'trialing' && to.frequency !== null) return { when: 'in_trial' }
  if (perYear(to) <= perYear(from)) return { when: 'period_end' }
  const credit = running.status === 'trialing' ? ZERO : unusedPart(now, running)
  const due = cents(to.amount - credit)
  return due > 0 ? { when: 'now', credit, due } : { when: 'period_end' }
}

/** What the seconds that are left of a paid period are worth, rounded half up. */
export function unusedPart(now: Date, { period_start, period_end, paid }: Running): Cents {
  const seconds = (from: Date, to: Date) => Math.floor((to.getTime() - from.getTime()) / 1000)
  const whole = seconds(period_start, period_end)
  const left = Math.min(whole, Math.max(0, seconds(now, period_end)))
  return whole <= 0 ? ZERO : share(paid, left, whole)
}
