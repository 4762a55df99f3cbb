import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as metrics from '#domain/metrics'
import { queryOf } from '#http/input'
import { isoDate } from '#platform/calendar'

/** The lengths that the page offers, in days. */
export const RANGE_DAYS = ['7', '30', '90', '365'] as const

const MAX_DAYS = 5 * 366
const RangeQuery = z.union([
  z.strictObject({}).transform(() => ({ days: '30' as const })),
  z.strictObject({ days: z.enum(RANGE_DAYS) }),
  z
    .strictObject({ from: z.iso.date(), to: z.iso.date() })
    .refine((range) => range.from >= '2000-01-01' && range.to < '2100-01-01')
    .refine((range) => range.from <= range.to && metrics.daysOf(range) <= MAX_DAYS),
])

/** The range that an address asks for, and the fields of its form. */
export interface ChosenRange {
  range: metrics.DayRange
  /** What the fields of the form contain: as typed, where that is a date. */
  typed: metrics.DayRange
  /** The offered length; undefined for a range of one's own. */
  days: string | undefined
  /** Why the asked range is not shown. */
  fault: string | undefined
}

/** The range in the address, up to today; the last 30 days if it is missing or invalid. */
export function rangeOf(request: Pick<FastifyRequest, 'query'>, now: Date): ChosenRange {
  const given = ['days', 'from', 'to'].flatMap((name) => {
    const value = queryOf(request, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const { data } = RangeQuery.safeParse(Object.fromEntries(given))
  if (data && 'from' in data) {
    return { range: data, typed: data, days: undefined, fault: undefined }
  }
  const days = data?.days ?? '30'
  const to = isoDate(now)
  const range = { from: metrics.dayAfter(to, 1 - Number(days)), to }
  return {
    range,
    typed: { ...range, ...typedDates(Object.fromEntries(given)) },
    days,
    fault: data ? undefined : 'Enter two dates, the earlier one first, at most 5 years apart.',
  }
}

function typedDates(given: Record<string, string>): Partial<metrics.DayRange> {
  const dates = Object.entries(given).filter(([, value]) => z.iso.date().safeParse(value).success)
  return Object.fromEntries(dates)
}
