import type { Cents } from '#platform/money'

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

/** The processor did not answer: nobody knows yet whether money moved. */
export class ProcessorUnreachable extends Error {}

/** The key was used before for a request that said something else. */
export class KeyConflict extends Error {}

/**
 * The port to whoever moves the money. No call is made while a transaction is open, and each may
 * throw ProcessorUnreachable; `find` and `close` then tell by the same key what happened.
 */
export interface Processor {
  readonly name: 'sandbox' | 'stripe'
  /** Opens a page of the processor where the buyer enters a card. */
  openCardEntry(now: Date, request: CardEntryRequest): Promise<{ id: string; url: string }>
  /** The card that was entered there, or undefined while there is none. */
  readCardEntry(id: string): Promise<Card | undefined>
  charge(now: Date, request: ChargeRequest): Promise<ChargeAnswer>
  /** What became of a key, or undefined where the processor never heard of it. */
  find(key: string): Promise<ChargeAnswer | undefined>
  /**
   * Makes sure that nothing more can come of a key: an unfinished request is closed, a finished
   * one answers as it ended.
   */
  close(now: Date, key: string): Promise<ChargeAnswer>
}
