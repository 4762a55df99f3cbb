/** The behavior of a test card, as Stripe publishes it (https://docs.stripe.com/testing). */
export interface CardBehavior {
  brand: 'visa' | 'mastercard' | 'amex'
  country: string
  /** Declines every charge; the card can still be verified unless stated. */
  decline?: { code: string; decline_code?: string }
  verifies?: boolean
  challenges?: 'once' | 'always'
  disputes?: 'fraudulent' | 'product_not_received' | 'inquiry'
  refunds?: 'pending' | 'fails'
}

const visa = { brand: 'visa', country: 'US' } as const
const declined = (decline_code: string) => ({
  ...visa,
  decline: { code: 'card_declined', decline_code },
})

export const CARDS: Record<string, CardBehavior> = {
  '4242424242424242': visa,
  '5555555555554444': { brand: 'mastercard', country: 'US' },
  '378282246310005': { brand: 'amex', country: 'US' },
  '4000000000000002': declined('generic_decline'),
  '4000000000009995': declined('insufficient_funds'),
  '4000000000009987': declined('lost_card'),
  '4000000000009979': declined('stolen_card'),
  '4100000000000019': declined('fraudulent'),
  '4000000000000069': { ...visa, decline: { code: 'expired_card' } },
  '4000000000000127': { ...visa, decline: { code: 'incorrect_cvc' } },
  '4000000000000119': { ...visa, decline: { code: 'processing_error' } },
  '4000000000000341': { ...declined('generic_decline'), verifies: true },
  '4000002500003155': { ...visa, challenges: 'once' },
  '4000002760003184': { ...visa, challenges: 'always' },
  '4000000000000259': { ...visa, disputes: 'fraudulent' },
  '4000000000002685': { ...visa, disputes: 'product_not_received' },
  '4000000000001976': { ...visa, disputes: 'inquiry' },
  '4000000000007726': { ...visa, refunds: 'pending' },
  '4000000000005126': { ...visa, refunds: 'fails' },
  '4000001240000000': { brand: 'visa', country: 'CA' },
  '4000008260000000': { brand: 'visa', country: 'GB' },
}
