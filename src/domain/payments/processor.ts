import type { Cents } from '#platform/money'
import type { Listings } from './listings.ts'

/** What the service may know of a card. Its number never comes here. */
export interface Card {
  /** The processor's handle for charging the card. */
  token: string
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  /** ISO country of the billing address the bank knows. */
  billing_country: string
  billing_zip: string
  /** ISO country of the bank that issued it. */
  issuer_country: string
  /** The same for the same number, whoever enters it. */
  fingerprint: string
}

/** What the processor's card page shows and where it sends the buyer afterwards. */
export interface CardEntryRequest {
  app_name: string
  product_name: string
  email: string
  /** What the buyer will confirm, as sentences: "$12.75 today", "then $12.75 a month". */
  summary: string[]
  /** Offered as the billing ZIP. */
  zip: string
  /** Where the buyer goes with a card, and where without one. */
  return_url: string
  back_url: string
}

/** One request for money. The same key never charges twice. */
export interface ChargeRequest {
  key: string
  /** What is taken; zero only verifies the card. */
  amount: Cents
  currency: 'usd'
  card_token: string
  description: string
  /** The app's part of what the card's statement shows, as `statementText` makes it. */
  statement_suffix?: string | undefined
  /** True when the buyer is not there: a renewal. */
  off_session: boolean
  /** Where a challenge (3-D Secure) sends the buyer when it is over. */
  return_url: string
}

/** Why a bank said no, in the processor's published words. */
export type DeclineCode =
  | 'generic_decline'
  | 'insufficient_funds'
  | 'lost_card'
  | 'stolen_card'
  | 'expired_card'
  | 'incorrect_cvc'
  | 'processing_error'
  | 'fraudulent'
  | 'authentication_required'
  | 'authentication_failed'

/** What became of a request for money. */
export type ChargeAnswer =
  | { status: 'succeeded'; charge_id: string }
  | { status: 'declined'; decline_code: DeclineCode }
  | { status: 'action_required'; action_url: string }
  /** Closed before anything was taken; nothing can be taken under its key any more. */
  | { status: 'closed' }
  /** The processor does not accept the request itself: nothing was taken, whatever the card. */
  | { status: 'refused'; reason: string }

/** The processor did not answer: nobody knows yet whether money moved. */
export class ProcessorUnreachable extends Error {}

/**
 * The processor understood the request and will not do it: nothing moved, and asking again changes
 * nothing. The fault is in our request or in the settings of our account, so staff is alarmed.
 */
export class ProcessorRefused extends Error {}

/** The key was used before for a request that said something else. */
export class KeyConflict extends Error {}

/** The dispute is decided, or its due date has passed: no evidence is heard any more. */
export class DisputeClosed extends Error {}

/** One request to give money back. The same key never refunds twice. */
export interface RefundRequest {
  key: string
  charge_id: string
  /** What goes back, tax included; never more than is left of the charge. */
  amount: Cents
}

/** What became of a refund. A pending one, and one that fails later, are told by an event. */
export type RefundAnswer =
  | { status: 'succeeded' | 'pending'; refund_id: string }
  /** The processor will not do it: nothing moved. */
  | { status: 'refused'; reason: string }

/** One request to pay somebody out. The same key never pays twice. */
export interface PayoutRequest {
  key: string
  amount: Cents
  /** The payee's account at the processor. */
  account_id: string
  /** What the payee's bank shows. */
  description: string
}

/** What became of a payout. One that is pending is told by an event when it ends. */
export type PayoutAnswer =
  | { status: 'paid' | 'pending'; payout_id: string }
  /** The payee's account or bank takes no money, or the processor does not do it at all. */
  | { status: 'failed'; reason: string }
  /** Our balance does not cover it: nothing moved, and it is to be asked for again later. */
  | { status: 'short'; available: Cents }

/** What the processor holds for us; what is pending cannot be paid out yet. */
export interface ProcessorBalance {
  available: Cents
  pending: Cents
}

/** One movement of our balance at the processor. */
export interface BalanceTransaction {
  id: string
  at: Date
  /** bank: between the balance and the operator's own bank. other: nothing that we asked for. */
  kind:
    | 'charge'
    | 'refund'
    | 'refund_failed'
    | 'dispute'
    | 'dispute_won'
    | 'payout'
    | 'payout_failed'
    | 'bank'
    | 'fee'
    | 'other'
  /** The name of the charge, refund or dispute; of a payout the key under which it was asked. */
  subject: string | null
  /** What came in before fees; negative: what went out. */
  amount: Cents
  /** What the processor took for itself; negative where it gave it back. */
  fee: Cents
  fee_kind: 'processing' | 'dispute' | 'payout'
  description: string
}

/** A payee's account at the processor: money can go there once it is ready. */
export interface PayeeAccount {
  is_ready: boolean
  bank_name: string | null
  bank_last4: string | null
}

