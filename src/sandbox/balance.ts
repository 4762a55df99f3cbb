import type { BalanceTransaction, ProcessorBalance } from '#domain/payments'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'

/** The balance of the service at a time: all that came in, less what went out and the fees. */
export async function read(db: Db, now: Date): Promise<ProcessorBalance> {
  const { total } = await db.one<{ total: number }>(sql`
    select coalesce(sum(amount - fee), 0)::bigint as total from sandbox.balance_transactions
    where at <= ${now}`)
  return { available: cents(total), pending: cents(0) }
}

/** Makes payouts wait for each other, so that two payouts never spend the same money. */
export async function lock(tx: Db): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('sandbox balance', 11))`)
}

/** Moves money between the operator's bank and the balance; negative: to the bank. */
export async function moveFunds(db: Db, random: Random, now: Date, amount: Cents): Promise<void> {
  await db.run(sql`insert into sandbox.bank_transfers (id, amount, created_at)
    values (${mintId(random, 'bt')}, ${amount}, ${now})`)
}

/** What moved the balance from a time on and before another. */
export async function* list(db: Db, from: Date, before: Date): AsyncIterable<BalanceTransaction> {
  yield* await db.rows<BalanceTransaction>(sql`select *, kind as description
    from sandbox.balance_transactions where at >= ${from} and at < ${before}`)
}
