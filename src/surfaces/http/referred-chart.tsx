import type { JSX } from 'preact'
import { Chart } from '#design/chart'
import { formatMoney } from '#design/money'
import type { ReferredDay } from '#domain/affiliates'
import { type DayRange, partsOf } from '#domain/metrics'
import { amountsByDay, textOf } from '#http/chart-text'
import { type Cents, cents, sum } from '#platform/money'

/** Referred sales in a range of days; days without money are left out. */
export interface ReferredChartFacts {
  range: DayRange
  days: readonly ReferredDay[]
}

/** Commissions by day, and what sellers earned on the same payments if the page may show it. */
export function ReferredChart({
  range,
  days,
  title,
  shows_net = false,
}: ReferredChartFacts & { title: string; shows_net?: boolean }): JSX.Element {
  const steps = partsOf(range)
  const within = (field: 'net' | 'commission', { from, to }: DayRange): Cents =>
    sum(cents(0), ...days.filter(({ day }) => day >= from && day <= to).map((day) => day[field]))
  const series = [
    ...(shows_net ? [{ name: 'Net revenue', field: 'net' } as const] : []),
    { name: 'Commission', field: 'commission' } as const,
  ]
  const totals = series.map(({ name, field }) => `${name} ${formatMoney(within(field, range))}`)
  return (
    <Chart
      id="referred"
      title={title}
      description={`From ${textOf(range)}: ${totals.join(', ')}.`}
      {...amountsByDay(range, steps)}
      series={series.map(({ name, field }) => ({
        name,
        values: steps.map((step) => within(field, step)),
      }))}
    />
  )
}
