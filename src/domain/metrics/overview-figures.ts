import { addDays, isoDate } from '#platform/calendar'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { recordFrom } from '#platform/record'
import {
  CART_METRICS,
  type Metric,
  type MetricTotal,
  type MoneyDay,
  MRR_METRICS,
  STATUS_METRICS,
} from './metric-days.ts'

/** The first and the last day of a time, `YYYY-MM-DD` in UTC. */
export interface DayRange {
  from: string
  to: string
}

/** A part of a range: a day, or the days of one point of a chart. */
export interface FigureStep extends DayRange {
  net: Cents
  /** Net revenue of the same days of the previous period. */
  former_net: Cents
  /** Monthly recurring revenue at its end. */
  mrr: Cents
}

/** The figures of a range of days. */
export interface OverviewFigures {
  range: DayRange
  net: Cents
  /** Net revenue of the period of the same length before. */
  former_net: Cents
  /** Payments: purchases, renewals and upgrades for which something was due. */
  sales: number
  /** Payments that were refunded, in whole or in part. */
  refunds: number
  disputes: number
  /** Monthly recurring revenue at the end, and what changed it. */
  mrr: Cents
  mrr_before: Cents
  mrr_changes: Record<(typeof MRR_METRICS)[number], Cents>
  licenses: Record<(typeof STATUS_METRICS)[number], number>
  carts: Record<(typeof CART_METRICS)[number], number>
  steps: FigureStep[]
}

/** The number of days of a range, both ends included. */
export function daysOf({ from, to }: DayRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1
}

/** A day some days later. */
export function dayAfter(day: string, days: number): string {
  return isoDate(addDays(new Date(day), days))
}

/** The period of the same length before a range. */
export function previousRange(range: DayRange): DayRange {
  const length = daysOf(range)
  return { from: dayAfter(range.from, -length), to: dayAfter(range.from, -1) }
}

/** The days of one point of a chart: a day, a week, or 30 days in a range of years. */
function daysOfStep(length: number): number {
  if (length <= 31) return 1
  return length <= 400 ? 7 : 30
}

/** What the figures of a range are computed from. */
export interface MeasuredRange {
  range: DayRange
  /** The days of the range and of the previous period. */
  days: MoneyDay[]
  /** Each metric over the range. */
  within: MetricTotal[]
  /** Each metric from the beginning to the end of the range. */
  ever: MetricTotal[]
  /** Payments that had a refund in the range. */
  refunded: number
}

/** The figures of a range of days. */
export function overviewFigures(measured: MeasuredRange): OverviewFigures {
  const { range, days, within, ever, refunded } = measured
  const sumOf = (field: 'net' | 'mrr', { from, to }: DayRange) =>
    sum(ZERO, ...days.filter(({ day }) => day >= from && day <= to).map((day) => day[field]))
  const countOf = (totals: MetricTotal[], metric: Metric) =>
    totals.find((each) => each.metric === metric)?.count ?? 0
  const amountOf = (totals: MetricTotal[], metric: Metric) =>
    totals.find((each) => each.metric === metric)?.amount ?? ZERO
  const mrr = sum(ZERO, ...MRR_METRICS.map((metric) => amountOf(ever, metric)))
  const mrr_before = cents(mrr - sumOf('mrr', range))
  const steps = partsOf(range).map((part): FigureStep => {
    const offset = -daysOf(range)
    const before = { from: dayAfter(part.from, offset), to: dayAfter(part.to, offset) }
    return {
      ...part,
      net: sumOf('net', part),
      former_net: sumOf('net', before),
      mrr: sum(mrr_before, sumOf('mrr', { from: range.from, to: part.to })),
    }
  })
  return {
    range,
    net: sumOf('net', range),
    former_net: sumOf('net', previousRange(range)),
    sales: countOf(within, 'sale'),
    refunds: refunded,
    disputes: countOf(within, 'dispute_opened'),
    mrr,
    mrr_before,
    mrr_changes: recordFrom(MRR_METRICS, (metric) => amountOf(within, metric)),
    licenses: recordFrom(STATUS_METRICS, (metric) => countOf(ever, metric)),
    carts: recordFrom(CART_METRICS, (metric) => countOf(within, metric)),
    steps,
  }
}

/** The parts of a range, each a point of a chart; the last may be shorter. */
export function partsOf(range: DayRange): DayRange[] {
  const length = daysOf(range)
  const size = daysOfStep(length)
  return Array.from({ length: Math.ceil(length / size) }, (_, index) => ({
    from: dayAfter(range.from, index * size),
    to: dayAfter(range.from, Math.min((index + 1) * size, length) - 1),
  }))
}
