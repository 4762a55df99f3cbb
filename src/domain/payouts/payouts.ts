import type { Db } from '#platform/db'
import type { PayeeId, PayoutId, ProcessorId, TransactionId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Payee } from './available.ts'

/** A payout; its id is the idempotency key at the processor. */
export interface Payout extends Payee {
  id: PayoutId
  /** Counts the payouts of the service; shown to payees. */
  number: number
  amount: Cents
  /** The sum of its lines before fees; null for an affiliate. */
  gross: Cents | null
  cause: 'weekly' | 'request'
  /** open: the outcome is unknown. failed: it failed or was returned, and is owed again. */
  status: 'open' | 'pending' | 'paid' | 'failed'
  processor_payout_id: ProcessorId | null
  /** Whether it failed and was never sent, as the processor did not make it. */
  was_refused: boolean
  /** The bank account that it was sent to, in words; null: not known. */
  bank: string | null
  /** The fingerprint of that account; null: not known. */
  bank_fingerprint: string | null
  /** Why it failed, in the processor's words. */
  failure: string | null
  /** When it is retried, as the balance did not cover it or it was refused; null: at once. */
  retry_at: Date | null
  /** Why the processor refused it, in its words; null: the balance did not cover it. */
  refusal: string | null
  created_at: Date
  settled_at: Date | null
}

export const COLUMNS = sql`id, number, owner, account, amount, gross, cause, status,
  processor_payout_id, was_refused, bank, bank_fingerprint, failure, retry_at, refusal, created_at,
  settled_at`

// Each event leads to its invoice: a sale's subject is the invoice, a refund's and a dispute's is
// their charge.
/**
 * Joins the subject of a ledger transaction `t`: the refund `r`, the dispute `d`, and their charge
 * `c`.
 */
export const LINE_SOURCES = sql`left join refunds r on t.event = 'refund' and r.id = t.subject
  left join disputes d on t.event ~ '^(dispute|appeal)_' and d.id = t.subject
  left join charges c on c.id = coalesce(r.charge_id, d.charge_id)`
/** The invoice that a ledger transaction `t` comes from, with `LINE_SOURCES` joined. */
export const INVOICE_OF_LINE = sql`case t.event when 'sale' then t.subject else c.invoice_id end`

/** A payout, with its row locked until the transaction ends. */
export async function lockPayout(db: Db, id: PayoutId): Promise<Payout> {
  return await db.one<Payout>(sql`select ${COLUMNS} from payouts where id = ${id} for update`)
}

/** A payout by its id. */
export async function findPayout(db: Db, id: PayoutId): Promise<Payout | undefined> {
  return await db.maybe<Payout>(sql`select ${COLUMNS} from payouts where id = ${id}`)
}

/** Whether staff have paused a payee's payouts. */
export async function arePaused(db: Db, owner: PayeeId): Promise<boolean> {
  const { are_paused } = await db.one<{ are_paused: boolean }>(sql`select exists (
    select 1 from sellers where id = ${owner} and payouts_paused_at is not null) as are_paused`)
  return are_paused
}

/** The payee's payout that the processor has not answered yet. */
export async function openPayoutOf(db: Db, { owner, account }: Payee): Promise<Payout | undefined> {
  return await db.maybe<Payout>(sql`select ${COLUMNS} from payouts
    where owner = ${owner} and account = ${account} and status = 'open'`)
}

/**
 * Payouts without an answer, oldest first; `after` continues after one. While a payee's payouts are
 * paused, those that were postponed are left out.
 */
export async function openPayouts(
  db: Db,
  { after, limit }: { after?: Payout | undefined; limit: number },
): Promise<Payout[]> {
  return await db.rows<Payout>(sql`select ${COLUMNS} from payouts
    where status = 'open' and number > ${after?.number ?? 0}::bigint
      and (retry_at is null or owner not in (
        select id from sellers where payouts_paused_at is not null))
    order by number limit ${limit}`)
}

