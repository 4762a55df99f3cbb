import * as tax from '#domain/tax'
import { taxOfMonths } from '#flows/remit-tax'
import type { World } from '#flows/world'
import { type Cents, ZERO } from '#platform/money'

/** A state's month: totals, tax due and filing. */
export interface StateSummary extends tax.StateReport {
  collected: Cents
  /** A credit from earlier months, and what is left of it and of this month's refunds. */
  carried: Cents
  left: Cents
  amount: Cents
  /** `none`: no tax was collected, so there is nothing to file. */
  status: tax.Liability['status'] | 'none'
  filing: { reference: string; filed_at: Date; filed_by: string } | undefined
}

/** Every state with sales or refunds in a month. */
export async function summariesOf(world: World, month: string): Promise<StateSummary[]> {
  const { listed } = await taxOfMonths(world, { first: month, last: month })
  const liabilities = new Map(listed.map((each) => [each.state, each]))
  const filed = new Map(
    (await tax.listRemittances(world.db, { month })).map((each) => [each.state, each]),
  )
  return (await tax.taxReport(world.db, month)).map((report) => {
    const liability = liabilities.get(report.state)
    const filing = filed.get(report.state)
    const { collected, carried } = liability ?? { collected: ZERO, carried: ZERO }
    return {
      ...report,
      collected,
      carried,
      ...tax.settleMonth(collected, carried),
      status: liability?.status ?? 'none',
      filing: filing && {
        reference: filing.filing_reference,
        filed_at: filing.filed_at,
        filed_by: filing.filed_by_email,
      },
    }
  })
}

const monthNames = new Intl.DateTimeFormat('en-US', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A month for pages: `March 2026`. */
export function monthName(month: string): string {
  return monthNames.format(new Date(`${month}-01T00:00:00Z`))
}

/** A rate in millionths as a percentage: 62500 is `6.25%`. */
export function percent(ppm: number): string {
  return `${(ppm / 10_000).toFixed(4).replace(/\.?0+$/, '')}%`
}
