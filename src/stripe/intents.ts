import { Stripe } from 'stripe'
import type { ChargeRequest } from '#domain/payments'
import { readToken } from './card.ts'
import type { RequestCalls } from './idempotent-requests.ts'

/** A charge request at Stripe; with an amount of zero, a card check. */
export type Intent = Stripe.PaymentIntent | Stripe.SetupIntent

/** The stored part of a charge request. */
export type IntentRequest = Omit<ChargeRequest, 'key' | 'currency'>

export interface IntentCalls extends RequestCalls<Intent> {
  /** Takes the key with an intent that is never confirmed, so that a late request is refused. */
  reserve(): Promise<Intent>
  cancel(id: string): Promise<Intent>
}

/** The calls for a request: payment intents charge, setup intents verify a card. */
export function intentCalls(stripe: Stripe, key: string, requested: IntentRequest): IntentCalls {
  return requested.amount > 0
    ? paymentCalls(stripe, key, requested)
    : setupCalls(stripe, key, requested)
}

function paymentCalls(stripe: Stripe, key: string, requested: IntentRequest): IntentCalls {
  const { paymentIntents } = stripe
  const { customer, payment_method } = readToken(requested.card_token)
  const fields = {
    amount: requested.amount,
    currency: 'usd',
    allowed_payment_method_types: ['card' as const],
    customer,
    description: requested.description,
    metadata: { key },
    ...(requested.statement_suffix
      ? { statement_descriptor_suffix: requested.statement_suffix }
      : {}),
  }
  const buyer = requested.off_session ? { off_session: true } : { return_url: requested.return_url }
  return {
    create: () =>
      intentOf(
        paymentIntents.create(
          { ...fields, payment_method, confirm: true, ...buyer },
          { idempotencyKey: key },
        ),
      ),
    reserve: () => paymentIntents.create(fields, { idempotencyKey: key }),
    retrieve: (id) => paymentIntents.retrieve(id),
    list: () => paymentIntents.list({ customer, limit: 100 }),
    cancel: (id) => paymentIntents.cancel(id, {}, { idempotencyKey: `${key}:cancel` }),
  }
}

function setupCalls(stripe: Stripe, key: string, requested: IntentRequest): IntentCalls {
  const { setupIntents } = stripe
  const { customer, payment_method } = readToken(requested.card_token)
  const fields = {
    usage: 'off_session' as const,
    allowed_payment_method_types: ['card' as const],
    customer,
    description: requested.description,
    metadata: { key },
  }
  const { return_url } = requested
  return {
    create: () =>
      intentOf(
        setupIntents.create(
          { ...fields, payment_method, confirm: true, return_url },
          { idempotencyKey: key },
        ),
      ),
    reserve: () => setupIntents.create(fields, { idempotencyKey: key }),
    retrieve: (id) => setupIntents.retrieve(id),
    list: () => setupIntents.list({ customer, limit: 100 }),
    cancel: (id) => setupIntents.cancel(id, {}, { idempotencyKey: `${key}:cancel` }),
  }
}

/** The intent of a response, including declines, which Stripe returns as errors. */
async function intentOf(answer: Promise<Intent>): Promise<Intent> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeCardError)) throw error
    const intent = (error.payment_intent ?? error.setup_intent) as Intent | undefined
    if (!intent) throw error
    return intent
  }
}
