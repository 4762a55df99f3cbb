import type {
  AffiliateId,
  BuyerPaymentId,
  DisputeId,
  ExcessRepaymentId,
  InvoiceId,
  PayeeId,
  PayoutId,
  RefundId,
  ReissueId,
  RemittanceId,
  SellerId,
  UserId,
  WriteOffId,
  WriteOffReversalId,
} from '#platform/ids'
import { type Cents, cents, sum } from '#platform/money'
import { credit, debit, type Posting, posting, reversalAs } from './lines.ts'
import type { SuspenseBooking } from './suspense.ts'

/**
 * How a price is divided: `fee` is the service's whole fee, `add_on_fee` and `commission` of it.
 */
export interface Division {
  amount: Cents
  tax: Cents
  fee: Cents
  add_on_fee: Cents
  commission: Cents
}

/** The parties that each part belongs to. */
export interface Parties {
  seller_id: SellerId
  state: string
  affiliate_id: AffiliateId | null
}

/**
 * A paid purchase, renewal or upgrade: what was charged = tax + commission + the rest of the fee +
 * the add-on + the seller's part. The service bears a waived amount for the buyer.
 */
export function sale(
  facts: Division & Parties & { invoice_id: InvoiceId; is_waived: boolean },
): Posting {
  const { amount, tax, fee, add_on_fee, commission } = facts
  return posting('sale', facts.invoice_id, [
    debit(facts.is_waived ? 'waived' : 'processor', '', sum(amount, tax)),
    credit('tax_payable', taxOwner(facts), tax),
    credit('affiliate_payable', facts.affiliate_id ?? '', commission),
    credit('fees', '', cents(fee - add_on_fee - commission)),
    credit('add_on_fees', '', add_on_fee),
    credit('seller_payable', facts.seller_id, cents(amount - fee)),
  ])
}

/** A refund; each part reverses its share of the sale's part. */
export function refund(facts: Division & Parties & { refund_id: RefundId }): Posting {
  const { amount, tax, fee, add_on_fee, commission } = facts
  return posting('refund', facts.refund_id, [
    credit('processor', '', sum(amount, tax)),
    debit('tax_payable', taxOwner(facts), tax),
    debit('affiliate_payable', facts.affiliate_id ?? '', commission),
    debit('fees', '', cents(fee - add_on_fee - commission)),
    debit('add_on_fees', '', add_on_fee),
    debit('seller_payable', facts.seller_id, cents(amount - fee)),
  ])
}

/** A refund that failed: the buyer is still owed it. */
export function refundFailed(facts: {
  refund_id: RefundId
  user_id: UserId
  total: Cents
}): Posting {
  return posting('refund_failed', facts.refund_id, [
    debit('processor', '', facts.total),
    credit('buyer_payable', facts.user_id, facts.total),
  ])
}

/** A refund that had failed was made again in the processor's dashboard. */
export function refundReissued({ reissue_id, user_id, total }: Reissue): Posting {
  return posting('refund_reissued', reissue_id, [
    credit('processor', '', total),
    debit('buyer_payable', user_id, total),
  ])
}

/** A refund that was made again failed too: the buyer is owed it again. */
export function refundReissueFailed(facts: Reissue): Posting {
  return reversalAs('refund_reissue_failed', refundReissued(facts))
}

interface Reissue {
  reissue_id: ReissueId
  user_id: UserId
  total: Cents
}

/** A buyer was paid what they were owed, outside their card. */
export function buyerPaid(facts: {
  payment_id: BuyerPaymentId
  user_id: UserId
  total: Cents
}): Posting {
  return posting('buyer_paid', facts.payment_id, [
    credit('bank', '', facts.total),
    debit('buyer_payable', facts.user_id, facts.total),
  ])
}

/** A buyer repaid what they had received in excess, to the operator's bank. */
export function excessRepaid(facts: {
  repayment_id: ExcessRepaymentId
  user_id: UserId
  total: Cents
}): Posting {
  return posting('excess_repaid', facts.repayment_id, [
    debit('bank', '', facts.total),
    credit('buyer_payable', facts.user_id, facts.total),
  ])
}

/**
 * The figures of a dispute: `amount` before tax, the cost that the seller bears, and what the buyer
 * was owed already because a refund had failed.
 */
export interface DisputeFigures {
  dispute_id: DisputeId
  seller_id: SellerId
  user_id: UserId
  amount: Cents
  tax: Cents
  owed: Cents
  cost: Cents
}

