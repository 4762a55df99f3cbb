import { addDays } from '#platform/calendar'
import { type Cents, cents, sum, ZERO } from '#platform/money'

/** Who is paid, and from which account: a seller (`sel_…`) or an affiliate (`aff_…`). */
export interface Payee {
  owner: string
  account: 'seller_payable' | 'affiliate_payable'
}

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

/** What becomes available, and when. */
export interface Pending {
  at: Date
  amount: Cents
}

/** Where a payee stands: what counts by now, as the payee sees it (negative: owed by the payee). */
export interface Standing {
  total: Cents
  /** The lines that make the total. */
  lines: PayeeLine[]
  /** What is still held, by the day on which it becomes available, the next one first. */
  pending: Pending[]
  pending_total: Cents
}

/** The least that is sent to a bank. */
export const MINIMUM = cents(2500)

const HOLD_DAYS = { seller_payable: 7, affiliate_payable: 30 } as const
// Money that a buyer paid may still go back; this was a payee's before.
const NEVER_HELD: readonly string[] = ['payout_failed', 'write_off']

/** The account of the ledger that somebody is paid from. */
export function accountOf(owner: string): Payee['account'] {
  return owner.startsWith('aff_') ? 'affiliate_payable' : 'seller_payable'
}

/** How many days what a buyer paid is held, as it may still go back. */
export function holdDays({ account }: Pick<Payee, 'account'>): number {
  return HOLD_DAYS[account]
}

/**
 * Where a payee stands at a time. Credits count once they were held, and so does a payout that came
 * back at once. Debits count at once, but what is taken back of a sale that is still held is taken
 * from what is held of it: it stops no payout of other money.
 */
export function standingOf(now: Date, payee: Pick<Payee, 'account'>, lines: PayeeLine[]): Standing {
  const heldUntil = ({ at }: PayeeLine) => addDays(at, holdDays(payee))
  const isHeld = (line: PayeeLine) =>
    line.amount < 0 && !NEVER_HELD.includes(line.event) && heldUntil(line) > now
  const waits = new Set<PayeeLine>()
  for (const sale of salesOf(lines)) {
    const held = sale.filter(isHeld)
    const taken = sale.filter(({ amount }) => amount > 0)
    const net = owedIn([...held, ...taken])
    // Where more was taken than is held, the rest is owed now: the held part counts against it.
    if (held.length > 0 && net >= 0) for (const line of [...held, ...taken]) waits.add(line)
  }
  const counted = lines.filter((line) => !waits.has(line))
  const pending = salesOf([...waits]).map((sale) => {
    const until = sale.filter(({ amount }) => amount < 0).map(heldUntil)
    return { at: until.reduce((one, two) => (one > two ? one : two)), amount: owedIn(sale) }
  })
  return {
    total: owedIn(counted),
    lines: counted,
    pending: byDay(pending.filter(({ amount }) => amount > 0)),
    pending_total: owedIn([...waits]),
  }
}

/** Lines by the sale that they are about; a line about none stands alone. */
function salesOf(lines: PayeeLine[]): PayeeLine[][] {
  return [...Map.groupBy(lines, (line) => line.invoice_id ?? line).values()]
}

function owedIn(lines: PayeeLine[]): Cents {
  return sum(ZERO, ...lines.map(owed))
}

/** Tells whether a total is enough to be sent; less, and what a payee owes, is carried. */
export function isPayable(total: Cents): boolean {
  return total >= MINIMUM
}

/** The start of the week of a time: Monday 00:00 UTC. */
export function mondayOf(at: Date): Date {
  const midnight = new Date(at)
  midnight.setUTCHours(0, 0, 0, 0)
  return addDays(midnight, -((midnight.getUTCDay() + 6) % 7))
}

function owed({ amount }: PayeeLine): Cents {
  return cents(0 - amount)
}

/** Sums what falls on one day; the day's time is that of its last line. */
function byDay(held: Pending[]): Pending[] {
  const days = new Map<string, Pending>()
  for (const { at, amount } of held.sort((a, b) => a.at.getTime() - b.at.getTime())) {
    const day = at.toISOString().slice(0, 10)
    days.set(day, { at, amount: sum(days.get(day)?.amount ?? ZERO, amount) })
  }
  return [...days.values()]
}
