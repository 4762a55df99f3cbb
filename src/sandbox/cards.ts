import type { DeclineCode } from '#domain/payments'

/** The behavior of a test card; absent fields have no effect. */
export interface Behavior {
  /** Declines every request with this code. */
  declines?: DeclineCode
  /** Verification succeeds, although charges are declined. */
  verifies?: boolean
  /** Requires 3-D Secure authentication: until it succeeded once, or every time. */
  challenges?: 'once' | 'always'
  /** How many renewals are declined before one succeeds. */
  failing_renewals?: number
  /** Simulates a network failure: after the charge was made, or before the request arrives. */
  loses?: 'answer' | 'request'
  /** The buyer disputes the charge. */
  disputes?: 'fraudulent' | 'product_not_received' | 'inquiry'
  /** Refunds are pending before they succeed, or fail after they seemed to succeed. */
  refunds?: 'pending' | 'fails'
}

/** Every behavior, by the name that is stored with a card. */
export const BEHAVIORS = {
  succeeds: {},
  declines_generic: { declines: 'generic_decline' },
  declines_insufficient_funds: { declines: 'insufficient_funds' },
  declines_lost: { declines: 'lost_card' },
  declines_stolen: { declines: 'stolen_card' },
  declines_expired: { declines: 'expired_card' },
  declines_cvc: { declines: 'incorrect_cvc' },
  declines_processing_error: { declines: 'processing_error' },
  declines_fraudulent: { declines: 'fraudulent' },
  declines_after_verification: { declines: 'generic_decline', verifies: true },
  challenges_once: { challenges: 'once' },
  challenges_always: { challenges: 'always' },
  disputes_fraudulent: { disputes: 'fraudulent' },
  disputes_not_received: { disputes: 'product_not_received' },
  disputes_inquiry: { disputes: 'inquiry' },
  refunds_pending: { refunds: 'pending' },
  refunds_fail: { refunds: 'fails' },
  renews_on_retry_1: { failing_renewals: 1 },
  renews_on_retry_2: { failing_renewals: 2 },
  renews_on_retry_3: { failing_renewals: 3 },
  never_renews: { failing_renewals: Number.POSITIVE_INFINITY },
  loses_answer: { loses: 'answer' },
  loses_request: { loses: 'request' },
} as const satisfies Record<string, Behavior>

export type BehaviorName = keyof typeof BEHAVIORS

/** The ISO country of the issuing bank and the billing address. */
type CardRow = [
  number: string,
  brand: 'visa' | 'mastercard' | 'amex',
  issuer_country: 'US' | 'CA' | 'GB',
  behavior: BehaviorName,
]

const ROWS: CardRow[] = [
  ['4242 4242 4242 4242', 'visa', 'US', 'succeeds'],
  ['5555 5555 5555 4444', 'mastercard', 'US', 'succeeds'],
  ['3782 822463 10005', 'amex', 'US', 'succeeds'],
  ['4000 0000 0000 0002', 'visa', 'US', 'declines_generic'],
  ['4000 0000 0000 9995', 'visa', 'US', 'declines_insufficient_funds'],
  ['4000 0000 0000 9987', 'visa', 'US', 'declines_lost'],
  ['4000 0000 0000 9979', 'visa', 'US', 'declines_stolen'],
  ['4000 0000 0000 0069', 'visa', 'US', 'declines_expired'],
  ['4000 0000 0000 0127', 'visa', 'US', 'declines_cvc'],
  ['4000 0000 0000 0119', 'visa', 'US', 'declines_processing_error'],
  ['4000 0000 0000 0341', 'visa', 'US', 'declines_after_verification'],
  ['4000 0025 0000 3155', 'visa', 'US', 'challenges_once'],
  ['4000 0027 6000 3184', 'visa', 'US', 'challenges_always'],
  ['4000 0000 0000 0259', 'visa', 'US', 'disputes_fraudulent'],
  ['4000 0000 0000 2685', 'visa', 'US', 'disputes_not_received'],
  ['4000 0000 0000 1976', 'visa', 'US', 'disputes_inquiry'],
  ['4000 0000 0000 7726', 'visa', 'US', 'refunds_pending'],
  ['4000 0000 0000 5126', 'visa', 'US', 'refunds_fail'],
  ['4100 0000 0000 0019', 'visa', 'US', 'declines_fraudulent'],
  ['4000 0012 4000 0000', 'visa', 'CA', 'succeeds'],
  ['4000 0082 6000 0000', 'visa', 'GB', 'succeeds'],
  ['4999 9900 0000 0114', 'visa', 'US', 'renews_on_retry_1'],
  ['4999 9900 0000 0122', 'visa', 'US', 'renews_on_retry_2'],
  ['4999 9900 0000 0130', 'visa', 'US', 'renews_on_retry_3'],
  ['4999 9900 0000 0197', 'visa', 'US', 'never_renews'],
  ['4999 9900 0000 0015', 'visa', 'US', 'loses_answer'],
  ['4999 9900 0000 0023', 'visa', 'US', 'loses_request'],
]

/** Every card that the sandbox accepts, with digits only. */
export const TEST_CARDS = ROWS.map(([number, brand, issuer_country, behavior]) => ({
  number: number.replaceAll(' ', ''),
  brand,
  issuer_country,
  behavior,
}))

export type TestCard = (typeof TEST_CARDS)[number]

/** The test card with this number; spaces and dashes are ignored. */
export function findTestCard(text: string): TestCard | undefined {
  const number = text.replaceAll(/[\s-]/g, '')
  return TEST_CARDS.find((card) => card.number === number)
}
