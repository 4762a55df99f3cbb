import type { AffiliateId } from '#platform/ids'
import { type Cents, cents, share, shareDown, ZERO } from '#platform/money'

/** Who referred the buyer: the seller's own site, or the service's marketplace. */
export type BroughtBy = 'seller' | 'service'

const BASIS = 10_000
const RATE_BPS: Record<BroughtBy, number> = { seller: 500, service: 1000 }
const ADD_ON_BPS = 200
/** The fixed part of a fee, charged once per period. */
export const FIXED_FEE = cents(50)
const COMMISSION_BPS = 2500
/** What a dispute costs the seller unless it is won. */
export const DISPUTE_COST = cents(1500)

/** What the fee of a sale depends on. */
export interface FeeTerms {
  brought_by: BroughtBy
  /** True while the app pays for the hosted sign-in add-on. */
  has_add_on: boolean
}

/** A fee with its parts: what is kept if the sale is reversed, and what the add-on adds. */
export interface Fee {
  fee: Cents
  fixed_fee: Cents
  add_on_fee: Cents
}

export const NO_FEE: Fee = { fee: ZERO, fixed_fee: ZERO, add_on_fee: ZERO }

/** The share of a sale that is the fee, in basis points, besides the fixed part. */
export function feeRate({ brought_by, has_add_on }: FeeTerms): number {
  return RATE_BPS[brought_by] + (has_add_on ? ADD_ON_BPS : 0)
}

/**
 * The service's whole fee on an amount before tax, in cents: 5 % (10 % if the service referred the
 * buyer), 2 % more for the add-on, and 50 cents; multiplied once and rounded half up (spec: What
 * the service does, 6). An upgrade within a paid period has no fixed part. Never more than the
 * amount.
 */
export function feeOn(
  amount: Cents,
  { brought_by, has_add_on }: FeeTerms,
  fixed: Cents = FIXED_FEE,
): Fee {
  const on = (rate: number) => Math.min(amount, share(amount, rate, BASIS) + fixed)
  const without = on(feeRate({ brought_by, has_add_on: false }))
  const fee = has_add_on ? on(feeRate({ brought_by, has_add_on })) : without
  return {
    fee: cents(fee),
    fixed_fee: cents(Math.min(fee, fixed)),
    add_on_fee: cents(fee - without),
  }
}

/** The affiliate's quarter of the fee, rounded down; zero without an affiliate. */
export function commissionOn(fee: Cents, affiliate_id: AffiliateId | null): Cents {
  return affiliate_id === null ? ZERO : shareDown(fee, COMMISSION_BPS, BASIS)
}
