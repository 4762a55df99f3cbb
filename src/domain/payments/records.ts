import type { Cents } from '#platform/money'

/** A charge, refund, payout or dispute of the service in the processor's records. */
export interface ProcessorRecord {
  /** The processor's id; null for a payout that has none yet. */
  id: string | null
  /** Our idempotency key; null: it was not requested by us, or the key is not kept. */
  key: string | null
  /** When it was created. */
  at: Date
  /** Its amount, in cents; never negative. */
  amount: Cents
  /**
   * The total effect on our balance before fees, in cents: a charge is positive, a refund or payout
   * negative until it is returned, and a dispute negative until it is won.
   */
  moved: Cents
  /** Whether it changed so recently that its event may not have been received. */
  is_unconfirmed: boolean
}

/** One kind of the processor's records: created from a time on and before another, in any order. */
export type RecordList = (from: Date, before: Date) => AsyncIterable<ProcessorRecord>

/**
 * The processor's records that the books are compared with: what was requested under our keys, and
 * what was made of our charges at the processor itself; nothing of other users of the same account.
 */
export interface ProcessorRecords {
  /** Charges that succeeded. */
  charges: RecordList
  /** Refunds that the processor accepted, including those that failed later. */
  refunds: RecordList
  /** Payouts that left our balance, including those that were returned. */
  payouts: RecordList
  /** Disputes and inquiries. */
  disputes: RecordList
}

/** A processor record with a key of the service that this database does not know. */
export interface Unrecognized {
  kind: 'charge' | 'refund' | 'payout'
  /** The processor's id. */
  id: string
  at: Date
  amount: Cents
}
