import * as payouts from '#domain/payouts'
import { delayDays, type Payee, type PayeeBalance, type Pending } from '#domain/payouts'
import { addDays } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import type { InvoiceId, TransactionId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { testId } from './ids.ts'

/** A ledger line of a payee that no payout includes; amounts owed to the payee are negative. */
export interface PayeeLine {
  transaction_id: TransactionId
  position: number
  at: Date
  event: string
  amount: Cents
  /** The invoice that it comes from; null for payouts and balances. */
  invoice_id: InvoiceId | null
}

/** A payee's balance, and the lines that its total is the sum of. */
export interface ModeledBalance extends PayeeBalance {
  lines: PayeeLine[]
}

const NEVER_DELAYED: readonly string[] = ['payout_failed', 'write_off']

/**
 * The balance of a payee at a time, by the rule of `payouts.payeeBalance`, implemented a second
 * time without the database so that tests can compare both. Credits count after their delay,
 * returned payouts at once. Debits count at once, except that a refund of a pending sale reduces
 * that sale first: it delays no payout of other money.
 */
export function modelBalance(
  now: Date,
  payee: Pick<Payee, 'account'>,
  lines: PayeeLine[],
): ModeledBalance {
  const availableAt = ({ at }: PayeeLine) => addDays(at, delayDays(payee))
  const isDelayed = (line: PayeeLine) =>
    line.amount < 0 && !NEVER_DELAYED.includes(line.event) && availableAt(line) > now
  const waiting = new Set<PayeeLine>()
  for (const sale of salesOf(lines)) {
    const delayed = sale.filter(isDelayed)
    const taken = sale.filter(({ amount }) => amount > 0)
    const net = owedIn([...delayed, ...taken])
    // If more was taken back than is delayed, the difference is due now.
    if (delayed.length > 0 && net >= 0) for (const line of [...delayed, ...taken]) waiting.add(line)
  }
  const counted = lines.filter((line) => !waiting.has(line))
  const pending = salesOf([...waiting]).map((sale) => {
    const until = sale.filter(({ amount }) => amount < 0).map(availableAt)
    return { at: until.reduce((one, two) => (one > two ? one : two)), amount: owedIn(sale) }
  })
  return {
    total: owedIn(counted),
    lines: counted,
    pending: byDay(pending.filter(({ amount }) => amount > 0)),
    pending_total: owedIn([...waiting]),
  }
}

/** Lines grouped by sale; a line without a sale is a group of its own. */
function salesOf(lines: PayeeLine[]): PayeeLine[][] {
  return [...Map.groupBy(lines, (line) => line.invoice_id ?? line).values()]
}

function owedIn(lines: PayeeLine[]): Cents {
  return sum(ZERO, ...lines.map(owed))
}

function owed({ amount }: PayeeLine): Cents {
  return cents(0 - amount)
}

/** One amount per UTC day, at the time of the day's last line. */
function byDay(pending: Pending[]): Pending[] {
  const days = new Map<string, Pending>()
  for (const { at, amount } of pending.sort((a, b) => a.at.getTime() - b.at.getTime())) {
    const day = at.toISOString().slice(0, 10)
    days.set(day, { at, amount: sum(days.get(day)?.amount ?? ZERO, amount) })
  }
  return [...days.values()]
}

class Undo extends Error {}

/**
 * The balance of a payee with these lines, computed by the service's own statements, and the lines
 * that a payout takes; undefined if the balance is below the minimum. The database is unchanged.
 */
export async function balanceInBooks(
  db: Database,
  now: Date,
  { account }: Pick<Payee, 'account'>,
  lines: PayeeLine[],
): Promise<PayeeBalance & { lines: PayeeLine[] | undefined }> {
  let found: (PayeeBalance & { lines: PayeeLine[] | undefined }) | undefined
  await db
    .tx(async (tx) => {
      const payee = { owner: testId('sel_of_test'), account }
      await post(tx, payee, lines)
      const balance = await payouts.payeeBalance(tx, now, payee)
      const payout = {
        id: testId('po_of_test'),
        ...payee,
        cause: 'request',
        minimum: payouts.MINIMUM,
        bank: null,
        bank_fingerprint: null,
      } as const
      const taken = await payouts.addPayout(tx, now, now, payout)
      found = { ...balance, lines: taken && (await linesOf(tx, taken, lines)) }
      throw new Undo()
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error
    })
  return found!
}

/** Posts the lines, half of them summed into the running balance and half not yet. */
async function post(tx: Db, { owner, account }: Payee, lines: PayeeLine[]): Promise<void> {
  for (const [index, { transaction_id, at, event, amount, invoice_id }] of lines.entries()) {
    await tx.run(sql`with posted as (insert into ledger_transactions (id, at, event, subject)
        values (${transaction_id}, ${at}, ${event}, ${transaction_id}) returning id)
      insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
      select id, position, account, owner, amount, 'usd' from posted,
        (values (1, ${account}, ${owner}, ${amount}::bigint), (2, 'losses', '', ${-amount}::bigint))
          line (position, account, owner, amount)`)
    await tx.run(sql`update unpaid_lines set sale = coalesce(${invoice_id}, 'alone/' || transaction_id)
      where transaction_id = ${transaction_id}`)
    if (index === Math.floor(lines.length / 2)) await payouts.sumBalances(tx, 1000)
  }
}

async function linesOf(
  tx: Db,
  { id, amount }: payouts.Payout,
  lines: PayeeLine[],
): Promise<PayeeLine[]> {
  const rows = await tx.rows<{ transaction_id: TransactionId; is_listed: boolean }>(sql`
    select transaction_id, exists (select 1 from unpaid_lines u
      where u.transaction_id = l.transaction_id) as is_listed
    from payout_lines l where payout_id = ${id}`)
  const taken = lines.filter((line) =>
    rows.some(({ transaction_id }) => transaction_id === line.transaction_id),
  )
  if (owedIn(taken) !== amount) throw new Error(`${amount} is not the sum of the lines`)
  if (rows.some(({ is_listed }) => is_listed)) throw new Error('a line that was paid is listed')
  return taken
}
