import type { Db } from '#platform/db'
import { type Sql, sql } from '#platform/sql'
import type { StateMonth } from './liability.ts'

/** Sales, refunds and decided disputes, with the tax of their invoices. */
export const LINES = (transactions: Sql) => sql`select t.at, t.event, t.id as transaction_id,
    i.id as invoice_id, i.number as invoice_number, a.name as app_name, q.state, q.zip,
    q.rule, q.rate_ppm, case when q.rate_ppm = 0 then 0 else q.taxable_ppm end as taxable_ppm,
    part.amount,
    case when q.rate_ppm = 0 then 0
      else round(part.amount::numeric * q.taxable_ppm / 1000000)::bigint end as taxable, part.tax
  from (${transactions}) t
    left join refunds r on t.event = 'refund' and r.id = t.subject
    left join disputes d on t.event in ('dispute_lost', 'appeal_won') and d.id = t.subject
    left join charges c on c.id = coalesce(r.charge_id, d.charge_id)
    join invoices i on i.id = case t.event when 'sale' then t.subject else c.invoice_id end
    join tax_quotes q on q.id = i.tax_quote_id
    join apps a on a.id = i.app_id
    cross join lateral (select
      case t.event when 'sale' then i.amount when 'refund' then r.tax - r.amount
        when 'appeal_won' then d.amount - d.tax - d.owed
        else d.owed + d.tax - d.amount end as amount,
      case t.event when 'sale' then i.tax when 'refund' then -r.tax
        when 'appeal_won' then d.tax else -d.tax end as tax) part`

/** Transactions that are not in the sums yet: those since `sumTaxes` last ran. */
export const UNSUMMED = sql`select t.* from tax_unsummed u
  join ledger_transactions t on t.id = u.transaction_id`

/** Lines as sums by month, state and event. */
const SUMMED = (lines: Sql) => sql`select to_char(at at time zone 'UTC', 'YYYY-MM') as month,
    state, event, count(*) as lines, sum(amount)::bigint as amount,
    sum(taxable)::bigint as taxable, sum(tax)::bigint as tax,
    coalesce(array_agg(distinct rate_ppm order by rate_ppm) filter (where rate_ppm > 0), '{}')
      as rates
  from (${lines}) lines group by 1, 2, 3`

/** Tax by month, state and event: the stored sums, and the lines since. Exact at any time. */
export const SUMS = (which: Sql) => sql`select * from tax_sums where ${which}
  union all select * from (${SUMMED(LINES(UNSUMMED))}) fresh where ${which}`

/**
 * Adds up to `limit` transactions to the sums. A transaction leaves the queue as its sums are
 * written, so each counts once however many processes run. Returns the number added.
 */
export async function sumTaxes(db: Db, limit: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`with
    taken as (delete from tax_unsummed where transaction_id in (
        select transaction_id from tax_unsummed limit ${limit} for update skip locked)
      returning transaction_id),
    lines as materialized (${LINES(sql`select t.* from taken
      join ledger_transactions t on t.id = taken.transaction_id`)}),
    listed as (insert into tax_lines (state, at, transaction_id)
      select state, at, transaction_id from lines),
    summed as (insert into tax_sums as kept
        (month, state, event, lines, amount, taxable, tax, rates)
      select * from (${SUMMED(sql`select * from lines`)}) s order by month, state, event
      on conflict (month, state, event) do update set lines = kept.lines + excluded.lines,
        amount = kept.amount + excluded.amount, taxable = kept.taxable + excluded.taxable,
        tax = kept.tax + excluded.tax, rates = array(
          select distinct unnest(kept.rates || excluded.rates) order by 1))
    select count(*) as count from taken`)
  return count
}

/** Sums that differ from their lines, over the whole ledger: for the check of the books. */
export async function findWrongSums(
  db: Db,
): Promise<{ month: string; state: string; event: string; found: string; expected: string }[]> {
  const every = sql`select * from ledger_transactions
    where event in ('sale', 'refund', 'dispute_lost', 'appeal_won')`
  const figures = sql`concat_ws(' ', sum(lines), sum(amount), sum(taxable), sum(tax))`
  return await db.rows(sql`
    with kept as (select month, state, event, ${figures} as figures
        from (${SUMS(sql`true`)}) s group by 1, 2, 3),
      due as (select month, state, event, ${figures} as figures
        from (${SUMMED(LINES(every))}) s group by 1, 2, 3)
    select month, state, event, coalesce(kept.figures, 'none') as found,
      coalesce(due.figures, 'none') as expected
    from kept full join due using (month, state, event)
    where kept.figures is distinct from due.figures order by 1, 2, 3`)
}

/** Tax by state and month as the ledger has it, line by line: for the check of the books. */
export async function taxInLedger(db: Db): Promise<StateMonth[]> {
  return await db.rows<StateMonth>(sql`select substr(e.owner, 4) as state,
      to_char(t.at at time zone 'UTC', 'YYYY-MM') as month,
      sum(-e.amount)::bigint as collected
    from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    where e.account = 'tax_payable' and t.event <> 'remittance'
    group by 1, 2 order by 2, 1`)
}
