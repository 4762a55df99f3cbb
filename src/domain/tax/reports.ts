import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { endOfMonth } from './liability.ts'

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
  sales: Cents
  taxable_sales: Cents
  exempt_sales: Cents
  /** Every rate that was charged, in millionths. */
  rates: number[]
  charged: Cents
  refunds: Cents
  relieved: Cents
}

/** Sales, and what went back, with what their bills say of the tax. */
const LINES = (transactions: Sql) => sql`select t.at, t.event, t.id as transaction_id,
    i.id as invoice_id, i.number as invoice_number, a.name as app_name, q.state, q.zip,
    q.rule, q.rate_ppm, q.taxable_ppm, part.amount,
    case when q.rate_ppm = 0 then 0
      else round(part.amount::numeric * q.taxable_ppm / 1000000)::bigint end as taxable, part.tax
  from (${transactions}) t
    left join refunds r on t.event = 'refund' and r.id = t.subject
    left join disputes d on t.event in ('dispute_lost', 'appeal_won') and d.id = t.subject
    left join charges c on c.id = coalesce(r.charge_id, d.charge_id)
    join invoices i on i.id = case t.event
      when 'sale' then 'inv_' || substr(t.subject, 5) else c.invoice_id end
    join tax_quotes q on q.id = i.tax_quote_id
    join apps a on a.id = i.app_id
    cross join lateral (select
      case t.event when 'sale' then i.amount when 'refund' then r.tax - r.amount
        when 'appeal_won' then d.amount - d.tax - d.owed
        else d.owed + d.tax - d.amount end as amount,
      case t.event when 'sale' then i.tax when 'refund' then -r.tax
        when 'appeal_won' then d.tax else -d.tax end as tax) part`

/** What of the books the lines of a month are made of. */
const OF_MONTH = (month: string) => sql`from ledger_transactions
  where event in ('sale', 'refund', 'dispute_lost', 'appeal_won')
    and at >= ${startOf(month)} and at < ${endOfMonth(month)}`

/** Every line of a state's month, in the order of their times. */
export async function taxLines(
  db: Db,
  { month, state }: { month: string; state: string },
): Promise<TaxLine[]> {
  return await db.rows<TaxLine>(sql`select * from (${LINES(sql`select * ${OF_MONTH(month)}`)}) lines
    where state = ${state} order by at, transaction_id`)
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
  return await db.rows<StateReport>(sql`select state,
      coalesce(sum(amount) filter (where event = 'sale'), 0)::bigint as sales,
      coalesce(sum(taxable) filter (where event = 'sale'), 0)::bigint as taxable_sales,
      coalesce(sum(amount - taxable) filter (where event = 'sale'), 0)::bigint as exempt_sales,
      coalesce(array_agg(distinct rate_ppm) filter (where rate_ppm > 0), '{}') as rates,
      coalesce(sum(tax) filter (where event = 'sale'), 0)::bigint as charged,
      coalesce(sum(-amount) filter (where event <> 'sale'), 0)::bigint as refunds,
      coalesce(sum(-tax) filter (where event <> 'sale'), 0)::bigint as relieved
    from (${LINES(sql`select * ${OF_MONTH(month)}`)}) lines group by state order by state`)
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`)
}
