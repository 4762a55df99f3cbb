import type { Cents } from '#platform/money'

/** A charge, refund, payout or dispute of the service as the processor has it on record. */
export interface Listed {
  /** The processor's name for it, as it was answered or told; null: a payout that has none yet. */
  id: string | null
  /** The key under which it was asked for; null: nobody of ours asked, or the key is not kept. */
  key: string | null
  /** When it was made. */
  at: Date
  /** What it is about, in cents; never negative. */
  amount: Cents
  /**
   * What it moved our balance by in all, before fees: a charge comes in, a refund or payout goes
   * out until it comes back, and a dispute takes money until it is won.
   */
  moved: Cents
  /** Whether it changed so lately that the event that tells so may not have been heard. */
  is_unheard: boolean
}

/** One kind of what a processor has on record: made from a time on and before another, in any order. */
export type Listing = (from: Date, before: Date) => AsyncIterable<Listed>

/**
 * What the books are compared with. Each holds what was asked for under our keys, and what was made
 * of our charges at the processor itself; nothing of others who use the same account there.
 */
export interface Listings {
  /** Charges that took money. */
  charges: Listing
  /** Refunds that the processor accepted, those that came back among them. */
  refunds: Listing
  /** Payouts that left our balance, those that came back among them. */
  payouts: Listing
  /** Disputes and inquiries. */
  disputes: Listing
}
