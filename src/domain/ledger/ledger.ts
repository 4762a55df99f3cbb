import type { Db } from '#platform/db'
import type { TransactionId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { columnsOf, rowsOf, sql } from '#platform/sql'
import { type Writes, writeTogether } from '#platform/write-together'
import type { Account, LedgerEvent } from './account.ts'
import type { Posting } from './lines.ts'

/**
 * Writes a posting; a second posting of the same event and subject is refused. One without lines
 * moved nothing and is not written.
 */
export async function post(
  db: Writes,
  now: Date,
  id: TransactionId,
  posting: Posting,
): Promise<void> {
  const { event, subject, lines } = posting
  if (lines.length === 0) return
  const transaction = { id, at: now, event, subject }
  const entries = lines.map((line, index) => ({
    transaction_id: id,
    position: index + 1,
    ...line,
  }))
  await writeTogether(db, (writes) => [
    writes.run(sql`insert into ledger_transactions (${columnsOf(TRANSACTION_TYPES)})
      select * from ${rowsOf([transaction], TRANSACTION_TYPES)}`),
    writes.run(sql`insert into ledger_entries (${columnsOf(ENTRY_TYPES)}, currency)
      select row.*, 'usd' from ${rowsOf(entries, ENTRY_TYPES)}`),
  ])
}

const TRANSACTION_TYPES = { id: 'text', at: 'timestamptz', event: 'text', subject: 'text' } as const

const ENTRY_TYPES = {
  transaction_id: 'text',
  position: 'int',
  account: 'text',
  owner: 'text',
  amount: 'bigint',
} as const

/** The current balance of one account of one owner. */
export async function balanceOf(db: Db, account: Account, owner: string): Promise<Cents> {
  const { amount } = await db.one<{ amount: Cents }>(sql`
    select coalesce(sum(amount), 0)::bigint as amount from ledger_entries
    where account = ${account} and owner = ${owner}`)
  return amount
}

/** One line of the books with its event. */
export interface Entry {
  transaction_id: TransactionId
  position: number
  at: Date
  event: LedgerEvent
  subject: string
  account: Account
  owner: string
  amount: Cents
}

/** All ledger lines about these subjects, in the order in which they were written. */
export async function entriesOf(db: Db, subjects: string[]): Promise<Entry[]> {
  return await db.rows<Entry>(sql`
    select e.transaction_id, e.position, t.at, t.event, t.subject, e.account, e.owner, e.amount
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.subject = any(${subjects}) order by t.at, e.number`)
}

/** Serializes settlements of this owner's whole balance, until the transaction ends. */
export async function lockOwner(db: Db, owner: string): Promise<void> {
  await db.run(sql`select lock_owner(${owner})`)
}
