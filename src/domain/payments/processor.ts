import type { PricedOrder } from '#design/order'
import type { ProcessorId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { PayeeAccount, ProcessorEvent } from './processor-event.ts'
import type { ProcessorRecords, Unrecognized } from './records.ts'

/** What the service knows about a card. It never receives the number. */
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
  /** The same for the same card number in every entry. */
  fingerprint: string
}

/** What the processor's card page shows and where it sends the buyer afterwards. */
export interface CardEntryRequest {
  app_name: string
  /** The path of the app's icon; a processor's own page may leave it out. */
  app_icon?: string | undefined
  product_name: string
  email: string
  /** What the buyer will confirm, as sentences: "$12.75 today", "then $12.75 a month". */
  summary: string[]
  /** The same for a page that shows it in rows, as every step of the checkout does. */
  figures?: PricedOrder | undefined
  /** What to check, if the last card was declined for what was entered. */
  note?: string | undefined
  /** Suggested as the billing ZIP. */
  zip: string
  /** Where the buyer goes after entering a card, and after canceling. */
  return_url: string
  back_url: string
  /** The language of the page, as a tag; the browser's by default. */
  language?: string
}

/** A request to charge. The same key never charges twice. */
export interface ChargeRequest {
  key: string
  /** The amount to charge; zero only verifies the card. */
  amount: Cents
  currency: 'usd'
  card_token: string
  description: string
  /** The app's part of the card statement text; see `statementText`. */
  statement_suffix?: string | undefined
  /** True if the buyer is not present: a renewal. */
  off_session: boolean
  /** Where a challenge (3-D Secure) sends the buyer when it is over. */
  return_url: string
}

/** Why a bank declined, in the processor's published codes. */
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

/** The outcome of a charge request. */
export type ChargeAnswer =
  | { status: 'succeeded'; charge_id: ProcessorId }
  | { status: 'declined'; decline_code: DeclineCode }
  | { status: 'action_required'; action_url: string }
  /** Closed before anything was charged; nothing can be charged under its key from now on. */
  | { status: 'closed' }
  /** The processor does not accept the request itself: nothing was charged, whatever the card. */
  | { status: 'refused'; reason: string }

/** The processor did not answer: whether money moved is unknown. */
export class ProcessorUnreachable extends Error {}

/**
 * The processor understood the request and refused it: nothing moved, and repeating it changes
 * nothing. The fault is in our request or in the settings of our account, so staff are alerted.
 */
export class ProcessorRefused extends Error {}

/** The key was used before for a different request. */
export class KeyConflict extends Error {}

/** The dispute is decided, or its due date has passed: evidence is no longer accepted. */
export class DisputeClosed extends Error {}

/** A request to refund. The same key never refunds twice. */
export interface RefundRequest {
  key: string
  charge_id: ProcessorId
  /** The amount to refund, tax included; never more than is left of the charge. */
  amount: Cents
}

/** The outcome of a refund. An event reports the end of a pending one, and a later failure. */
export type RefundAnswer =
  | { status: 'succeeded' | 'pending'; refund_id: ProcessorId }
  /** The processor refused it: nothing moved. */
  | { status: 'refused'; reason: string }

/** A request to pay out. The same key never pays twice. */
export interface PayoutRequest {
  key: string
  amount: Cents
  /** The payee's account at the processor. */
  account_id: ProcessorId
  /** What the payee's bank shows. */
  description: string
}

/** The outcome of a payout. An event reports the end of a pending one. */
export type PayoutAnswer =
  | { status: 'paid' | 'pending'; payout_id: ProcessorId }
  /** The processor refused it, or made one (`payout_id`) that the bank returned. */
  | { status: 'failed'; reason: string; payout_id?: ProcessorId }
  /** Our balance does not cover it: nothing moved, and it must be retried later. */
  | { status: 'short'; available: Cents }

/** Our balance at the processor; what is pending cannot be paid out yet. */
export interface ProcessorBalance {
  available: Cents
  pending: Cents
}

/** One movement of our balance at the processor. */
export interface BalanceTransaction {
  id: string
  at: Date
  /** bank: between the balance and the operator's own bank. other: nothing that we requested. */
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
  /** The id of the charge, refund or dispute; for a payout, our idempotency key. */
  subject: string | null
  /** The amount received before fees, in cents; negative: sent. */
  amount: Cents
  /** The processor's fee, in cents; negative if it was returned. */
  fee: Cents
  fee_kind: 'processing' | 'dispute' | 'payout'
  description: string
}

