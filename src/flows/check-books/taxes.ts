import { formatMoney } from '#design/money'
import * as tax from '#domain/tax'
import type { Db } from '#platform/db'
import { type Cents, ZERO } from '#platform/money'
import type { Report } from './report.ts'

/**
 * Checks every filing: what the books have for its month, and what was left over from the state's
 * month before. Checks the sums that filings are made from as well.
 */
export async function checkTaxes(db: Db, report: Report): Promise<void> {
  const months = await tax.taxInLedger(db)
  const filed = await tax.listRemittances(db)
  const end = new Date(8.64e15)
  const owed = new Map(
    tax.liabilitiesOf(end, months, []).map((each) => [`${each.state} ${each.month}`, each]),
  )
  const left = new Map<string, Cents>()
  for (const filing of filed) {
    const { id, state, month, collected, carried, amount } = filing
    const expected = owed.get(`${state} ${month}`)
    const before = left.get(state) ?? ZERO
    const settled = tax.settleMonth(expected?.collected ?? ZERO, before)
    left.set(state, settled.left)
    const figures = [
      ['collected', collected, expected?.collected ?? ZERO],
      ['carried', carried, before],
      ['amount', amount, settled.amount],
    ] as const
    for (const [name, found, wanted] of figures) {
      if (found === wanted) continue
      const detail = `${state} ${month}: ${name} ${formatMoney(found)}, expected ${formatMoney(wanted)}`
      report.differ('a filing is its month', id, detail)
    }
  }
  for (const { month, state, event, found, expected } of await tax.findWrongSums(db)) {
    const detail = `${event}: ${found}, expected ${expected}`
    report.differ('sums of tax are those of the lines', `${state} ${month}`, detail)
  }
  report.count('months of states', months.length)
}
