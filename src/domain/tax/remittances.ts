import type { Db } from '#platform/db'
import type { RemittanceId } from '#platform/ids'
import type { Cents } from '#platform/money'
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

/** Corrects the reference of a filing. Returns the former one; undefined if nothing is filed. */
export async function correctReference(
  db: Db,
  { state, month, filing_reference }: Pick<Remittance, 'state' | 'month' | 'filing_reference'>,
): Promise<{ id: RemittanceId; former: string } | undefined> {
  return await db.maybe<{ id: RemittanceId; former: string }>(sql`update remittances r
    set filing_reference = ${filing_reference}
    from (select id, filing_reference from remittances
      where state = ${state} and month = ${month} for update) before
    where r.id = before.id returning r.id, before.filing_reference as former`)
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

/** A state's month with tax, and what it carried over when it was filed; null: it is not filed. */
export interface TaxMonth extends StateMonth {
  carried: Cents | null
}

/** Months from the first to the last one, both included, such as `2026-01` to `2026-12`. */
export interface MonthRange {
  first: string
  last: string
}

/**
 * Tax by state and month, by the books, the earliest month first: a sale's in the month of the
 * sale, a refund's or a lost dispute's in the month of that. Of all months it returns what the next
 * filings need: those that are not filed, and the one before the first of them. Of a range it
 * returns the filed ones, too.
 */
export async function taxByMonth(
  db: Db,
  of: { state?: string; months?: MonthRange } = {},
): Promise<TaxMonth[]> {
  const which = of.state === undefined ? sql`true` : sql`state = ${of.state}`
  const { first, last } = of.months ?? { first: null, last: null }
  return await db.rows<TaxMonth>(sql`with
    months as (select state, month, sum(tax)::bigint as collected
      from (${SUMS(which)}) s where tax <> 0 group by 1, 2),
    filed as (select m.*, r.carried, bool_or(r.id is null) over (partition by m.state
        order by m.month rows between unbounded preceding and 1 following) as is_needed
      from months m left join remittances r on r.state = m.state and r.month = m.month)
    select state, month, collected, carried from filed
    where is_needed or month between ${first}::text and ${last}::text order by month, state`)
}

/** The first and the last month with tax; undefined before the first taxed sale. */
export async function taxedMonths(db: Db): Promise<MonthRange | undefined> {
  const { first, last } = await db.one<{ first: string | null; last: string | null }>(
    sql`select min(month) as first, max(month) as last from (${SUMS(sql`tax <> 0`)}) s`,
  )
  return first !== null && last !== null ? { first, last } : undefined
}
