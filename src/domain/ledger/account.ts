/** The chart of accounts. Debits are positive and credits negative. */
export type Account =
  /** Money at the processor. */
  | 'processor'
  /** Tax collected and owed to a state (owner `US-TX`). */
  | 'tax_payable'
  /** Owed to a seller; a debit balance is what the seller owes. */
  | 'seller_payable'
  /** Owed to an affiliate, out of the service's fee. */
  | 'affiliate_payable'
  /** The service's own fee, and what the hosted sign-in add-on adds to it. */
  | 'fees'
  | 'add_on_fees'
  /** Money withheld by the banks while buyers dispute it. */
  | 'disputes_open'
  /** The amount that a seller gets back if a dispute is won (owner: the seller). */
  | 'dispute_hold'
  /** What disputes cost sellers, until they are won. */
  | 'dispute_costs'
  /** Owed to a buyer, because a refund failed; a debit is what a buyer received in excess. */
  | 'buyer_payable'
  /** Amounts that are written off. */
  | 'losses'
  /** Amounts too small to be charged, which the service bears. */
  | 'waived'
  /** What the processor keeps for charges, disputes and payouts. */
  | 'processing_fees'
  | 'dispute_fees'
  | 'payout_fees'
  /** The operator's own bank account, as far as money moved between it and the books. */
  | 'bank'
  /** Movements at the processor that no record explains. */
  | 'suspense'

/** The kinds of postings. Each event is posted once per subject. */
export type LedgerEvent =
  | 'sale'
  | 'refund'
  | 'refund_failed'
  | 'refund_reissued'
  | 'refund_reissue_failed'
  | 'buyer_paid'
  | 'excess_repaid'
  | 'dispute_opened'
  | 'dispute_won'
  | 'dispute_lost'
  | 'appeal_opened'
  | 'appeal_won'
  | 'payout'
  | 'payout_failed'
  | 'remittance'
  | 'processor_day'
  | 'suspense_booked'
  | 'write_off'
  | 'write_off_reversed'
