import type { BalanceTransaction, ProcessorBalance } from '#domain/payments'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'

/** The service's balance at a time: all receipts less refunds, payouts and fees. */
export async function read(db: Db, now: Date): Promise<ProcessorBalance> {
  const { total } = await db.one<{ total: number }>(sql`
    select coalesce(sum(amount - fee), 0)::bigint as total from sandbox.balance_transactions
    where at <= ${now}`)
  return { available: cents(total), pending: cents(0) }
}

/** Locks the balance, so that concurrent payouts cannot spend the same money. */
export async function lock(tx: Db): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('sandbox balance', 11))`)
}

/** Transfers money from the operator's bank to the balance; a negative amount, to the bank. */
export async function moveFunds(db: Db, random: Random, now: Date, amount: Cents): Promise<void> {
  await db.run(sql`insert into sandbox.bank_transfers (id, amount, created_at)
    values (${mintId(random, 'bt')}, ${amount}, ${now})`)
}

/** The balance transactions from one time until before another. */
export async function* list(db: Db, from: Date, before: Date): AsyncIterable<BalanceTransaction> {
  yield* await db.rows<BalanceTransaction>(sql`select *, kind as description
    from sandbox.balance_transactions where at >= ${from} and at < ${before}`)
}
