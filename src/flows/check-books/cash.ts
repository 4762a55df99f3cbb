import { formatMoney } from '#design/money'
import * as payments from '#domain/payments'
import type { Db } from '#platform/db'
import { type Cents, cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Report } from './report.ts'

interface Moved {
  what: string
  subject: string
  /** What moved at the processor by the end of the day, and on our books by then and in total. */
  theirs: Cents
  ours_by_end: Cents
  ours: Cents
  is_open: boolean
}

/**
 * Compares the cash account with the processor's balance at the end of the last closed day
 * (invariant I21), movement by movement. A movement that the books have on the other side of
 * midnight is not a difference.
 */
export async function checkCash(db: Db, report: Report, processor: string): Promise<void> {
  const closed = await payments.lastClosedDay(db, processor)
  if (!closed) return
  const { day, end, balance } = closed
  report.count('closed days')
  let explained = 0
  for (const moved of await movements(db, processor, end)) {
    const { what, subject, theirs, ours_by_end, ours, is_open } = moved
    explained += theirs - ours_by_end
    if (theirs === ours_by_end || theirs === ours || is_open) continue
    const detail = `${formatMoney(ours_by_end)} on our books, ${formatMoney(theirs)} at the processor`
    report.differ(`a ${what} moved what the processor says`, subject, detail)
  }
  const { cash } = await db.one<{ cash: Cents }>(sql`
    select coalesce(sum(e.amount), 0)::bigint as cash from ledger_entries e
    join ledger_transactions t on t.id = e.transaction_id
    where e.account = 'processor' and t.at < ${end}`)
  const off = balance - cash - explained
  if (off !== 0) {
    const detail =
      `at the end of ${day} the books have ${formatMoney(cash)} and the processor ` +
      `${formatMoney(balance)}; ${formatMoney(cents(off))} is not explained by any movement`
    report.differ('the cash account is the balance at the processor', processor, detail)
  }
  await checkSuspense(db, report, processor)
}

/** Movements that neither a record nor a member of staff explains. */
async function checkSuspense(db: Db, report: Report, processor: string): Promise<void> {
  const rows = await db.rows<{ id: string; at: Date; amount: Cents; description: string }>(sql`
    select id, at, amount, description from balance_transactions b
    where processor = ${processor} and kind = 'other' and amount <> 0
      and not exists (select 1 from suspense_bookings s
        where s.processor = b.processor and s.movement_id = b.id) order by at, id`)
  for (const { id, at, amount, description } of rows) {
    const detail = `${formatMoney(amount)} on ${at.toISOString().slice(0, 10)}: ${description}`
    report.differ('a movement at the processor is explained', id, detail)
  }
}

/** What moved at the processor and on our books, for each charge, refund, dispute and payout. */
async function movements(db: Db, processor: string, end: Date): Promise<Moved[]> {
  return await db.rows<Moved>(sql`
    with theirs as (
      select case when kind like 'refund%' then 'refund' when kind like 'dispute%' then 'dispute'
          when kind like 'payout%' then 'payout' else kind end as what,
        subject, sum(amount)::bigint as amount
      from balance_transactions
      where processor = ${processor} and at < ${end} and kind not in ('bank', 'fee', 'other')
      group by 1, 2),
    ours as (
      select case when t.event = 'sale' then 'charge' when t.event like 'refund%' then 'refund'
          when t.event like 'payout%' then 'payout' else 'dispute' end as what,
        coalesce(c.processor_charge_id, r.processor_refund_id, x.processor_refund_id,
          d.processor_dispute_id, p.id, t.subject) as subject,
        coalesce(sum(e.amount) filter (where t.at < ${end}), 0)::bigint as by_end,
        sum(e.amount)::bigint as amount, coalesce(bool_or(p.status = 'open'), false) as is_open
      from ledger_transactions t
        join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
        left join charges c on t.event = 'sale' and c.invoice_id = t.subject
        left join refunds r on t.event like 'refund%' and r.id = t.subject
        left join reissued_refunds x on t.event like 'refund_reissue%' and x.id = t.subject
        left join disputes d on t.event ~ '^(dispute|appeal)_' and d.id = t.subject
        left join payouts p on t.event like 'payout%' and p.id = t.subject
      where t.event in ('sale', 'refund', 'refund_failed', 'refund_reissued',
        'refund_reissue_failed', 'dispute_opened', 'dispute_won', 'appeal_opened', 'payout',
        'payout_failed')
      group by 1, 2)
    select what, subject, coalesce(theirs.amount, 0)::bigint as theirs,
      coalesce(ours.by_end, 0)::bigint as ours_by_end, coalesce(ours.amount, 0)::bigint as ours,
      coalesce(ours.is_open, false) as is_open
    from theirs full join ours using (what, subject)
    where theirs.amount is distinct from ours.by_end order by 1, 2`)
}
