import type { BadgeTone } from '#design/feedback'
import type { InvoiceKind, SaleStatus } from '#domain/billing'
import type { Entry } from '#domain/ledger'
import type { Dispute, DisputeReason, Refund } from '#domain/payments'
import type { RefundRefusal } from '#flows/refund'

type Labelled = readonly [words: string, tone: BadgeTone]

export const STATUS_WORDS: Record<SaleStatus, Labelled> = {
  paid: ['Paid', 'good'],
  partly_refunded: ['Partly refunded', 'info'],
  refunded: ['Refunded', 'neutral'],
  disputed: ['Disputed', 'warn'],
  dispute_lost: ['Dispute lost', 'bad'],
  open: ['Not paid yet', 'warn'],
  void: ['Given up', 'neutral'],
}

export const KIND_WORDS: Record<InvoiceKind, string> = {
  purchase: 'Purchase',
  renewal: 'Renewal',
  upgrade: 'Upgrade',
}

export const REFUND_WORDS: Record<Refund['status'], Labelled> = {
  open: ['Waits for the processor', 'warn'],
  pending: ['On its way', 'info'],
  succeeded: ['Given back', 'good'],
  failed: ['Came back', 'bad'],
  refused: ['Not done', 'neutral'],
}

export const DISPUTE_WORDS: Record<Dispute['status'], Labelled> = {
  inquiry: ['Inquiry', 'info'],
  open: ['Open', 'warn'],
  won: ['Won', 'good'],
  lost: ['Lost', 'bad'],
}

export const REASON_WORDS: Record<DisputeReason, string> = {
  fraudulent: 'The buyer says that the payment was not theirs.',
  product_not_received: 'The buyer says that nothing was delivered.',
  product_unacceptable: 'The buyer says that it is not what was described.',
  duplicate: 'The buyer says that the payment was made twice.',
  subscription_canceled: 'The buyer says that the subscription had been canceled.',
  credit_not_processed: 'The buyer says that a refund was promised and never came.',
  unrecognized: 'The buyer does not recognize the payment.',
  general: 'The bank gives no reason.',
}

export const REFUSAL_WORDS: Record<RefundRefusal, string> = {
  not_found: 'There is no such sale.',
  not_paid: 'Nothing was taken for this bill, so nothing can go back.',
  too_late: 'A seller can refund for 60 days. After that, ask us.',
  disputed: 'The buyer’s bank decides about this payment, so it cannot be refunded meanwhile.',
  in_progress: 'Another refund of this payment waits for the processor. Try again in a moment.',
  nothing_left: 'All of this payment went back.',
  not_an_amount: 'Enter an amount in dollars, such as 4.50.',
  more_than_left: 'That is more than is left of this payment.',
}

/** What each line of the books means for a sale; `You` are its seller. */
const LINES: Record<string, string> = {
  'sale processor': 'The buyer paid',
  'sale tax_payable': 'Sales tax, owed to the state',
  'sale affiliate_payable': 'The affiliate’s part of Purser’s fee',
  'sale fees': 'Purser’s fee',
  'sale add_on_fees': 'Hosted sign-in add-on',
  'sale seller_payable': 'The seller’s part',
  'refund processor': 'Went back to the buyer',
  'refund tax_payable': 'Sales tax, not owed any more',
  'refund affiliate_payable': 'Taken back from the affiliate',
  'refund fees': 'Purser’s fee, given back in proportion',
  'refund add_on_fees': 'Hosted sign-in add-on, given back in proportion',
  'refund seller_payable': 'Taken from the seller’s balance',
  'refund_failed processor': 'The refund came back from the bank',
  'refund_failed buyer_payable': 'Owed to the buyer',
  'dispute_opened processor': 'Taken by the buyer’s bank',
  'dispute_opened disputes_open': 'Lies with the bank until it decides',
  'dispute_opened buyer_payable': 'The buyer has what was owed to him',
  'dispute_opened seller_payable': 'Taken from the seller’s balance, with the cost of the dispute',
  'dispute_opened dispute_hold': 'Held until the bank decides',
  'dispute_opened dispute_costs': 'Cost of the dispute, returned if it is won',
  'dispute_won processor': 'The bank returned the money',
  'dispute_won disputes_open': 'Lies with the bank no more',
  'dispute_won buyer_payable': 'Owed to the buyer again',
  'dispute_won seller_payable': 'Returned to the seller’s balance',
  'dispute_won dispute_hold': 'Held no more',
  'dispute_won dispute_costs': 'Cost of the dispute, returned',
  'appeal_opened processor': 'Taken by the buyer’s bank on appeal',
  'appeal_opened disputes_open': 'With the bank, on appeal',
  'appeal_opened buyer_payable': 'The buyer has what was owed',
  'appeal_opened seller_payable': 'Taken from the seller’s balance, with the dispute fee',
  'appeal_opened dispute_hold': 'Held for the appeal',
  'appeal_opened dispute_costs': 'Dispute fee',
  'appeal_won disputes_open': 'Returned by the bank on appeal',
  'appeal_won dispute_hold': 'Held for the appeal',
  'appeal_won tax_payable': 'Sales tax, owed again',
  'appeal_won affiliate_payable': 'Returned to the affiliate',
  'appeal_won fees': 'The affiliate’s part of Purser’s fee',
  'dispute_lost disputes_open': 'The bank gave it to the buyer',
  'dispute_lost dispute_hold': 'Held no more: it is gone',
  'dispute_lost tax_payable': 'Sales tax, not owed any more',
  'dispute_lost affiliate_payable': 'Taken back from the affiliate',
  'dispute_lost fees': 'The affiliate’s part, back with Purser',
}

/** A line of the books in words. */
export function lineWords({ event, account }: Pick<Entry, 'event' | 'account'>): string {
  return LINES[`${event} ${account}`] ?? `${event}, ${account}`
}

export const EVENT_WORDS: Record<string, string> = {
  sale: 'Sale',
  refund: 'Refund',
  refund_failed: 'Refund came back',
  dispute_opened: 'Dispute opened',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
  appeal_opened: 'Appeal lost',
  appeal_won: 'Appeal won',
}
