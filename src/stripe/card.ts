import type { Stripe } from 'stripe'
import type { Card } from '#domain/payments'

/** A card as it is charged: of which customer, and which card. */
export interface CardHandle {
  customer: string
  payment_method: string
}

const TOKEN = /^(cus_\w+)\/(\w+)$/

/** Whether a card was kept by Stripe, and not by a processor before it. */
export function isToken(token: string): boolean {
  return TOKEN.test(token)
}

/** The handle of a token. */
export function readToken(token: string): CardHandle {
  const [, customer, payment_method] = TOKEN.exec(token) ?? []
  if (!customer || !payment_method) throw new Error('this card was kept by another processor')
  return { customer, payment_method }
}

/** What the service may know of a card. Without a requested address, the bank's country is used. */
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

/** The ID of an object that Stripe returns by its ID or expanded. */
export function idOf(object: string | { id: string } | null): string | undefined {
  return typeof object === 'string' ? object : object?.id
}

/** An object that Stripe was asked to expand; undefined if it returned only the ID, or nothing. */
export function whole<Whole extends object>(object: string | Whole | null | undefined) {
  return typeof object === 'string' ? undefined : (object ?? undefined)
}
