import type { Account, Entry, LedgerEvent } from '#domain/ledger'

/** The meaning of each ledger entry of a sale; `You` are its seller. */
const LINES: Partial<Record<`${LedgerEvent} ${Account}`, string>> = {
  'sale processor': 'Paid by the buyer',
  'sale tax_payable': 'Sales tax payable to the state',
  'sale affiliate_payable': 'Affiliate commission, paid from Purser’s fee',
  'sale fees': 'Purser’s fee',
  'sale add_on_fees': 'Hosted sign-in add-on',
  'sale seller_payable': 'Seller earnings',
  'refund processor': 'Refunded to the buyer',
  'refund tax_payable': 'Sales tax no longer payable',
  'refund affiliate_payable': 'Affiliate commission reversed',
  'refund fees': 'Purser’s fee returned, in proportion',
  'refund add_on_fees': 'Hosted sign-in add-on returned, in proportion',
  'refund seller_payable': 'Deducted from the seller’s balance',
  'refund_failed processor': 'Refund returned by the bank',
  'refund_failed buyer_payable': 'Payable to the buyer',
  'dispute_opened processor': 'Withdrawn by the buyer’s bank',
  'dispute_opened disputes_open': 'In dispute until the bank decides',
  'dispute_opened buyer_payable': 'No longer payable to the buyer',
  'dispute_opened seller_payable': 'Deducted from the seller’s balance, with the dispute fee',
  'dispute_opened dispute_hold': 'Reserve until the bank decides',
  'dispute_opened dispute_costs': 'Dispute fee, returned if the dispute is won',
  'dispute_won processor': 'Returned by the bank',
  'dispute_won disputes_open': 'No longer in dispute',
  'dispute_won buyer_payable': 'Payable to the buyer again',
  'dispute_won seller_payable': 'Returned to the seller’s balance',
  'dispute_won dispute_hold': 'Reserve released',
  'dispute_won dispute_costs': 'Dispute fee returned',
  'appeal_opened processor': 'Withdrawn by the buyer’s bank on appeal',
  'appeal_opened disputes_open': 'In dispute, on appeal',
  'appeal_opened buyer_payable': 'No longer payable to the buyer',
  'appeal_opened seller_payable': 'Deducted from the seller’s balance, with the dispute fee',
  'appeal_opened dispute_hold': 'Reserve for the appeal',
  'appeal_opened dispute_costs': 'Dispute fee',
  'appeal_won disputes_open': 'Returned by the bank on appeal',
  'appeal_won dispute_hold': 'Reserve for the appeal',
  'appeal_won tax_payable': 'Sales tax payable again',
  'appeal_won affiliate_payable': 'Affiliate commission restored',
  'appeal_won fees': 'Affiliate commission, paid from Purser’s fee',
  'dispute_lost disputes_open': 'Returned to the buyer by the bank',
  'dispute_lost dispute_hold': 'Reserve taken by the bank',
  'dispute_lost tax_payable': 'Sales tax no longer payable',
  'dispute_lost affiliate_payable': 'Affiliate commission reversed',
  'dispute_lost fees': 'Affiliate commission returned to Purser',
}

/** The label of a ledger entry. */
export function entryLabel({ event, account }: Pick<Entry, 'event' | 'account'>): string {
  return LINES[`${event} ${account}`] ?? `${EVENT_LABELS[event]}, ${account.replaceAll('_', ' ')}`
}

/** The label of each kind of posting. */
export const EVENT_LABELS: Record<LedgerEvent, string> = {
  sale: 'Sale',
  refund: 'Refund',
  refund_failed: 'Refund returned',
  dispute_opened: 'Dispute opened',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
  appeal_opened: 'Appeal lost',
  appeal_won: 'Appeal won',
  buyer_paid: 'Buyer paid',
  payout: 'Payout',
  payout_failed: 'Payout returned',
  remittance: 'Sales tax remitted',
  processor_day: 'Day at the processor',
  write_off: 'Written off',
}
