import { ENGLISH, type Locale, type MessageId } from '#platform/language/locale'
import type { DeclineCode } from './processor.ts'

// A lost, stolen or suspicious card reads like any other, so that a thief learns nothing.
const MESSAGES = {
  generic_decline: 'decline.generic_decline',
  insufficient_funds: 'decline.insufficient_funds',
  lost_card: 'decline.generic_decline',
  stolen_card: 'decline.generic_decline',
  expired_card: 'decline.expired_card',
  incorrect_cvc: 'decline.incorrect_cvc',
  processing_error: 'decline.processing_error',
  fraudulent: 'decline.generic_decline',
  authentication_required: 'decline.authentication_required',
  authentication_failed: 'decline.authentication_failed',
} as const satisfies Record<DeclineCode, MessageId>

/** The sentence for a buyer about a decline. */
export function declineSentence(code: DeclineCode, { t }: Locale = ENGLISH): string {
  return t(MESSAGES[code])
}

const UNCONFIRMED: readonly DeclineCode[] = ['authentication_required', 'authentication_failed']

/** The title of a message about a decline. A bank that got no confirmation has declined nothing. */
export function declineTitle(code: DeclineCode, { t }: Locale = ENGLISH): string {
  return t(UNCONFIRMED.includes(code) ? 'decline.unconfirmed_title' : 'decline.title')
}

/** Whether another card comes first; if not, the same one pays once the buyer confirms. */
export function needsOtherCard(code: DeclineCode | null): boolean {
  return code === null || !UNCONFIRMED.includes(code)
}

const MAYBE_MISTYPED: readonly DeclineCode[] = ['incorrect_cvc', 'expired_card']

/** Whether the same card may work once it is entered correctly. */
export function mayBeMistyped(code: DeclineCode): boolean {
  return MAYBE_MISTYPED.includes(code)
}
