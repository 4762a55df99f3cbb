import { addDays } from '#platform/calendar'
import { type Cents, cents } from '#platform/money'

/** Who is paid, and from which account: a seller (`sel_…`) or an affiliate (`aff_…`). */
export interface Payee {
  owner: string
  account: 'seller_payable' | 'affiliate_payable'
}

/** What becomes available, and when. */
export interface Pending {
  at: Date
  amount: Cents
}

/** Where a payee stands: what counts by now, as the payee sees it (negative: owed by the payee). */
export interface Standing {
  total: Cents
  /** What is still held, by the day on which it becomes available, the next one first. */
  pending: Pending[]
  pending_total: Cents
}

/** The least that is sent to a bank. */
export const MINIMUM = cents(2500)

const HOLD_DAYS = { seller_payable: 7, affiliate_payable: 30 } as const
/** Money that a buyer paid may still go back; this was a payee's before. */
export const NEVER_DELAYED: readonly string[] = ['payout_failed', 'write_off']

/** The account of the ledger that somebody is paid from. */
export function accountOf(owner: string): Payee['account'] {
  return owner.startsWith('aff_') ? 'affiliate_payable' : 'seller_payable'
}

/** How many days what a buyer paid is held, as it may still go back. */
export function delayDays({ account }: Pick<Payee, 'account'>): number {
  return HOLD_DAYS[account]
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
