import { addDays } from '#platform/calendar'
import type { PayeeId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'

/** A payee and the account they are paid from: a seller (`sel_…`) or an affiliate (`aff_…`). */
export interface Payee {
  owner: PayeeId
  account: 'seller_payable' | 'affiliate_payable'
}

/** An amount that becomes available, and when. */
export interface Pending {
  at: Date
  amount: Cents
}

/** The balances of a payee now, as the payee sees them (negative: owed by the payee). */
export interface PayeeBalance {
  total: Cents
  /** Amounts that are not available yet, by the day on which they become so, the next one first. */
  pending: Pending[]
  pending_total: Cents
}

/** The smallest payout, in cents. */
export const MINIMUM = cents(2500)
/** The smallest payout to a payee who leaves, in cents. */
export const MINIMUM_AT_LEAVING = cents(1)

const DELAY_DAYS = { seller_payable: 7, affiliate_payable: 30 } as const
/** Events whose lines are available at once: no buyer can be refunded from them. */
export const NEVER_DELAYED: readonly string[] = ['payout_failed', 'write_off']

/** The ledger account that an owner is paid from. */
export function accountOf(owner: PayeeId): Payee['account'] {
  return owner.startsWith('aff_') ? 'affiliate_payable' : 'seller_payable'
}

/** The days before a payment becomes available, as it may be refunded until then. */
export function delayDays({ account }: Pick<Payee, 'account'>): number {
  return DELAY_DAYS[account]
}

/** Whether a total is enough for a payout; a smaller or negative one is carried over. */
export function isPayable(total: Cents): boolean {
  return total >= MINIMUM
}

/** The start of the week of a time: Monday 00:00 UTC. */
export function mondayOf(at: Date): Date {
  const midnight = new Date(at)
  midnight.setUTCHours(0, 0, 0, 0)
  return addDays(midnight, -((midnight.getUTCDay() + 6) % 7))
}
