import { type Cents, cents, ZERO } from '#platform/money'

/** The tax of a state's month. */
export interface StateMonth {
  state: string
  /** `2026-11`, in UTC. */
  month: string
  /**
   * That of its sales and of disputes won on appeal, less that of its refunds and lost disputes.
   * Negative if more was refunded.
   */
  collected: Cents
}

/** How a month was filed. */
export interface Filed {
  state: string
  month: string
  collected: Cents
  carried: Cents
  amount: Cents
}

/** A state's month, and what must be done about it. */
export interface Liability extends StateMonth {
  /**
   * A credit left over from earlier months, if more was refunded than collected; never above zero.
   */
  carried: Cents
  /** What is owed; zero if it would be negative, which is carried over. */
  amount: Cents
  /**
   * open: the month is not over, or has just ended. waiting: an earlier month comes first. due: it
   * can be filed.
   */
  status: 'open' | 'waiting' | 'due' | 'filed'
}

/** The month of an instant in UTC, `2026-11`. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7)
}

/** The first instant after a month. */
export function endOfMonth(month: string): Date {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 1))
}

/** The month that is a number of months before another, `2026-11`. */
export function monthBefore(month: string, count: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return monthOf(new Date(Date.UTC(year, number - 1 - count, 1)))
}

// What is booked as the month ends has its time, and is committed after it: a filing must see it,
// also where the clocks of nodes differ. Closed days wait as long.
const OPEN_AFTER_END_MS = 3_600_000

/** Whether a month has ended for so long that nothing is booked in it. */
function isClosed(now: Date, month: string): boolean {
  return endOfMonth(month).getTime() + OPEN_AFTER_END_MS <= now.getTime()
}

/** What is owed for a month, and what is carried over to the next. */
export function settleMonth(collected: Cents, carried: Cents): { amount: Cents; left: Cents } {
  const net = collected + carried
  return { amount: cents(Math.max(0, net)), left: cents(Math.min(0, net)) }
}

/**
 * What is owed to each state for each month, earliest first. A state's months are filed in order,
 * so that what one carries over is deducted from the next exactly once. Of what was filed it needs
 * only the month before the first that was not.
 */
export function liabilitiesOf(
  now: Date,
  months: StateMonth[],
  filed: Pick<Filed, 'state' | 'month' | 'carried'>[],
): Liability[] {
  const filings = new Map(filed.map((each) => [`${each.state} ${each.month}`, each]))
  const states = new Map<string, { left: Cents; is_filed: boolean }>()
  const ordered = [...months].sort(
    (a, b) => a.month.localeCompare(b.month) || a.state.localeCompare(b.state),
  )
  return ordered.map((each) => {
    const before = states.get(each.state) ?? { left: ZERO, is_filed: true }
    const filing = filings.get(`${each.state} ${each.month}`)
    const carried = filing?.carried ?? before.left
    const { amount, left } = settleMonth(each.collected, carried)
    const next = before.is_filed ? 'due' : 'waiting'
    const status = filing ? 'filed' : isClosed(now, each.month) ? next : 'open'
    states.set(each.state, { left, is_filed: filing !== undefined })
    return { ...each, carried, amount, status }
  })
}
