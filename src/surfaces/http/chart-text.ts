import { formatDay, formatShortDay } from '#design/money'
import type { DayRange } from '#domain/metrics'
import { withMinus } from '#platform/language/locale'

/** A day, or the first and the last of several. */
export function textOf({ from, to }: DayRange): string {
  return from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`
}

/** A day such as `2026-06-30` in words. */
export function dayText(day: string): string {
  return formatDay(new Date(day))
}

/** A day such as `2026-06-30`, short enough for the axis on a phone: "Jun 30, 2026". */
export function shortDay(day: string): string {
  return formatShortDay(new Date(day))
}

const ticks = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
  minimumFractionDigits: 0,
})

/** The smallest step between two labels of an axis, in cents: labels are in whole dollars. */
export const TICK_STEP = 100

/** Cents, shortened for the label of an axis. */
export function tickText(value: number): string {
  return withMinus(ticks.format(value / 100))
}
