import { type Cents, cents, share, shareDown, ZERO } from '#platform/money'

/** Who brought the buyer: the seller's own site, or the service's marketplace. */
export type BroughtBy = 'seller' | 'service'

const BASIS = 10_000
const RATE_BPS: Record<BroughtBy, number> = { seller: 500, service: 1000 }
const ADD_ON_BPS = 200
const FIXED = cents(50)
const COMMISSION_BPS = 2500
/** What a dispute costs the seller unless it is won (decided: fee). */
export const DISPUTE_COST = cents(1500)

/** What a sale's fee depends on. */
export interface FeeTerms {
  brought_by: BroughtBy
  /** True while the app pays for the hosted sign-in add-on. */
  has_add_on: boolean
}

/**
 * The service's whole fee on an amount before tax: 5 % (10 % where the service brought the buyer),
 * 2 % more for the add-on, and 50 cents; multiplied once and rounded half up (spec: What the
 * service does, 6).
 */
export function feeOn(amount: Cents, { brought_by, has_add_on }: FeeTerms): Cents {
  const rate = RATE_BPS[brought_by] + (has_add_on ? ADD_ON_BPS : 0)
  return cents(share(amount, rate, BASIS) + FIXED)
}

/** The part of a fee that the add-on adds: what is left of the whole after the fee without it. */
export function addOnPart(amount: Cents, fee: Cents, { brought_by, has_add_on }: FeeTerms): Cents {
  if (!has_add_on) return ZERO
  const without = feeOn(amount, { brought_by, has_add_on: false })
  return cents(Math.max(0, fee - without))
}

/** The part of a fee that stays when a sale is undone. */
export function fixedPart(fee: Cents): Cents {
  return cents(Math.min(fee, FIXED))
}

/** The affiliate's quarter of the fee, rounded down; nothing without an affiliate. */
export function commissionOn(fee: Cents, affiliate_id: string | null): Cents {
  return affiliate_id === null ? ZERO : shareDown(fee, COMMISSION_BPS, BASIS)
}
