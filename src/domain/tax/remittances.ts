import type { Db } from '#platform/db'
import type { RemittanceId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Filed, StateMonth } from './liability.ts'
import { SUMS } from './sums.ts'

/** A month's tax as it was filed and paid to its state. */
export interface Remittance extends Filed {
  id: RemittanceId
  /** The state's confirmation. */
  filing_reference: string
  filed_by: string
  filed_at: Date
}

const COLUMNS = sql`id, state, month, collected, carried, amount, filing_reference, filed_by,
  filed_at`

/** Serializes filings for a state, until the transaction ends. */
export async function lockState(db: Db, state: string): Promise<void> {
  await db.rows(sql`select pg_advisory_xact_lock(hashtextextended(${`tax ${state}`}, 0))`)
}

/** Records a filing. */
export async function addRemittance(db: Db, remittance: Remittance): Promise<void> {
  const { id, state, month, collected, carried, amount } = remittance
  const { filing_reference, filed_by, filed_at } = remittance
  await db.run(sql`insert into remittances (${COLUMNS})
    values (${id}, ${state}, ${month}, ${collected}, ${carried}, ${amount},
      ${filing_reference}, ${filed_by}, ${filed_at})`)
}

/** Every filing, or those of a state or a month, the earliest month first. */
export async function listRemittances(
  db: Db,
  of: { state?: string; month?: string } = {},
): Promise<(Remittance & { filed_by_email: string })[]> {
  return await db.rows(sql`select r.id, r.state, r.month, r.collected, r.carried, r.amount,
      r.filing_reference, r.filed_by, r.filed_at, u.email as filed_by_email
    from remittances r join users u on u.id = r.filed_by
    where (${of.state ?? null}::text is null or r.state = ${of.state ?? null})
      and (${of.month ?? null}::text is null or r.month = ${of.month ?? null})
    order by r.month, r.state`)
}

/**
 * Tax by state and month, by the books: a sale's in the month of the sale, a refund's or a lost
 * dispute's in the month of that.
 */
export async function taxByMonth(db: Db, of: { state?: string } = {}): Promise<StateMonth[]> {
  const which = of.state === undefined ? sql`true` : sql`state = ${of.state}`
  return await db.rows<StateMonth>(sql`select state, month,
      coalesce(sum(tax) filter (where tax > 0), 0)::bigint as charged,
      coalesce(sum(-tax) filter (where tax < 0), 0)::bigint as relieved
    from (${SUMS(which)}) s where tax <> 0 group by 1, 2 order by 2, 1`)
}
