import type { Database } from '#platform/db'
import { sql } from '#platform/sql'

/** A rule that is broken, and what breaks it. */
export interface Broken {
  rule: string
  facts: unknown
}

interface Bill {
  license_id: string
  number: number
  kind: 'purchase' | 'renewal' | 'upgrade'
  price_id: string
  price_amount: number
  frequency: 'day' | 'week' | 'month' | 'year' | null
  period_start: Date
  period_end: Date | null
  paid_at: Date
  /** The end of the trial before the first bill; null where there was none. */
  trial_end: Date | null
  was_paused: boolean
  license_end: Date | null
  status: string
}

const BILLS = sql`select i.license_id, i.number, i.kind, i.price_id, i.price_amount, r.frequency,
    i.period_start, i.period_end, i.paid_at, l.status, l.period_end as license_end,
    case when o.charged = 0 then o.created_at + interval '1 day' * (select a.trial_days
      from attempts a where a.order_id = o.id and a.status = 'succeeded') end as trial_end,
    exists (select 1 from license_history h where h.license_id = i.license_id
      and h.trigger = 'buyer_paused' and h.at <= i.paid_at) as was_paused
  from invoices i join prices r on r.id = i.price_id join licenses l on l.id = i.license_id
    join orders o on o.id = i.order_id
  where i.status = 'paid' order by i.license_id, i.paid_at, i.number`

/** So many months later, as a person counts: the same day, or the last one of a shorter month. */
function monthsLater(from: Date, months: number): Date {
  const month = from.getUTCMonth() + months
  const last = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Math.min(from.getUTCDate(), last)
  const midnight = Date.UTC(from.getUTCFullYear(), month, day)
  return new Date(midnight + (from.getTime() % 86_400_000))
}

function later(from: Date, frequency: NonNullable<Bill['frequency']>, count: number): Date {
  if (frequency === 'month') return monthsLater(from, count)
  if (frequency === 'year') return monthsLater(from, 12 * count)
  const days = frequency === 'week' ? 7 : 1
  return new Date(from.getTime() + days * count * 86_400_000)
}

/** Whether a period is one of a calendar, of whatever number. */
function isPeriodOf(anchor: Date, { frequency, period_start, period_end }: Bill): boolean {
  if (frequency === null) return period_end === null
  if (period_end === null || period_start < anchor) return false
  for (let count = 0; ; count++) {
    const start = later(anchor, frequency, count)
    if (start > period_start) return false
    if (start.getTime() !== period_start.getTime()) continue
    return later(anchor, frequency, count + 1).getTime() === period_end.getTime()
  }
}

/**
 * Holds every paid period against a calendar of its own: periods are counted from the purchase, the
 * end of a trial, a move or the end of a pause; none begins before the one before it ended, none is
 * paid before it begins, and what was agreed for a period holds until a move.
 */
export async function calendarFaults(db: Database): Promise<Broken[]> {
  const bills = await db.rows<Bill>(BILLS)
  return bills.flatMap((bill, index) => {
    const earlier = bills[index - 1]
    const before = earlier?.license_id === bill.license_id ? earlier : undefined
    const isLast = bills[index + 1]?.license_id !== bill.license_id
    const fault =
      faultOf(bill, before, anchors(bills, index)) ?? (isLast ? endFault(bill) : undefined)
    return fault ? [{ rule: fault, facts: { bill, before } }] : []
  })
}

/** From where the periods of a bill may be counted. */
function anchors(bills: readonly Bill[], index: number): Date[] {
  const found: Date[] = []
  for (let at = index; ; at--) {
    const bill = bills[at]!
    const before = bills[at - 1]?.license_id === bill.license_id ? bills[at - 1] : undefined
    const isMove = before !== undefined && before.price_id !== bill.price_id
    if (bill.was_paused) found.push(bill.period_start)
    if (bill.kind !== 'renewal') return [...found, bill.period_start]
    if (!before) return [...found, bill.trial_end ?? bill.period_start]
    // A plan that was moved to begins where the one before it ended.
    if (isMove) return [...found, before.period_end!]
  }
}

function faultOf(bill: Bill, before: Bill | undefined, from: Date[]): string | undefined {
  if (!from.some((anchor) => isPeriodOf(anchor, bill))) return 'a period is counted from its anchor'
  if (bill.period_start > bill.paid_at) return 'nobody pays before a period begins'
  if (bill.trial_end && bill.kind === 'renewal' && bill.period_start < bill.trial_end) {
    return 'nobody pays within a trial'
  }
  if (!before || bill.kind === 'upgrade') return undefined
  if (before.period_end && bill.period_start < before.period_end) return 'no day is paid for twice'
  if (before.period_end === null) return 'what is paid once does not renew'
  if (bill.price_id === before.price_id && bill.price_amount !== before.price_amount) {
    return 'a renewal costs what was agreed'
  }
  return undefined
}

/** A license that runs is paid up to the end of its last bill. */
function endFault({ status, license_end, period_end }: Bill): string | undefined {
  if (status === 'canceled') return undefined
  return license_end?.getTime() === period_end?.getTime()
    ? undefined
    : 'a license lasts as long as it is paid for'
}
