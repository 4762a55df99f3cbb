import * as payments from '#domain/payments'
import { ZERO } from '#platform/money'
import type { OwnCart } from './purchase.ts'

const NOTICES = ['changed', 'not_charged'] as const

/** Why the card of a cart was declined; undefined if it was not, or once there is another one. */
export function declineOf({ cart, attempt }: OwnCart): payments.DeclineCode | undefined {
  if (attempt?.status !== 'declined' || attempt.card.token !== cart.card?.token) return undefined
  return attempt.decline_code!
}

/** What the last button led to: a notice or, while the same card is on the page, its decline. */
export function alertOf(own: OwnCart, notice: string | undefined) {
  const { attempt, totals } = own
  const { locale } = own.purchase
  // The card was checked for a trial, and another purchase with the same card began one first.
  const isChanged = attempt?.amount === ZERO && totals.terms.due_now > ZERO
  const known = NOTICES.find((each) => each === (notice && isChanged ? 'changed' : notice))
  if (known) {
    const title = locale.t(`checkout.${known}_title`)
    return { needs_other_card: false, alert: { title, text: locale.t(`checkout.${known}_text`) } }
  }
  const code = declineOf(own)
  if (code === undefined) return { needs_other_card: false, alert: undefined }
  return {
    needs_other_card: payments.needsOtherCard(code),
    alert: {
      title: payments.declineTitle(code, locale),
      text: payments.declineSentence(code, locale),
    },
  }
}
