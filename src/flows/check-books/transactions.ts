import { formatMoney } from '#design/money'
import type { LedgerEvent } from '#domain/ledger'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import type { Report } from './report.ts'
import { postedSince } from './since.ts'

/** Checks that every transaction, or those since a time, sums to zero and has its cause. */
export async function checkTransactions(db: Db, report: Report, since?: Date): Promise<void> {
  const isChecked = postedSince(sql`t.at`, since)
  const lines = since
    ? sql`ledger_entries e join ledger_transactions t on t.id = e.transaction_id where ${isChecked}`
    : sql`ledger_entries`
  const { transactions, entries } = await db.one<{ transactions: number; entries: number }>(sql`
    select (select count(*) from ledger_transactions t where ${isChecked}) as transactions,
      (select count(*) from ${lines}) as entries`)
  report.count('ledger transactions', transactions)
  report.count('ledger lines', entries)
  const unbalanced = await db.rows<{ id: string; off: Cents }>(sql`
    select t.id, coalesce(sum(e.amount), 0)::bigint as off, count(e.*) as lines
    from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id
    where ${isChecked}
    group by t.id, e.currency having coalesce(sum(e.amount), 0) <> 0 or count(e.*) < 2`)
  for (const { id, off } of unbalanced) {
    const detail = off === 0 ? 'it has too few lines' : `it is off by ${formatMoney(off)}`
    report.differ('a transaction sums to zero', id, detail)
  }
  const without = await db.rows<{ id: string; event: LedgerEvent; subject: string }>(
    withoutCause(isChecked),
  )
  for (const { id, event, subject } of without) {
    report.differ('a posting has its cause', subject, `${event} (${id}) is of nothing on record`)
  }
}

const withoutCause = (
  isChecked: Sql,
) => sql`select t.id, t.event, t.subject from ledger_transactions t
  where ${isChecked} and not case t.event
    when 'sale' then exists (select 1 from invoices i
      where i.id = t.subject and i.status = 'paid')
    when 'refund' then exists (select 1 from refunds r
      where r.id = t.subject and r.is_made)
    when 'refund_failed' then exists (select 1 from refunds r
      where r.id = t.subject and r.status = 'failed')
    when 'refund_reissued' then exists (select 1 from reissued_refunds r where r.id = t.subject)
    when 'refund_reissue_failed' then exists (select 1 from reissued_refunds r
      where r.id = t.subject and r.status = 'failed')
    when 'dispute_opened' then exists (select 1 from disputes d
      where d.id = t.subject and d.status not in ('inquiry', 'inquiry_closed'))
    when 'dispute_won' then exists (select 1 from disputes d
      where d.id = t.subject and (d.status = 'won' or d.appeal is not null))
    when 'dispute_lost' then exists (select 1 from disputes d
      where d.id = t.subject and (d.status = 'lost' or d.appeal is not null))
    when 'appeal_opened' then exists (select 1 from disputes d
      where d.id = t.subject and d.appeal = 'lost')
    when 'appeal_won' then exists (select 1 from disputes d
      where d.id = t.subject and d.appeal = 'won')
    when 'payout' then exists (select 1 from payouts p where p.id = t.subject)
    when 'payout_failed' then exists (select 1 from payouts p
      where p.id = t.subject and p.status = 'failed')
    when 'processor_day' then exists (select 1 from balance_transactions b
      where t.subject = b.processor || ':' || to_char(b.at at time zone 'UTC', 'YYYY-MM-DD'))
    when 'suspense_booked' then exists (select 1 from suspense_bookings s where s.id = t.subject)
    when 'remittance' then exists (select 1 from remittances r where r.id = t.subject)
    when 'write_off' then exists (select 1 from write_offs w where w.id = t.subject)
    when 'write_off_reversed' then exists (select 1 from write_off_reversals r
      where r.id = t.subject)
    when 'buyer_paid' then exists (select 1 from buyer_payments b where b.id = t.subject)
    when 'excess_repaid' then exists (select 1 from excess_repayments r where r.id = t.subject)
    else false end
  order by t.at, t.id`
