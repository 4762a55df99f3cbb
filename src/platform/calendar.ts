/** How often a price is charged; null on a price means once. */
export const FREQUENCIES = ['day', 'week', 'month', 'year'] as const
export type Frequency = (typeof FREQUENCIES)[number]

const DAY_MS = 86_400_000

/** A time `days` whole days of 24 hours later (earlier where negative). */
export function addDays(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS)
}

/** A time `seconds` later (earlier where negative). */
export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}

/**
 * The end of period number `count` (1 is the first) counted from its anchor, in UTC. Months are
 * counted from the anchor and never from the previous period, so that the 31st stays the 31st in
 * every month that has one, and 29 February returns in every leap year.
 */
export function periodEnd(anchor: Date, frequency: Frequency, count: number): Date {
  if (frequency === 'day') return addDays(anchor, count)
  if (frequency === 'week') return addDays(anchor, 7 * count)
  const months = frequency === 'month' ? count : 12 * count
  const first = new Date(anchor)
  first.setUTCDate(1)
  first.setUTCMonth(first.getUTCMonth() + months)
  const daysInMonth = new Date(
    Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0),
  ).getUTCDate()
  first.setUTCDate(Math.min(anchor.getUTCDate(), daysInMonth))
  return first
}

/** A day as the API spells it: ISO 8601 in UTC, `2026-11-20`. */
export function isoDate(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** An instant as the API spells it: RFC 3339 with seconds, in UTC. */
export function isoSeconds(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`
}

/**
 * The start of a day such as `2026-11-20` in UTC; undefined for any other text, and for a day that
 * its month does not have, which JavaScript would read as a day of the next month.
 */
export function readDay(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const at = new Date(`${text}T00:00:00Z`)
  // PostgreSQL has no year 0.
  const isDay = !Number.isNaN(at.getTime()) && at.getUTCFullYear() > 0 && isoDate(at) === text
  return isDay ? at : undefined
}
