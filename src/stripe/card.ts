import type { Stripe } from 'stripe'
import type { Card } from '#domain/payments'

/** A stored card: the customer and the payment method. */
export interface CardHandle {
  customer: string
  payment_method: string
}

const TOKEN = /^(cus_\w+)\/(\w+)$/

/** Whether a token is of a card stored at Stripe, rather than at an earlier processor. */
export function isToken(token: string): boolean {
  return TOKEN.test(token)
}

/** The customer and payment method of a token. */
export function readToken(token: string): CardHandle {
  const [, customer, payment_method] = TOKEN.exec(token) ?? []
  if (!customer || !payment_method) throw new Error('this card was kept by another processor')
  return { customer, payment_method }
}

/**
 * The card for the service. If no billing address was requested, the issuing bank's country is
 * used.
 */
export function cardOf(customer: string, method: Stripe.PaymentMethod): Card | undefined {
  const { card, billing_details } = method
  if (!card) return undefined
  const { country, postal_code } = billing_details.address ?? {}
  return {
    token: `${customer}/${method.id}`,
    brand: card.brand,
    last4: card.last4,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    billing_country: country ?? card.country ?? '',
    billing_zip: postal_code?.slice(0, 5) ?? '',
    issuer_country: card.country ?? '',
    fingerprint: card.fingerprint ?? method.id,
  }
}

/** The ID of an object that Stripe returns expanded or as an ID. */
export function idOf(object: string | { id: string } | null): string | undefined {
  return typeof object === 'string' ? object : object?.id
}

/** An expanded object; undefined if Stripe returned only the ID, or nothing. */
export function whole<Whole extends object>(object: string | Whole | null | undefined) {
  return typeof object === 'string' ? undefined : (object ?? undefined)
}
