import * as ledger from '#domain/ledger'
import type { Db } from '#platform/db'

/** What an earlier check proved of the months that are over. */
export interface ProvenMonths {
  /** The first months of the books without a gap, each as it was when it was proven. */
  proven: string[]
  /** Months that changed after they were proven. */
  changed: string[]
  /** When the first month that is not proven begins; undefined: everything is to be checked. */
  since: Date | undefined
  /** Months that a check without a difference proves, as they were before that check. */
  to_prove: ledger.MonthDigest[]
}

/**
 * Compares the months that are over with their proofs. A check without proofs, `is_whole`, proves
 * each of them again.
 */
export async function readMonths(db: Db, now: Date, is_whole: boolean): Promise<ProvenMonths> {
  const proofs = new Map((await ledger.readProofs(db)).map((proof) => [proof.month, proof]))
  const months: ProvenMonths = { proven: [], changed: [], since: undefined, to_prove: [] }
  const first = await ledger.firstMonth(db)
  if (first === undefined) return months
  let month = first
  for (; ledger.startOf(ledger.nextMonth(month)) <= now; month = ledger.nextMonth(month)) {
    const found = await ledger.digestOf(db, month)
    const proof = proofs.get(month)
    const isSame = proof?.digest === found.digest && proof.transactions === found.transactions
    if (proof && !isSame) months.changed.push(month)
    const isProven = !is_whole && isSame && months.to_prove.length === 0
    if (isProven) months.proven.push(month)
    else months.to_prove.push(found)
  }
  const next = months.proven.at(-1)
  if (next) months.since = ledger.startOf(ledger.nextMonth(next))
  return months
}