/** Postpones an open payout: the balance does not cover it, or the processor refused it. */
export async function postpone(
  db: Db,
  id: PayoutId,
  { retry_at, refusal }: { retry_at: Date; refusal: string | null },
): Promise<void> {
  await db.run(sql`update payouts set retry_at = ${retry_at}, refusal = ${refusal}
    where id = ${id} and status = 'open'`)
}

/**
 * Records that a postponed payout is requested again, to the bank account that the payee has now:
 * its outcome is unknown from here on.
 */
export async function recordRetry(
  db: Db,
  { id, bank, bank_fingerprint }: Pick<Payout, 'id' | 'bank' | 'bank_fingerprint'>,
): Promise<void> {
  await db.run(sql`update payouts set retry_at = null, refusal = null, bank = ${bank},
      bank_fingerprint = ${bank_fingerprint}
    where id = ${id} and status = 'open'`)
}

/** The number and sum of the payouts that the balance does not cover. */
export async function waitingForFunds(db: Db): Promise<{ count: number; amount: Cents }> {
  return await db.one<{ count: number; amount: Cents }>(sql`
    select count(*) as count, coalesce(sum(amount), 0)::bigint as amount from payouts
    where status = 'open' and retry_at is not null and refusal is null`)
}

/** Payouts of a payee, latest first; `below_number` continues after one. */
export async function payoutsOf(
  db: Db,
  { owner, account }: Payee,
  { limit, below_number }: { limit: number; below_number?: number | undefined },
): Promise<Payout[]> {
  const after = below_number === undefined ? sql`` : sql`and number < ${below_number}::bigint`
  return await db.rows<Payout>(sql`select ${COLUMNS} from payouts
    where owner = ${owner} and account = ${account} ${after} order by number desc limit ${limit}`)
}

/** A payout that included a line of a ledger transaction. */
export type PayoutOfTransaction = Pick<
  Payout,
  'id' | 'number' | 'owner' | 'status' | 'was_refused' | 'created_at'
>

/** The payouts that included lines of these ledger transactions, earliest first. */
export async function payoutsOfTransactions(
  db: Db,
  transaction_ids: readonly TransactionId[],
): Promise<PayoutOfTransaction[]> {
  return await db.rows<PayoutOfTransaction>(sql`
    select distinct p.id, p.number, p.owner, p.status, p.was_refused, p.created_at
    from payout_lines l join payouts p on p.id = l.payout_id
    where l.transaction_id = any(${[...transaction_ids]}) order by p.created_at, p.id`)
}

/** Whether a payout to a payee has not reached their bank yet. */
export async function isPaying(db: Db, { owner, account }: Payee): Promise<boolean> {
  const { is_paying } = await db.one<{ is_paying: boolean }>(sql`select exists (
    select 1 from payouts where owner = ${owner} and account = ${account}
      and status in ('open', 'pending')) as is_paying`)
  return is_paying
}

/** What was paid out to a payee, or is on its way; failed and returned ones do not count. */
export async function paidTotal(db: Db, { owner, account }: Payee): Promise<Cents> {
  const { amount } = await db.one<{ amount: Cents }>(sql`
    select coalesce(sum(amount), 0)::bigint as amount from payouts
    where owner = ${owner} and account = ${account} and status <> 'failed'`)
  return amount
}

/** Records the outcome of a payout, and returns the payout with it. */
export async function recordPayout(
  db: Db,
  now: Date,
  id: PayoutId,
  answer: { status: 'pending' | 'paid' | 'failed'; payout_id?: ProcessorId; failure?: string },
): Promise<Payout> {
  const settled_at = answer.status === 'pending' ? null : now
  return await db.one<Payout>(sql`update payouts
    set status = ${answer.status}, settled_at = ${settled_at},
      failure = ${answer.failure ?? null},
      processor_payout_id = coalesce(${answer.payout_id ?? null}, processor_payout_id)
    where id = ${id} returning ${COLUMNS}`)
}
