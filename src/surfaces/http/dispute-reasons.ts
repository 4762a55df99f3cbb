import type { DisputeReason } from '#domain/payments'

/** The bank's reason for a dispute, as a sentence for sellers and staff. */
export const DISPUTE_REASONS: Record<DisputeReason, string> = {
  fraudulent: 'The cardholder did not authorize the payment.',
  product_not_received: 'The buyer did not receive the product.',
  product_unacceptable: 'The product was not as described.',
  duplicate: 'The buyer was charged twice.',
  subscription_canceled: 'The buyer had canceled the subscription.',
  credit_not_processed: 'The buyer did not receive a refund.',
  unrecognized: 'The buyer does not recognize the payment.',
  general: 'The bank gave no reason.',
}
