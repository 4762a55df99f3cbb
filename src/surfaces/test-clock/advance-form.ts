import { addDays, isoDate, periodEnd } from '#platform/calendar'

/** The fixed distances of an advance, with their button labels. */
export const DISTANCES = [
  { value: 'day', label: 'A day' },
  { value: 'week', label: 'A week' },
  { value: 'month', label: 'A month' },
  { value: 'year', label: 'A year' },
] as const

// The clock cannot go back, so a mistyped year must not move it far.
const MAX_YEARS = 100

/** The time to advance to, or what is wrong with the form. */
export type ReadAdvance = { to: Date } | { fault: string }

/** Reads the form of an advance; `due` is the time of the next event. */
export function readAdvance(
  now: Date,
  form: { by?: string; date?: string },
  due: Date | undefined,
): ReadAdvance {
  const { by, date = '' } = form
  if (by === 'due') {
    if (!due) return { fault: 'No event is due for this app.' }
    return { to: due < now ? now : due }
  }
  const distance = DISTANCES.find(({ value }) => value === by)
  if (distance) return { to: periodEnd(now, distance.value, 1) }
  return readDate(now, date)
}

/** A date means the end of its day (UTC), so that everything due on it happens. */
function readDate(now: Date, date: string): ReadAdvance {
  const midnight = new Date(/^\d{4}-\d{2}-\d{2}$/.test(date) ? date : Number.NaN)
  if (Number.isNaN(midnight.getTime()) || isoDate(midnight) !== date) {
    return { fault: 'Enter a date such as 2027-05-03.' }
  }
  const to = new Date(addDays(midnight, 1).getTime() - 1000)
  if (to < now) return { fault: 'Enter a later date. The clock cannot go back.' }
  if (to > periodEnd(now, 'year', MAX_YEARS)) {
    return { fault: `Enter a date at most ${MAX_YEARS} years ahead.` }
  }
  return { to }
}
