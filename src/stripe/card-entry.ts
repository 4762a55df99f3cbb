import type { Card, CardEntryRequest } from '#domain/payments'
import { mintId } from '#platform/ids'
import { cardOf, idOf, whole } from './card.ts'
import { callStripe, type StripeParts } from './client.ts'
import { pageLocale } from './locale.ts'

/**
 * Opens Stripe's hosted page in setup mode: a card is entered, verified and stored by Stripe for a
 * new customer. The service never sees a card number.
 */
export async function openCardEntry(
  { stripe, random }: StripeParts,
  request: CardEntryRequest,
): Promise<{ id: string; url: string }> {
  const idempotencyKey = mintId(random, 'ce')
  const { note } = request
  const summary = [`${request.app_name}: ${request.product_name}.`, ...request.summary]
  const message = [...(note === undefined ? [] : [note]), ...summary].join(' ')
  const session = await callStripe(() =>
    stripe.checkout.sessions.create(
      {
        mode: 'setup',
        allowed_payment_method_types: ['card'],
        customer_creation: 'always',
        customer_email: request.email,
        billing_address_collection: 'required',
        custom_text: { submit: { message } },
        success_url: request.return_url,
        cancel_url: request.back_url,
        locale: pageLocale(request.language),
      },
      { idempotencyKey },
    ),
  )
  if (!session.url) throw new Error('Stripe opened a card entry and returned no URL')
  return { id: session.id, url: session.url }
}

/** The entered card; undefined until there is one. */
export async function readCardEntry(
  { stripe }: StripeParts,
  id: string,
): Promise<Card | undefined> {
  const session = await callStripe(() =>
    stripe.checkout.sessions.retrieve(id, { expand: ['setup_intent.payment_method'] }),
  )
  if (session.status !== 'complete') return undefined
  const customer = idOf(session.customer)
  const method = whole(whole(session.setup_intent)?.payment_method)
  if (!customer || !method) throw new Error('Stripe completed a card entry and returned no card')
  return cardOf(customer, method)
}
