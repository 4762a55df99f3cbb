import type { DeclineCode } from '#domain/payments'

/**
 * Stripe's decline codes (https://docs.stripe.com/declines/codes) as the port's codes. Cards that
 * will never work again are `lost_card`, so that another card is needed.
 */
const CODES: Record<string, DeclineCode> = {
  insufficient_funds: 'insufficient_funds',
  card_velocity_exceeded: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  lost_card: 'lost_card',
  pickup_card: 'lost_card',
  restricted_card: 'lost_card',
  invalid_account: 'lost_card',
  account_closed: 'lost_card',
  new_account_information_available: 'lost_card',
  revocation_of_authorization: 'lost_card',
  revocation_of_all_authorizations: 'lost_card',
  stop_payment_order: 'lost_card',
  stolen_card: 'stolen_card',
  expired_card: 'expired_card',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  processing_error: 'processing_error',
  issuer_not_available: 'processing_error',
  reenter_transaction: 'processing_error',
  try_again_later: 'processing_error',
  fraudulent: 'fraudulent',
  merchant_blacklist: 'fraudulent',
  security_violation: 'fraudulent',
  authentication_required: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_failed',
  setup_intent_authentication_failure: 'authentication_failed',
}

/** Declines after which only another card can pay. */
const HARD: DeclineCode[] = ['lost_card', 'stolen_card', 'expired_card', 'fraudulent']

/** The bank's advice not to retry; treated like a lost card. */
const ADVISED_AGAINST = 'do_not_try_again'

/** Why a card was declined; the bank's reason takes precedence over Stripe's general one. */
export function declineOf(
  error:
    | { code?: string | null; decline_code?: string | null; advice_code?: string | null }
    | null
    | undefined,
): DeclineCode {
  const { decline_code, code, advice_code } = error ?? {}
  const ours = CODES[decline_code ?? ''] ?? CODES[code ?? ''] ?? 'generic_decline'
  if (advice_code !== ADVISED_AGAINST) return ours
  return HARD.includes(ours) ? ours : 'lost_card'
}
