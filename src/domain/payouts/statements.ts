import type { Db } from '#platform/db'
import type { InvoiceId, PayoutId, TransactionId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Payee } from './available.ts'
import { INVOICE_OF_LINE, LINE_SOURCES } from './payouts.ts'

/** The events of the ledger that move a payee's balance, except for a payout itself. */
export type PayeeEvent =
  | 'sale'
  | 'refund'
  | 'dispute_opened'
  | 'dispute_won'
  | 'dispute_lost'
  | 'appeal_opened'
  | 'appeal_won'
  | 'payout_failed'
  | 'write_off'

/** One ledger line of a payee, with its source; amounts are as the payee sees them. */
export interface StatementLine {
  transaction_id: TransactionId
  position: number
  at: Date
  event: PayeeEvent
  subject: string
  /** What it adds to the payee's balance. */
  amount: Cents
  /** The invoice that it comes from; null for a line about a payout or a balance. */
  invoice_id: InvoiceId | null
  invoice_kind: 'purchase' | 'renewal' | 'upgrade' | null
  app_slug: string | null
  app_name: string | null
  product_name: string | null
  /** The part of the price, before tax, that was paid or refunded. */
  gross: Cents | null
  /** The service's whole fee on a paid invoice; null for what is reversed, and for other lines. */
  fee: Cents | null
  /** The payout that failed or was returned, for the line that credits it again. */
  returned_number: number | null
  /** Whether that payout was never sent. */
  was_refused: boolean
}

/** A line of a payee's account, and the payout that took it. */
export interface AccountLine extends StatementLine {
  /** Its place among all ledger entries. */
  number: number
  payout_id: PayoutId | null
  payout_number: number | null
  payout_status: 'open' | 'pending' | 'paid' | 'failed' | null
  payout_was_refused: boolean | null
}

const COLUMNS = sql`t.id as transaction_id, e.position, t.at, t.event, t.subject,
  -e.amount as amount, i.id as invoice_id, i.kind as invoice_kind, a.slug as app_slug,
  i.app_name, i.product_name,
  case t.event when 'sale' then i.fee end as fee,
  case t.event when 'sale' then i.amount when 'refund' then r.tax - r.amount
    when 'dispute_opened'
      then coalesce(d.opened_owed, d.owed) + coalesce(d.opened_tax, d.tax) - d.amount
    when 'appeal_opened' then d.owed + d.tax - d.amount
    when 'dispute_lost' then d.owed + d.tax - d.amount
    when 'dispute_won'
      then d.amount - coalesce(d.opened_tax, d.tax) - coalesce(d.opened_owed, d.owed) end as gross,
  returned.number as returned_number,
  coalesce(returned.was_refused, false) as was_refused`

const SOURCES = sql`join ledger_transactions t on t.id = e.transaction_id
  ${LINE_SOURCES}
  left join invoices i on i.id = ${INVOICE_OF_LINE}
  left join apps a on a.id = i.app_id
  left join payouts returned on t.event = 'payout_failed' and returned.id = t.subject`

const TAKEN_BY = sql`left join payout_lines l
    on l.transaction_id = e.transaction_id and l.position = e.position
  left join payouts p on p.id = l.payout_id`

/** A line of a payout, with its number in the statement, from 1. */
export interface PayoutLine extends StatementLine {
  line: number
}

/**
 * Lines of a payout in the order in which they were written, after as many others; all of them sum
 * to its amount.
 */
export async function statementOf(
  db: Db,
  payout_id: PayoutId,
  { limit, offset }: { limit: number; offset: number },
): Promise<PayoutLine[]> {
  return await db.rows<PayoutLine>(sql`
    select ${COLUMNS}, l.line
    from payout_lines l join ledger_entries e
      on e.transaction_id = l.transaction_id and e.position = l.position
    ${SOURCES} where l.payout_id = ${payout_id} and l.line > ${offset}
    order by l.line limit ${limit}`)
}

/**
 * Records what the lines of a payout are before fees, in the transaction that takes them; a line
 * without such an amount counts in full. Lines never change, and a million are not summed again
 * each time a statement is opened.
 */
export async function recordGross(tx: Db, payout_id: PayoutId): Promise<void> {
  await tx.run(sql`update payouts set gross =
      (select coalesce(sum(coalesce(s.gross, s.amount)), 0)::bigint
      from (select ${COLUMNS}
        from payout_lines l join ledger_entries e
          on e.transaction_id = l.transaction_id and e.position = l.position
        ${SOURCES} where l.payout_id = ${payout_id}) s)
    where id = ${payout_id}`)
}

/** The number of lines of a payout. */
export async function countStatementLines(db: Db, payout_id: PayoutId): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(max(line), 0) as count from payout_lines where payout_id = ${payout_id}`)
  return count
}

/**
 * Lines of a payee's account, the latest posted first, without those of the payouts themselves;
 * `before` continues after a line.
 */
export async function accountLines(
  db: Db,
  { owner, account }: Payee,
  page: { limit: number; before?: number | undefined },
): Promise<AccountLine[]> {
  const before = page.before === undefined ? sql`true` : sql`e.number < ${page.before}::bigint`
  return await db.rows<AccountLine>(sql`select ${COLUMNS}, e.number,
      p.id as payout_id, p.number as payout_number, p.status as payout_status,
      p.was_refused as payout_was_refused
    from ledger_entries e ${SOURCES} ${TAKEN_BY}
    where e.account = ${account} and e.owner = ${owner} and t.event <> 'payout' and ${before}
    order by e.number desc limit ${page.limit}`)
}
