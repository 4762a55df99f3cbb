import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import { endOfMonth } from './liability.ts'
import { LINES, SUMS, UNSUMMED } from './sums.ts'

/**
 * A sale, a refund, a lost dispute or one that was won on appeal, as a state's accountant reads it;
 * what went back is negative.
 */
export interface TaxLine {
  at: Date
  event: 'sale' | 'refund' | 'dispute_lost' | 'appeal_won'
  /** The ledger's transaction, and the bill. */
  transaction_id: string
  invoice_id: string
  invoice_number: number
  app_name: string
  state: string
  zip: string
  /** Before tax. */
  amount: Cents
  /** The rule of the quote, its rate and the share of the price it applies to, in millionths. */
  rule: string
  rate_ppm: number
  taxable_ppm: number
  /** The part of the amount that was taxed. */
  taxable: Cents
  tax: Cents
}

/** A state's month in sums; sales and what went back are both above zero. */
export interface StateReport {
  state: string
  /** How many lines it has. */
  lines: number
  sales: Cents
  taxable_sales: Cents
  exempt_sales: Cents
  /** Every rate that was charged, in millionths. */
  rates: number[]
  charged: Cents
  refunds: Cents
  relieved: Cents
}

/** What of the books the lines of a month are made of. */
const OF_MONTH = (month: string) => sql`from ledger_transactions
  where event in ('sale', 'refund', 'dispute_lost', 'appeal_won')
    and at >= ${startOf(month)} and at < ${endOfMonth(month)}`

/** A page of the lines of a state's month, in the order of their times. */
export async function taxLines(
  db: Db,
  asked: { month: string; state: string; limit: number; offset: number },
): Promise<TaxLine[]> {
  const { month, state, limit, offset } = asked
  const which = sql`state = ${state} and at >= ${startOf(month)} and at < ${endOfMonth(month)}`
  const page = sql`select at, transaction_id from tax_lines where ${which}
    union all select at, transaction_id from (${LINES(UNSUMMED)}) fresh where ${which}
    order by at, transaction_id limit ${limit} offset ${offset}`
  return await db.rows<TaxLine>(
    sql`${LINES(sql`select t.* from (${page}) p
      join ledger_transactions t on t.id = p.transaction_id`)} order by t.at, t.id`,
  )
}

/** So many lines of a month in the order of their times: the first ones, or those after another. */
export async function pageOfTaxLines(
  db: Db,
  asked: { month: string; after: TaxLine | undefined; limit: number },
): Promise<TaxLine[]> {
  const { month, after, limit } = asked
  const { at, transaction_id } = after ?? { at: startOf(month), transaction_id: '' }
  const page = sql`select * ${OF_MONTH(month)} and (at, id) > (${at}, ${transaction_id})
    order by at, id limit ${limit}`
  return await db.rows<TaxLine>(sql`${LINES(page)} order by t.at, t.id`)
}

/** How many lines a month has. */
export async function countTaxLines(db: Db, month: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count ${OF_MONTH(month)}`,
  )
  return count
}

/** A month in sums by state, the states without tax among them. */
export async function taxReport(db: Db, month: string): Promise<StateReport[]> {
  return await db.rows<StateReport>(sql`with sums as (${SUMS(sql`month = ${month}`)})
    select state, sum(lines)::bigint as lines,
      coalesce(sum(amount) filter (where event = 'sale'), 0)::bigint as sales,
      coalesce(sum(taxable) filter (where event = 'sale'), 0)::bigint as taxable_sales,
      coalesce(sum(amount - taxable) filter (where event = 'sale'), 0)::bigint as exempt_sales,
      array(select distinct unnest(rates) from sums s where s.state = sums.state order by 1)
        as rates,
      coalesce(sum(tax) filter (where event = 'sale'), 0)::bigint as charged,
      coalesce(sum(-amount) filter (where event <> 'sale'), 0)::bigint as refunds,
      coalesce(sum(-tax) filter (where event <> 'sale'), 0)::bigint as relieved
    from sums group by state order by state`)
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`)
}
