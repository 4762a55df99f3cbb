import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** A digest of the ledger for a calendar month (UTC), such as `2026-03`. */
export interface MonthDigest {
  month: string
  transactions: number
  /** A sum of the hashes of its lines: it changes with any line, whatever their order. */
  digest: string
}

/** The first month that the ledger has, or that was proven; undefined for neither. */
export async function firstMonth(db: Db): Promise<string | undefined> {
  const { month } = await db.one<{ month: string | null }>(sql`select least(
    (select to_char(min(at) at time zone 'UTC', 'YYYY-MM') from ledger_transactions),
    (select min(month) from ledger_proofs)) as month`)
  return month ?? undefined
}

/** Computes the current digest of a month, in one statement over its index. */
export async function digestOf(db: Db, month: string): Promise<MonthDigest> {
  const from = startOf(month)
  const before = startOf(nextMonth(month))
  return await db.one<MonthDigest>(sql`select ${month}::text as month,
      (select count(*) from ledger_transactions
        where at >= ${from} and at < ${before}) as transactions,
      coalesce(sum(hashtextextended(concat_ws('|', t.id, extract(epoch from t.at), t.event,
        t.subject, e.position, e.account, e.owner, e.amount, e.currency), 0)::numeric),
        0)::text as digest
    from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id
    where t.at >= ${from} and t.at < ${before}`)
}

/** The proven months: their digests when a check found no difference. */
export async function readProofs(db: Db): Promise<MonthDigest[]> {
  return await db.rows<MonthDigest>(
    sql`select month, transactions, digest from ledger_proofs order by month`,
  )
}

/** Records months in which a check found no difference. */
export async function writeProofs(db: Db, now: Date, months: MonthDigest[]): Promise<void> {
  await db.run(sql`insert into ledger_proofs (month, transactions, digest, proven_at)
    select month, transactions, digest, ${now}
    from jsonb_to_recordset(${JSON.stringify(months)}::jsonb)
      as proven (month text, transactions bigint, digest text)
    on conflict (month) do update set transactions = excluded.transactions,
      digest = excluded.digest, proven_at = excluded.proven_at`)
}

/** Deletes every proof, so that the next check covers everything. */
export async function deleteProofs(db: Db): Promise<void> {
  await db.run(sql`delete from ledger_proofs`)
}

/** When a month begins, in UTC. */
export function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`)
}

/** The month after one. */
export function nextMonth(month: string): string {
  const start = startOf(month)
  start.setUTCMonth(start.getUTCMonth() + 1)
  return start.toISOString().slice(0, 7)
}
