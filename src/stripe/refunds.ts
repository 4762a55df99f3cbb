import type { Stripe } from 'stripe'
import type { RefundAnswer, RefundRequest } from '#domain/payments'
import { isRefusal, type StripeParts } from './client.ts'
import { sendOnce } from './idempotent-requests.ts'

/** Refunds a charge. */
export async function refund(
  parts: StripeParts,
  now: Date,
  { key, ...body }: RefundRequest,
): Promise<RefundAnswer> {
  const { refunds } = parts.stripe
  const { charge_id: payment_intent, amount } = body
  const metadata = { key }
  try {
    const made = await sendOnce(
      parts,
      now,
      { key, kind: 'refund', body },
      {
        create: () => refunds.create({ payment_intent, amount, metadata }, { idempotencyKey: key }),
        retrieve: (id) => refunds.retrieve(id),
        list: () => refunds.list({ payment_intent, limit: 100 }),
      },
    )
    return answerOf(made)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { status: 'refused', reason: error.message }
  }
}

function answerOf({ id, status, failure_reason }: Stripe.Refund): RefundAnswer {
  if (status === 'failed' || status === 'canceled') {
    return { status: 'refused', reason: failure_reason ?? status }
  }
  return { status: status === 'succeeded' ? 'succeeded' : 'pending', refund_id: id }
}
