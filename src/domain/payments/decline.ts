import type { DeclineCode } from './processor.ts'

const SENTENCES: Record<DeclineCode, string> = {
  generic_decline: 'Your bank declined this card. Try another card, or ask your bank.',
  insufficient_funds: 'This card does not have enough funds. Try another card.',
  lost_card: 'Your bank declined this card. Try another card, or ask your bank.',
  stolen_card: 'Your bank declined this card. Try another card, or ask your bank.',
  expired_card: 'This card has expired. Try another card.',
  incorrect_cvc: 'The security code (CVC) does not match the card. Enter the card again.',
  processing_error: 'Your bank could not process the card. Try again in a moment.',
  fraudulent: 'Your bank declined this card. Try another card, or ask your bank.',
  authentication_required: 'Your bank requires you to confirm this payment. Try again.',
  authentication_failed: 'You did not confirm the payment with your bank. Try again.',
}

/**
 * The sentence for a buyer about a decline. A lost, stolen or suspicious card reads like any other,
 * so that a thief learns nothing.
 */
export function declineSentence(code: DeclineCode): string {
  return SENTENCES[code]
}
