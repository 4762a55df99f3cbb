import * as payouts from '#domain/payouts'
import type { Db } from '#platform/db'
import type { PayoutId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'

const RULE = 'the total before fees of a payout is that of its lines'

/** The payouts of sellers whose stored total before fees is not that of their statement's lines. */
export async function statementFaults(db: Db): Promise<Broken[]> {
  const all = await db.rows<{ id: PayoutId; gross: Cents }>(
    sql`select id, gross from payouts where account = 'seller_payable'`,
  )
  const faults: Broken[] = []
  for (const { id, gross } of all) {
    const lines = await payouts.statementOf(db, id, { limit: 10_000, offset: 0 })
    const total = lines.reduce((so_far, line) => sum(so_far, line.gross ?? line.amount), ZERO)
    if (gross !== total) faults.push({ rule: RULE, facts: [{ payout_id: id, gross, total }] })
  }
  return faults
}
