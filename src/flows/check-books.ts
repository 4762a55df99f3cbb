import * as ledger from '#domain/ledger'
import { ProcessorRefused, ProcessorUnreachable } from '#domain/payments'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { installedAt } from '#platform/installation'
import { checkCash } from './check-books/cash.ts'
import { checkFigures, checkReferred } from './check-books/figures.ts'
import { checkInvoices } from './check-books/invoices.ts'
import { checkOutside, type Sides } from './check-books/outside.ts'
import { checkPayees } from './check-books/payees.ts'
import { checkOthers } from './check-books/postings.ts'
import type { Checked, Difference, Report } from './check-books/report.ts'
import { noteResult } from './check-books/result.ts'
import { checkTaxes } from './check-books/taxes.ts'
import { checkWhole } from './check-books/whole.ts'

export { RULE_OF_FIGURES } from './check-books/figures.ts'
export type { Checked, Difference } from './check-books/report.ts'
export { reviewRestored } from './check-books/restored.ts'
export { noteResult } from './check-books/result.ts'

/**
 * Recomputes the books from what happened, and reports the differences. Nothing is changed, and no
 * posting is trusted: each is computed again by the pure rules from the recorded facts. The
 * processor is asked for its records, so this runs outside of any transaction.
 */
export async function checkBooks(
  sides: Sides,
  onProgress: (progress: {
    done: number
    total: number
    note: string
  }) => Promise<void> = async () => {},
): Promise<Checked> {
  const counts: Record<string, number> = {}
  const differences: Difference[] = []
  const report = {
    count: (what: string, number = 1) => {
      counts[what] = (counts[what] ?? 0) + number
    },
    differ: (rule: string, subject: string, detail: string) => {
      differences.push({ rule, subject, detail })
    },
  }
  const { db, processor } = sides
  const checks: [what: string, check: (db: Db, to: Report) => Promise<void>][] = [
    ['the ledger as a whole', checkWhole],
    ['invoices', checkInvoices],
    ['refunds, disputes and payouts', checkOthers],
    ['balances of payees', checkPayees],
    ['tax balances of states', checkTaxes],
    ['figures of the overview', checkFigures],
    ['what affiliates brought', checkReferred],
    ['cash', (from, to) => checkCash(from, to, processor.name)],
    ['records of the processor', (_, to) => readProcessor(sides, to)],
  ]
  for (const [index, [what, check]] of checks.entries()) {
    await onProgress({ done: index, total: checks.length, note: `Checking ${what}.` })
    await check(db, report)
  }
  return { counts, differences }
}

/** Differences within the books are reported even if the processor does not answer. */
async function readProcessor(sides: Sides, report: Report): Promise<void> {
  try {
    await checkOutside(sides, report)
  } catch (error) {
    const isAway = error instanceof ProcessorUnreachable || error instanceof ProcessorRefused
    if (!isAway) throw error
    report.differ('the books were compared with the processor', sides.processor.name, error.message)
  }
}

/** In UTC. A check after it, by the schedule or by a person, is that of the night. */
const NIGHT_BEGINS_HOUR = 3

/**
 * Checks the books once a night, over the connections of the reports and in pages, so that requests
 * are answered meanwhile. A night that was missed is made up for at the next start.
 */
export async function checkNightly(world: World): Promise<void> {
  const { db, clock, processor, stopping } = world
  const checked_at = (await ledger.lastCheck(db))?.at ?? (await installedAt(db))
  if (checked_at >= lastNight(clock.now())) return
  const sides = { db: db.patient, processor, clock }
  const { differences } = await checkBooks(sides, async () => stopping.throwIfAborted())
  await noteResult(world, differences)
}

/** When the last night began. */
function lastNight(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(NIGHT_BEGINS_HOUR, 0, 0, 0)
  return today <= now ? today : addDays(today, -1)
}
