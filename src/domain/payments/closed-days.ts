import type { Db } from '#platform/db'
import { type Cents, cents } from '#platform/money'
import { columnsOf, rowsOf, sql } from '#platform/sql'
import type { BalanceTransaction } from './processor.ts'

/** A day's fees and movements besides charges, refunds, disputes and payouts, in cents. */
export interface DayTotals {
  /** `2026-03-02`, in UTC. */
  day: string
  processing: Cents
  dispute: Cents
  payout: Cents
  /** Transfers from the operator's bank; negative: to it. */
  bank: Cents
  /** Movements that no record explains. */
  other: Cents
}

/** Stores balance transactions. Those already stored do not change. */
export async function addBalanceTransactions(
  db: Db,
  processor: string,
  moved: BalanceTransaction[],
): Promise<void> {
  await db.run(sql`insert into balance_transactions (processor, ${columnsOf(MOVED_TYPES)})
    select ${processor}, row.* from ${rowsOf(moved, MOVED_TYPES)}
    on conflict do nothing`)
}

const MOVED_TYPES = {
  id: 'text',
  at: 'timestamptz',
  kind: 'text',
  subject: 'text',
  amount: 'bigint',
  fee: 'bigint',
  fee_kind: 'text',
  description: 'text',
} as const

/** The latest closed day, and the instant at which it ended. */
export async function lastClosedDay(
  db: Db,
  processor: string,
): Promise<{ day: string; end: Date; balance: Cents } | undefined> {
  return await db.maybe(sql`select day::text as day, balance,
      (day + 1)::timestamp at time zone 'UTC' as "end"
    from closed_days where processor = ${processor} order by day desc limit 1`)
}

/** Closes a day; false if it was closed before. */
export async function closeDay(
  db: Db,
  now: Date,
  { processor, day, balance }: { processor: string; day: string; balance: Cents },
): Promise<boolean> {
  const closed = await db.run(sql`insert into closed_days (processor, day, balance, closed_at)
    values (${processor}, ${day}::date, ${balance}, ${now}) on conflict do nothing`)
  return closed === 1
}

/**
 * The totals of each day from a time on and before another; days without movements are left out.
 */
export async function dayTotals(
  db: Db,
  processor: string,
  { from, before }: { from: Date; before: Date },
): Promise<DayTotals[]> {
  const fees = (kind: string) =>
    sql`coalesce(sum(fee) filter (where fee_kind = ${kind}), 0)::bigint`
  const moved = (kind: string) =>
    sql`coalesce(sum(amount) filter (where kind = ${kind}), 0)::bigint`
  const rows = await db.rows<DayTotals>(sql`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, ${fees('processing')} as processing,
      ${fees('dispute')} as dispute, ${fees('payout')} as payout, ${moved('bank')} as bank,
      ${moved('other')} as other
    from balance_transactions
    where processor = ${processor} and at >= ${from} and at < ${before} group by 1 order by 1`)
  const parts = ['processing', 'dispute', 'payout', 'bank', 'other'] as const
  return rows.filter((row) => parts.some((part) => row[part] !== cents(0)))
}
