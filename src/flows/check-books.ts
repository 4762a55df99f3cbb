import * as ledger from '#domain/ledger'
import { ProcessorRefused, ProcessorUnreachable } from '#domain/payments'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { installedAt } from '#platform/installation'
import { checkCash } from './check-books/cash.ts'
import { checkFigures, checkReferred } from './check-books/figures.ts'
import { checkInvoices } from './check-books/invoices.ts'
import { checkPayees } from './check-books/payees.ts'
import { checkPostings } from './check-books/postings.ts'
import { type BooksAndProcessor, checkProcessor } from './check-books/processor.ts'
import { type ProvenMonths, readMonths } from './check-books/proven.ts'
import type { Checked, Difference, Report } from './check-books/report.ts'
import { recordResult } from './check-books/result.ts'
import { checkTaxes } from './check-books/taxes.ts'
import { checkTransactions } from './check-books/transactions.ts'

export { RULE_OF_FIGURES } from './check-books/figures.ts'
export type { Checked, Difference } from './check-books/report.ts'
export { reviewRestored } from './check-books/restored.ts'

// One fault may break a rule for every sale, and a list of millions fits no memory and no page.
const MAX_LISTED = 10_000

type OnProgress = (progress: { done: number; total: number; note: string }) => Promise<void>

/**
 * Recomputes the books from what happened, and reports the differences. Nothing is changed, and no
 * posting is trusted: each is computed again by the pure rules from the recorded facts. With a
 * time, what belongs to earlier months is left out, except for sums over everything (decision 126).
 * The processor is asked for its records, so this runs outside of any transaction.
 */
export async function checkBooks(
  sides: BooksAndProcessor,
  onProgress: OnProgress = async () => {},
  since?: Date,
): Promise<Checked> {
  const counts: Record<string, number> = {}
  const differences: Difference[] = []
  const report: Report = {
    count: (what: string, number: number = 1) => {
      counts[what] = (counts[what] ?? 0) + number
    },
    differ: (rule: string, subject: string, detail: string) => {
      if (differences.length < MAX_LISTED) differences.push({ rule, subject, detail })
      else report.count('differences that are not listed')
    },
  }
  const { db, processor } = sides
  const checks: [what: string, check: (db: Db, to: Report, since?: Date) => Promise<void>][] = [
    ['the ledger as a whole', checkTransactions],
    ['invoices', checkInvoices],
    ['refunds, disputes and payouts', checkPostings],
    ['balances of payees', checkPayees],
    ['tax balances of states', checkTaxes],
    ['figures of the overview', checkFigures],
    ['what affiliates brought', checkReferred],
    ['cash', (from, to) => checkCash(from, to, processor.name)],
    ['records of the processor', (_, to) => readProcessor(sides, to, since)],
  ]
  for (const [index, [what, check]] of checks.entries()) {
    await onProgress({ done: index, total: checks.length, note: `Checking ${what}.` })
    await check(db, report, since)
  }
  return { counts, differences }
}

/** A recorded check: its result, and the months that it skipped as proven or found changed. */
export interface RecordedCheck extends Checked, Pick<ProvenMonths, 'proven' | 'changed'> {}

/**
 * Checks the books and records the result. Unless it is whole, it skips the first months that an
 * earlier check proved and that did not change since. Without a difference, the months that have
 * ended are proven; a difference in a whole check deletes every proof.
 */
export async function checkAndRecord(
  parts: Pick<World, 'db' | 'processor' | 'clock' | 'random'>,
  { is_whole, onProgress }: { is_whole: boolean; onProgress?: OnProgress },
): Promise<RecordedCheck> {
  const { db, processor, clock } = parts
  const sides = { db: db.patient, processor, clock }
  // Read before the check, so that what is posted during it is not taken as checked.
  const months = await readMonths(db.patient, clock.now(), is_whole)
  const checked = await checkBooks(sides, onProgress, months.since)
  const agrees = checked.differences.length === 0
  if (agrees) await ledger.writeProofs(db, clock.now(), months.to_prove)
  else if (!months.since) await ledger.deleteProofs(db)
  await recordResult(parts, { differences: checked.differences, is_whole })
  return { ...checked, proven: months.proven, changed: months.changed }
}

/** Differences within the books are reported even if the processor does not answer. */
async function readProcessor(
  sides: BooksAndProcessor,
  report: Report,
  since?: Date,
): Promise<void> {
  try {
    await checkProcessor(sides, report, since)
  } catch (error) {
    const isAway = error instanceof ProcessorUnreachable || error instanceof ProcessorRefused
    if (!isAway) throw error
    report.differ('the books were compared with the processor', sides.processor.name, error.message)
  }
}

/** In UTC. A check after it, by the schedule or by a person, is that of the night. */
const NIGHT_START_HOUR = 3

const SUNDAY = 0

/**
 * Checks the books once a night: the whole books once a week, on Sunday or as soon as possible
 * after it, else without the months that were proven. It uses the report connections and reads in
 * pages, so that requests do not wait for it. A missed night is made up for at the next start, or
 * once the database answers again.
 */
export async function checkNightly(world: World): Promise<void> {
  const { db, clock, stopping } = world
  const last = await ledger.lastCheck(db)
  const installed_at = await installedAt(db)
  const night = lastNight(clock.now())
  const is_whole = (last?.whole_at ?? installed_at) < lastSunday(night)
  if ((last?.at ?? installed_at) >= night && !is_whole) return
  await checkAndRecord(world, {
    is_whole,
    onProgress: async () => stopping.throwIfAborted(),
  })
}

/** When the last night began. */
function lastNight(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(NIGHT_START_HOUR, 0, 0, 0)
  return today <= now ? today : addDays(today, -1)
}

/** The latest night of a Sunday, up to this night. */
function lastSunday(night: Date): Date {
  return addDays(night, SUNDAY - night.getUTCDay())
}
