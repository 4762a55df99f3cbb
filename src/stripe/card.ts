import type { Stripe } from 'stripe'
import type { Card } from '#domain/payments'

/** A card as it is charged: whose it is, and which of his. */
export interface CardHandle {
  customer: string
  payment_method: string
}

const TOKEN = /^(cus_\w+)\/(\w+)$/

/** Tells whether a card was kept by Stripe, and not by a processor before it. */
export function isToken(token: string): boolean {
  return TOKEN.test(token)
}

/** The handle that a token stands for. */
export function readToken(token: string): CardHandle {
  const [, customer, payment_method] = TOKEN.exec(token) ?? []
  if (!customer || !payment_method) throw new Error('this card was kept by another processor')
  return { customer, payment_method }
}

/** What the service may know of a card. The bank's country stands in where no address was asked. */
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

/** The id of what Stripe tells by its id or as a whole. */
export function idOf(object: string | { id: string } | null): string | undefined {
  return typeof object === 'string' ? object : object?.id
}

/** What Stripe was asked to tell as a whole; undefined where it told only the id, or nothing. */
export function whole<Whole extends object>(object: string | Whole | null | undefined) {
  return typeof object === 'string' ? undefined : (object ?? undefined)
}
