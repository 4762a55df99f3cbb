import { formatDay, formatMoney, formatShortDay } from '#design/money'
import type { DayRange } from '#domain/metrics'
import { withMinus } from '#platform/language/locale'
import { cents } from '#platform/money'

/** A day, or the first and the last of several. */
export function textOf({ from, to }: DayRange): string {
  return from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`
}

/** A day such as `2026-06-30` in words. */
function dayText(day: string): string {
  return formatDay(new Date(day))
}

/** A day such as `2026-06-30`, short enough for the axis on a phone: "Jun 30, 2026". */
function shortDay(day: string): string {
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

/** What the charts of amounts by day, in cents, have in common; each point covers one part. */
export function amountsByDay({ from, to }: DayRange, parts: readonly DayRange[]) {
  return {
    label_heading: 'Days',
    labels: parts.map(textOf),
    ends: [shortDay(from), shortDay(to)] as [first: string, last: string],
    format: (value: number) => formatMoney(cents(value)),
    formatTick: tickText,
    smallest_step: TICK_STEP,
  }
}
