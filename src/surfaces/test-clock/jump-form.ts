import { addDays, isoDate, periodEnd } from '#platform/calendar'

/** How far a jump can go, beside a date: the words of its button. */
export const DISTANCES = [
  { value: 'day', label: 'A day' },
  { value: 'week', label: 'A week' },
  { value: 'month', label: 'A month' },
  { value: 'year', label: 'A year' },
] as const

// There is no way back: a year that was mistyped must not be the end of the clock.
const MOST_YEARS = 100

/** Where a jump goes, or what is wrong with the form. */
export type ReadJump = { to: Date } | { fault: string }

/** Reads the posted form of a jump; `due` is when something is due next. */
export function readJump(
  now: Date,
  form: { by?: string; date?: string },
  due: Date | undefined,
): ReadJump {
  const { by, date = '' } = form
  if (by === 'due') {
    if (!due) return { fault: 'No event is due for this app.' }
    return { to: due < now ? now : due }
  }
  const distance = DISTANCES.find(({ value }) => value === by)
  if (distance) return { to: periodEnd(now, distance.value, 1) }
  return readDate(now, date)
}

/** A date stands for the end of its day, so that all that is due on it happens. */
function readDate(now: Date, date: string): ReadJump {
  const midnight = new Date(/^\d{4}-\d{2}-\d{2}$/.test(date) ? date : Number.NaN)
  if (Number.isNaN(midnight.getTime()) || isoDate(midnight) !== date) {
    return { fault: 'Enter a date such as 2027-05-03.' }
  }
  const to = new Date(addDays(midnight, 1).getTime() - 1000)
  if (to < now) return { fault: 'Enter a later date. The clock cannot go back.' }
  if (to > periodEnd(now, 'year', MOST_YEARS)) {
    return { fault: `Enter a date at most ${MOST_YEARS} years ahead.` }
  }
  return { to }
}
