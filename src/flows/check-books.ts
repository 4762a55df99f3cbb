import type { Db } from '#platform/db'
import { checkCash } from './check-books/cash.ts'
import { checkInvoices } from './check-books/invoices.ts'
import { checkOutside } from './check-books/outside.ts'
import { checkPayees } from './check-books/payees.ts'
import { checkOthers } from './check-books/postings.ts'
import type { Checked, Difference, Report } from './check-books/report.ts'
import { checkTaxes } from './check-books/taxes.ts'
import { checkWhole } from './check-books/whole.ts'

export type { Checked, Difference } from './check-books/report.ts'

/**
 * Recomputes all that the books say from what happened, and tells wherever they differ. Nothing is
 * changed, and no posting is trusted: each is made anew by the pure rules from the facts on record.
 * `processor` says whose records outside are compared; the sandbox's lie in the same database.
 */
export async function checkBooks(
  db: Db,
  { processor }: { processor: 'sandbox' | 'stripe' },
  tell: (progress: { done: number; total: number; note: string }) => Promise<void> = async () => {},
): Promise<Checked> {
  const counts: Record<string, number> = {}
  const differences: Difference[] = []
  const report = {
    count: (what: string, number = 1) => {
      counts[what] = (counts[what] ?? 0) + number
    },
    differ: (rule: string, subject: string, words: string) => {
      differences.push({ rule, subject, words })
    },
  }
  const checks: [what: string, check: (db: Db, to: Report) => Promise<void>][] = [
    ['the whole', checkWhole],
    ['bills', checkInvoices],
    ['refunds, disputes and payouts', checkOthers],
    ['what payees are owed', checkPayees],
    ['what states are owed', checkTaxes],
  ]
  checks.push(['cash', (from, to) => checkCash(from, to, processor)])
  if (processor === 'sandbox') checks.push(['what the processor has', checkOutside])
  for (const [index, [what, check]] of checks.entries()) {
    await tell({ done: index, total: checks.length, note: `Looking at ${what}.` })
    await check(db, report)
  }
  return { counts, differences }
}