/** Why a buyer disputes a charge, in the processor's published words. */
export type DisputeReason =
  | 'fraudulent'
  | 'product_not_received'
  | 'product_unacceptable'
  | 'duplicate'
  | 'subscription_canceled'
  | 'credit_not_processed'
  | 'unrecognized'
  | 'general'

/** What is brought forward against a dispute, as texts under the processor's published names. */
export interface Evidence {
  customer_email_address: string
  customer_name?: string
  product_description: string
  service_date: string
  /** What the buyer did with the app: sign-ins, checks of the license, the key shown. */
  access_activity_log: string
  refund_policy_disclosure: string
  receipt: string
  uncategorized_text?: string
}

type WithoutIdAndTime<Event> = Event extends unknown ? Omit<Event, 'id' | 'at'> : never

/** What an event of the processor says, apart from its id and its time. */
export type EventContent = WithoutIdAndTime<ProcessorEvent>

/** What the processor tells by itself. Each has an id under which it is heard once. */
export type ProcessorEvent = { id: string; at: Date } & (
  | {
      kind: 'dispute_opened'
      dispute_id: string
      charge_id: string
      amount: Cents
      reason: DisputeReason
      /** An inquiry asks, and moves no money yet. */
      is_inquiry: boolean
      due_at: Date
    }
  /** Decided; told again with the other outcome where an appeal ends so. */
  | { kind: 'dispute_closed'; dispute_id: string; outcome: 'won' | 'lost' }
  /** A refund that somebody made at the processor itself: not one that we asked for. */
  | {
      kind: 'refund_made'
      refund_id: string
      charge_id: string
      amount: Cents
      status: 'succeeded' | 'pending'
    }
  | { kind: 'refund_settled'; refund_id: string; outcome: 'succeeded' | 'failed' }
  | { kind: 'payout_settled'; payout_id: string; outcome: 'paid' | 'failed'; reason?: string }
  | { kind: 'account_changed'; account_id: string; account: PayeeAccount }
  /** Something that changes nothing in the books, and is for staff to act on. */
  | { kind: 'notice'; subject: string; message: string; charge_id?: string }
)

/**
 * The port to whoever moves the money. No call is made while a transaction is open, and each may
 * throw ProcessorRefused or ProcessorUnreachable. After the latter, `find` and `close` tell by the
 * same key what happened, and a refund or payout is asked for again under its key.
 */
export interface Processor extends Listings {
  readonly name: 'sandbox' | 'stripe'
  /** The least that it charges; less, but not zero, is refused with `amount_too_small`. */
  readonly smallest_charge: Cents
  /** Origins of its pages, which forms of ours may lead to; none where they are our own. */
  readonly page_origins: readonly string[]
  /** Opens a page of the processor where the buyer enters a card. */
  openCardEntry(now: Date, request: CardEntryRequest): Promise<{ id: string; url: string }>
  /** The card that was entered there, or undefined while there is none. */
  readCardEntry(id: string): Promise<Card | undefined>
  charge(now: Date, request: ChargeRequest): Promise<ChargeAnswer>
  /** What became of a key, or undefined where the processor never heard of it. */
  find(key: string): Promise<ChargeAnswer | undefined>
  /**
   * Makes sure that nothing more can come of a key: an unfinished request is closed, a finished
   * one answers as it ended, and one that is refused may answer so again.
   */
  close(now: Date, key: string): Promise<ChargeAnswer>
  /** The processor's own page where a buyer sees the card on file and puts another in its place. */
  openPortal(now: Date, request: PortalRequest): Promise<{ id: string; url: string }>
  /** The card that is on file after a visit there, or undefined while it is the same. */
  readPortal(id: string): Promise<Card | undefined>
  refund(now: Date, request: RefundRequest): Promise<RefundAnswer>
  /** Brings evidence forward; sent again it replaces the last. After the due date: DisputeClosed. */
  answerDispute(now: Date, request: { dispute_id: string; evidence: Evidence }): Promise<void>
  /** Opens an account for somebody who is to be paid; the same owner gets the same account. */
  openAccount(now: Date, request: { owner: string; email: string }): Promise<{ account_id: string }>
  /** The processor's own page where a payee names a US bank account. */
  openOnboarding(
    now: Date,
    request: { account_id: string; return_url: string },
  ): Promise<{ url: string }>
  readAccount(account_id: string): Promise<PayeeAccount>
  payOut(now: Date, request: PayoutRequest): Promise<PayoutAnswer>
  readBalance(now: Date): Promise<ProcessorBalance>
  /** What moved the balance from a time on and before another, in any order. */
  balanceTransactions(from: Date, before: Date): AsyncIterable<BalanceTransaction>
  /** Events that were not acknowledged yet, in order; none where they are delivered by calls. */
  events(now: Date): Promise<ProcessorEvent[]>
  acknowledge(event_id: string): Promise<void>
}

/** What the processor's portal shows, and where it sends the buyer afterwards. */
export interface PortalRequest {
  app_name: string
  email: string
  /** The card on file. */
  card_token: string
  return_url: string
}
