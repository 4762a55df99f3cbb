import type { Card, PortalRequest } from '#domain/payments'
import { mintId } from '#platform/ids'
import { cardOf, readToken, whole } from './card.ts'
import { callStripe, type StripeParts } from './client.ts'
import { pageLocale } from './locale.ts'
import * as portals from './portals.ts'

/** Opens Stripe's billing portal with the card on file as the customer's default. */
export async function openPortal(
  { stripe, db, random }: StripeParts,
  now: Date,
  { card_token, return_url, language }: PortalRequest,
): Promise<{ id: string; url: string }> {
  const { customer, payment_method } = readToken(card_token)
  const key = mintId(random, 'portal')
  await callStripe(() =>
    stripe.customers.update(
      customer,
      { invoice_settings: { default_payment_method: payment_method } },
      { idempotencyKey: `${key}:card` },
    ),
  )
  const { id, url } = await callStripe(() =>
    stripe.billingPortal.sessions.create(
      { customer, return_url, locale: pageLocale(language) },
      { idempotencyKey: key },
    ),
  )
  await portals.open(db, now, { id, card_token })
  return { id, url }
}

/** The card that the buyer made the default; undefined if it is still the card on file. */
export async function readPortal(
  { stripe, db }: StripeParts,
  id: string,
): Promise<Card | undefined> {
  const portal = await portals.find(db, id)
  if (!portal) return undefined
  const { customer, payment_method } = readToken(portal.card_token)
  const expand = ['invoice_settings.default_payment_method']
  const found = await callStripe(() => stripe.customers.retrieve(customer, { expand }))
  if (found.deleted) return undefined
  const method = whole(found.invoice_settings.default_payment_method)
  return method && method.id !== payment_method ? cardOf(customer, method) : undefined
}