/** A dispute was opened: the bank took the money, and the seller's part is reserved. */
export function disputeOpened(facts: DisputeFigures): Posting {
  const { seller_id, amount, tax, owed, cost } = facts
  return posting('dispute_opened', facts.dispute_id, [
    credit('processor', '', sum(amount, tax, owed)),
    debit('disputes_open', '', sum(amount, tax)),
    debit('buyer_payable', facts.user_id, owed),
    debit('seller_payable', seller_id, sum(amount, cost)),
    credit('dispute_hold', seller_id, amount),
    credit('dispute_costs', '', cost),
  ])
}

/** A dispute was won: everything that its opening took is returned. */
export function disputeWon(facts: DisputeFigures): Posting {
  return reversalAs('dispute_won', disputeOpened(facts))
}

/**
 * A dispute was lost: the seller's part stays debited, the state is not owed the tax of a reversed
 * sale, and the affiliate's commission returns to the service, which keeps its fee.
 */
export function disputeLost(
  facts: DisputeFigures & Pick<Parties, 'state' | 'affiliate_id'> & { commission: Cents },
): Posting {
  const { seller_id, amount, tax, commission } = facts
  return posting('dispute_lost', facts.dispute_id, [
    credit('disputes_open', '', sum(amount, tax)),
    debit('dispute_hold', seller_id, amount),
    debit('tax_payable', taxOwner(facts), tax),
    debit('affiliate_payable', facts.affiliate_id ?? '', commission),
    credit('fees', '', commission),
  ])
}

/** A won dispute is appealed and lost: its opening is booked again, then its loss. */
export function appealOpened(facts: DisputeFigures): Posting {
  const { subject, lines } = disputeOpened(facts)
  return posting('appeal_opened', subject, lines)
}

/** A lost dispute is appealed and won: its loss is reversed, then it is won. */
export function appealWon(facts: Parameters<typeof disputeLost>[0]): Posting {
  return reversalAs('appeal_won', disputeLost(facts))
}

/** A payment to an owner, and the account that it is paid from. */
export interface PaidOut {
  payout_id: PayoutId
  account: 'seller_payable' | 'affiliate_payable'
  owner: PayeeId
  amount: Cents
}

/** A payout to a seller or an affiliate. */
export function payout({ payout_id, account, owner, amount }: PaidOut): Posting {
  return posting('payout', payout_id, [
    debit(account, owner, amount),
    credit('processor', '', amount),
  ])
}

/** A payout that failed or that the bank returned: it is owed again. */
export function payoutFailed({ payout_id, account, owner, amount }: PaidOut): Posting {
  return posting('payout_failed', payout_id, [
    debit('processor', '', amount),
    credit(account, owner, amount),
  ])
}

/** A month's tax, paid to its state. */
export function remittance(facts: {
  remittance_id: RemittanceId
  state: string
  amount: Cents
}): Posting {
  return posting('remittance', facts.remittance_id, [
    debit('tax_payable', taxOwner(facts), facts.amount),
    credit('bank', '', facts.amount),
  ])
}

/** A day at the processor: its fees, transfers to or from the bank, and unexplained movements. */
export function processorDay(facts: {
  day_id: string
  processing: Cents
  dispute: Cents
  payout: Cents
  bank: Cents
  other: Cents
}): Posting {
  const { processing, dispute, payout, bank, other } = facts
  return posting('processor_day', facts.day_id, [
    debit('processing_fees', '', processing),
    debit('dispute_fees', '', dispute),
    debit('payout_fees', '', payout),
    credit('bank', '', bank),
    credit('suspense', '', other),
    debit('processor', '', cents(bank + other - processing - dispute - payout)),
  ])
}

/** What staff booked an unexplained movement as: `amount` is what was received. */
export function suspenseBooked(facts: Pick<SuspenseBooking, 'id' | 'account' | 'amount'>): Posting {
  return posting('suspense_booked', facts.id, [
    debit('suspense', '', facts.amount),
    credit(facts.account, '', facts.amount),
  ])
}

/** Whose debt is written off: a seller's, an affiliate's, or what a buyer received in excess. */
export type Debtor =
  | { account: 'seller_payable' | 'affiliate_payable'; owner: PayeeId }
  | { account: 'buyer_payable'; owner: UserId }

/** A debt that is written off: `amount` is the debit balance. */
export function writeOff(facts: Debtor & { write_off_id: WriteOffId; amount: Cents }): Posting {
  return posting('write_off', facts.write_off_id, [
    debit('losses', '', facts.amount),
    credit(facts.account, facts.owner, facts.amount),
  ])
}

/** What was written off of a buyer's excess, and did not reach the buyer after all. */
export function writeOffReversed(facts: {
  reversal_id: WriteOffReversalId
  user_id: UserId
  total: Cents
}): Posting {
  return posting('write_off_reversed', facts.reversal_id, [
    debit('buyer_payable', facts.user_id, facts.total),
    credit('losses', '', facts.total),
  ])
}

function taxOwner({ state }: { state: string }): string {
  return `US-${state}`
}
