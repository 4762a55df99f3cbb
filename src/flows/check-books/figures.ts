import * as affiliates from '#domain/affiliates'
import * as metrics from '#domain/metrics'
import type { Db } from '#platform/db'
import type { Report } from './report.ts'

/** The rule about figures of the overview; its subject is the app. */
export const RULE_OF_FIGURES = 'figures by day are those of the ledger and the licenses'

/** Checks the overview's figures by day against the ledger and the licenses. */
export async function checkFigures(db: Db, report: Report): Promise<void> {
  for (const { app_id, what, found, expected } of await metrics.findWrongMetrics(db)) {
    report.differ(RULE_OF_FIGURES, app_id, `${what}: ${found}, expected ${expected}`)
  }
  report.count('figures by day', await metrics.countMetrics(db))
}

/** Checks what affiliates brought by day against the invoices and the ledger. */
export async function checkReferred(db: Db, report: Report): Promise<void> {
  const rule = 'referred figures are those of invoices and ledger'
  for (const wrong of await affiliates.wrongReferred(db)) {
    const { affiliate_id, app_id, day, found, expected } = wrong
    report.differ(rule, affiliate_id, `${app_id} on ${day}: ${found}, expected ${expected}`)
  }
  report.count('referred figures by day', await affiliates.countReferred(db))
}
