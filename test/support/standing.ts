import * as payouts from '#domain/payouts'
import { delayDays, type Payee, type Pending, type Standing } from '#domain/payouts'
import { addDays } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'

/** A ledger line of a payee that no payout has taken; what is owed to the payee is negative. */
export interface PayeeLine {
  transaction_id: string
  position: number
  at: Date
  event: string
  amount: Cents
  /** The invoice that it comes from; null for what is about a payout or a balance. */
  invoice_id: string | null
}

/** A standing, and the lines that make its total. */
export interface Modeled extends Standing {
  lines: PayeeLine[]
}

const NEVER_RESERVED: readonly string[] = ['payout_failed', 'write_off']

/**
 * The balance of a payee at a time, by the same rule as `payouts.standingOf`, written again without
 * the database: the two are compared. Credits count after their reserve period; a returned payout
 * counts at once. Debits count at once, but what is taken back of a sale in reserve is taken from
 * its reserve: it stops no payout of other money.
 */
export function modelStanding(
  now: Date,
  payee: Pick<Payee, 'account'>,
  lines: PayeeLine[],
): Modeled {
  const reservedUntil = ({ at }: PayeeLine) => addDays(at, delayDays(payee))
  const isReserved = (line: PayeeLine) =>
    line.amount < 0 && !NEVER_RESERVED.includes(line.event) && reservedUntil(line) > now
  const waits = new Set<PayeeLine>()
  for (const sale of salesOf(lines)) {
    const reserved = sale.filter(isReserved)
    const taken = sale.filter(({ amount }) => amount > 0)
    const net = owedIn([...reserved, ...taken])
    // Where more was taken than is reserved, the rest is owed now, less the reserve.
    if (reserved.length > 0 && net >= 0) for (const line of [...reserved, ...taken]) waits.add(line)
  }
  const counted = lines.filter((line) => !waits.has(line))
  const pending = salesOf([...waits]).map((sale) => {
    const until = sale.filter(({ amount }) => amount < 0).map(reservedUntil)
    return { at: until.reduce((one, two) => (one > two ? one : two)), amount: owedIn(sale) }
  })
  return {
    total: owedIn(counted),
    lines: counted,
    pending: byDay(pending.filter(({ amount }) => amount > 0)),
    pending_total: owedIn([...waits]),
  }
}

/** Lines by the sale that they are about; a line about none is a group of its own. */
function salesOf(lines: PayeeLine[]): PayeeLine[][] {
  return [...Map.groupBy(lines, (line) => line.invoice_id ?? line).values()]
}

function owedIn(lines: PayeeLine[]): Cents {
  return sum(ZERO, ...lines.map(owed))
}

function owed({ amount }: PayeeLine): Cents {
  return cents(0 - amount)
}

/** Sums what falls on one day; the day's time is that of its last line. */
function byDay(reserved: Pending[]): Pending[] {
  const days = new Map<string, Pending>()
  for (const { at, amount } of reserved.sort((a, b) => a.at.getTime() - b.at.getTime())) {
    const day = at.toISOString().slice(0, 10)
    days.set(day, { at, amount: sum(days.get(day)?.amount ?? ZERO, amount) })
  }
  return [...days.values()]
}

class Undo extends Error {}

/**
 * The balance of a payee of these lines by the service's own statements, and the lines that a payout
 * takes where it is enough for one. The database is left as it was.
 */
export async function standingInBooks(
  db: Database,
  now: Date,
  { account }: Pick<Payee, 'account'>,
  lines: PayeeLine[],
): Promise<Standing & { lines: PayeeLine[] | undefined }> {
  let found: (Standing & { lines: PayeeLine[] | undefined }) | undefined
  await db
    .tx(async (tx) => {
      const payee = { owner: 'pay_of_test', account }
      await post(tx, payee, lines)
      const standing = await payouts.standingOf(tx, now, payee)
      const payout = { id: 'po_of_test', ...payee, cause: 'request' } as const
      const taken = await payouts.takeAvailable(tx, now, now, payout)
      found = { ...standing, lines: taken && (await linesOf(tx, taken, lines)) }
      throw new Undo()
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error
    })
  return found!
}

/** Half of the lines are in the running balance already, and half are yet to be summed. */
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
  const rows = await tx.rows<{ transaction_id: string; is_listed: boolean }>(sql`
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