/** The evidence against a dispute, as texts under the processor's published names. */
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

/** The properties of a processor. */
export interface ProcessorFacts {
  readonly name: 'sandbox' | 'stripe'
  /** Its name in legal texts. */
  readonly legal_name: string
  /** Whether its cards and banks are simulated: no real money moves. */
  readonly is_test_mode: boolean
  /** Whether an app's test clock can be advanced: what it sends follows the clock of the app. */
  readonly has_test_clock: boolean
  /** The smallest charge; less, but not zero, is refused with `amount_too_small`. */
  readonly smallest_charge: Cents
  /** The most renewals that one process may charge at the same time. */
  readonly renewals_at_once: number
  /** Origins of its pages, which our forms may lead to; empty if they are our own. */
  readonly page_origins: readonly string[]
}

/**
 * The port to the payment processor. No call is made while a transaction is open, and each may
 * throw ProcessorRefused or ProcessorUnreachable. After the latter, `find` and `close` return the
 * outcome by the same key, and a refund or payout is requested again under its key.
 */
export interface Processor extends ProcessorFacts, ProcessorRecords {
  /** Opens a page of the processor where the buyer enters a card. */
  openCardEntry(now: Date, request: CardEntryRequest): Promise<{ id: string; url: string }>
  /** The card that was entered there, or undefined while there is none. */
  readCardEntry(id: string): Promise<Card | undefined>
  charge(now: Date, request: ChargeRequest): Promise<ChargeAnswer>
  /** The outcome of a key, or undefined if the processor never received it. */
  find(key: string): Promise<ChargeAnswer | undefined>
  /**
   * Makes sure that a key can charge nothing from now on: an unfinished request is closed, a
   * finished one returns its outcome, and a refused one may be refused again.
   */
  close(now: Date, key: string): Promise<ChargeAnswer>
  /** The processor's own page where a buyer sees the card on file and replaces it. */
  openPortal(now: Date, request: PortalRequest): Promise<{ id: string; url: string }>
  /** The card on file after a visit there, or undefined while it is the same. */
  readPortal(id: string): Promise<Card | undefined>
  refund(now: Date, request: RefundRequest): Promise<RefundAnswer>
  /** Submits evidence in place of the last. Throws DisputeClosed after the due date. */
  answerDispute(now: Date, request: { dispute_id: ProcessorId; evidence: Evidence }): Promise<void>
  /** Opens an account for a payee; the same owner gets the same account. */
  openAccount(
    now: Date,
    request: { owner: string; email: string },
  ): Promise<{ account_id: ProcessorId }>
  /** The processor's own page where a payee adds a US bank account. */
  openOnboarding(
    now: Date,
    request: { account_id: ProcessorId; return_url: string },
  ): Promise<{ url: string }>
  readAccount(account_id: ProcessorId): Promise<PayeeAccount>
  payOut(now: Date, request: PayoutRequest): Promise<PayoutAnswer>
  readBalance(now: Date): Promise<ProcessorBalance>
  /** The movements of the balance from a time on and before another, in any order. */
  balanceTransactions(from: Date, before: Date): AsyncIterable<BalanceTransaction>
  /**
   * A page of the events that are due and not acknowledged, in order. `after` continues after one,
   * unless the events are delivered by webhook: then all that are due at once are one page.
   */
  events(now: Date, page?: PageOfEvents): Promise<ProcessorEvent[]>
  acknowledge(event_id: ProcessorId): Promise<void>
  /**
   * Charges, refunds and payouts with keys of the service that its database does not have: they
   * were made after the backup that it was restored from.
   */
  unrecognized(from: Date, before: Date): AsyncIterable<Unrecognized>
}

/** A part of the events: by default the first thousand. */
export interface PageOfEvents {
  after?: ProcessorEvent | undefined
  limit?: number
}

/** What the processor's portal shows, and where it sends the buyer afterwards. */
export interface PortalRequest
  extends Pick<CardEntryRequest, 'app_name' | 'app_icon' | 'email' | 'return_url' | 'language'> {
  /** The card on file. */
  card_token: string
}
