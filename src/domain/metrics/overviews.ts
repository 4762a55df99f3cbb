import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import {
  CART_METRICS,
  MRR_METRICS,
  metricTotals,
  moneyDays,
  REVENUE_METRICS,
  refundedPayments,
  STATUS_METRICS,
} from './metric-days.ts'
import {
  type DayRange,
  type OverviewFigures,
  overviewFigures,
  previousRange,
} from './overview-figures.ts'

/** The figures of apps for a range of days. */
export async function readOverview(
  db: Db,
  { app_ids, range }: { app_ids: AppId[]; range: DayRange },
): Promise<OverviewFigures> {
  const counted = [...REVENUE_METRICS, ...MRR_METRICS, ...CART_METRICS]
  const levels = [...MRR_METRICS, ...STATUS_METRICS]
  const { to } = range
  return overviewFigures({
    range,
    days: await moneyDays(db, { app_ids, from: previousRange(range).from, to }),
    within: await metricTotals(db, { app_ids, metrics: counted, ...range }),
    ever: await metricTotals(db, { app_ids, metrics: levels, to }),
    refunded: await refundedPayments(db, { app_ids, ...range }),
  })
}
