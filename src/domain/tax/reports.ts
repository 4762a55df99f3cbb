import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import { endOfMonth } from './liability.ts'
import { LINES, SUMS, UNSUMMED } from './sums.ts'

/**
 * A sale, a refund, a lost dispute or one that was won on appeal, as a state's accountant reads it;
 * refunds and losses are negative.
 */
export interface TaxLine {
  at: Date
  event: 'sale' | 'refund' | 'dispute_lost' | 'appeal_won'
  /** The ledger's transaction, and the invoice. */
  transaction_id: string
  invoice_id: InvoiceId
  invoice_number: number
  app_name: string
  state: string
  zip: string
  /** Before tax. */
  amount: Cents
  /** The rule of the quote, its rate and the taxed share of the price, in millionths. */
  rule: string
  rate_ppm: number
  taxable_ppm: number
  /** The taxed part of the amount. */
  taxable: Cents
  tax: Cents
}

/**
 * The sums of a state's month. Refunds include lost disputes, less those won on appeal. They are
 * positive like sales, unless more was won on appeal than refunded and lost.
 */
export interface StateReport {
  state: string
  /** The number of its lines. */
  lines: number
  sales: Cents
  taxable_sales: Cents
  exempt_sales: Cents
  /** Every rate that was charged, in millionths. */
  rates: number[]
  /** The tax of the sales. */
  charged: Cents
  /** Before tax. */
  refunds: Cents
  /** The taxed part of the refunds. */
  taxable_refunds: Cents
  /** The tax of the refunds. */
  relieved: Cents
}

/** The part of the books that a month's lines come from. */
const OF_MONTH = (month: string) => sql`from ledger_transactions
  where event in ('sale', 'refund', 'dispute_lost', 'appeal_won')
    and at >= ${startOf(month)} and at < ${endOfMonth(month)}`

/** A page of the lines of a state's month, by time. */
export async function taxLines(
  db: Db,
  requested: { month: string; state: string; limit: number; offset: number },
): Promise<TaxLine[]> {
  const { month, state, limit, offset } = requested
  const which = sql`state = ${state} and at >= ${startOf(month)} and at < ${endOfMonth(month)}`
  const page = sql`select at, transaction_id from tax_lines where ${which}
    union all select at, transaction_id from (${LINES(UNSUMMED)}) fresh where ${which}
    order by at, transaction_id limit ${limit} offset ${offset}`
  return await db.rows<TaxLine>(
    sql`${LINES(sql`select t.* from (${page}) p
      join ledger_transactions t on t.id = p.transaction_id`)} order by t.at, t.id`,
  )
}

/** A page of a month's lines by time: the first ones, or those after another line. */
export async function pageOfTaxLines(
  db: Db,
  requested: { month: string; after: TaxLine | undefined; limit: number },
): Promise<TaxLine[]> {
  const { month, after, limit } = requested
  const { at, transaction_id } = after ?? { at: startOf(month), transaction_id: '' }
  const page = sql`select * ${OF_MONTH(month)} and (at, id) > (${at}, ${transaction_id})
    order by at, id limit ${limit}`
  return await db.rows<TaxLine>(sql`${LINES(page)} order by t.at, t.id`)
}

/** The number of lines of a month. */
export async function countTaxLines(db: Db, month: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count ${OF_MONTH(month)}`,
  )
  return count
}

/** A month's sums by state, including states without tax. */
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
      coalesce(sum(-taxable) filter (where event <> 'sale'), 0)::bigint as taxable_refunds,
      coalesce(sum(-tax) filter (where event <> 'sale'), 0)::bigint as relieved
    from sums group by state order by state`)
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`)
}
