import { Stripe } from 'stripe'
import {
  type ChargeAnswer,
  type ChargeRequest,
  KeyConflict,
  ProcessorUnreachable,
} from '#domain/payments'
import { cents } from '#platform/money'
import { isToken } from './card.ts'
import { callStripe, isRefusal, reportRefusal, type StripeParts } from './client.ts'
import { declineOf } from './declines.ts'
import { findCreated as findMade, sendRecorded } from './idempotent-requests.ts'
import { type Intent, type IntentCalls, type IntentRequest, intentCalls } from './intents.ts'
import * as requests from './requests.ts'

const CLOSED = { status: 'closed' } as const
/** Stripe's minimum charge in US dollars. */
export const SMALLEST_CHARGE = cents(50)
/** Four processes stay below the hundred requests a second that Stripe accepts from an account. */
export const RENEWALS_AT_ONCE = 16

// Expected, so it does not indicate a problem with the account's settings.
const TOO_SMALL = 'amount_too_small'

/** Charges a card. */
export async function charge(
  parts: StripeParts,
  now: Date,
  { key, currency: _, ...body }: ChargeRequest,
): Promise<ChargeAnswer> {
  if (body.amount < 0) throw new RangeError('the amount of a charge must not be negative')
  // The card was stored before Stripe was configured, so the buyer must enter one again.
  if (!isToken(body.card_token)) return { status: 'declined', decline_code: 'lost_card' }
  const request = await requests.record(parts.db, now, { key, kind: 'charge', body })
  if (request.closed_at) return CLOSED
  const calls = intentCalls(parts.stripe, key, body)
  try {
    return answerOf(await sendRecorded(parts, request, calls))
  } catch (error) {
    if (!(error instanceof KeyConflict)) return await answerOfRefusal(parts, error)
    // Our record has the same request, so its key was closed since.
    const taken = await findMade(parts, request, calls)
    if (!taken) throw error
    return answerOf(taken)
  }
}

/** The result of the request with this key. Only reads from Stripe. */
export async function find(parts: StripeParts, key: string): Promise<ChargeAnswer | undefined> {
  const request = await requests.find<IntentRequest>(parts.db, key)
  if (!request) return undefined
  if (request.closed_at || request.body === null) return CLOSED
  const calls = intentCalls(parts.stripe, key, request.body)
  try {
    const intent = await findMade(parts, request, calls)
    return intent && answerOf(intent)
  } catch (error) {
    return await answerOfRefusal(parts, error)
  }
}

/** Ensures that no charge can result from a key any longer. */
export async function close(parts: StripeParts, now: Date, key: string): Promise<ChargeAnswer> {
  const request = await requests.closeUnsent<IntentRequest>(parts.db, now, key)
  if (request.closed_at || request.body === null) return CLOSED
  const calls = intentCalls(parts.stripe, key, request.body)
  const answer = await closeRequested(parts, request, calls)
  if (answer.status === 'closed' || answer.status === 'refused')
    await requests.close(parts.db, now, key)
  return answer
}

async function closeRequested(
  parts: StripeParts,
  request: requests.Request<IntentRequest>,
  calls: IntentCalls,
): Promise<ChargeAnswer> {
  try {
    const intent = await findMade(parts, request, calls)
    return intent ? await endIntent(calls, intent) : await reserveKey(parts, request, calls)
  } catch (error) {
    return await answerOfRefusal(parts, error)
  }
}

/** Cancels a pending intent; if it has ended, returns its result. */
async function endIntent(calls: IntentCalls, intent: Intent): Promise<ChargeAnswer> {
  if (intent.status !== 'requires_action' && !isUnconfirmed(intent)) return answerOf(intent)
  try {
    return answerOf(await callStripe(() => calls.cancel(intent.id)))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return answerOf(await callStripe(() => calls.retrieve(intent.id)))
  }
}

/**
 * Closes a key that Stripe does not know. The request may still be on its way, so an intent that is
 * never confirmed takes the key; if the request arrived after all, Stripe returns its result.
 */
async function reserveKey(
  parts: StripeParts,
  request: requests.Request<IntentRequest>,
  calls: IntentCalls,
): Promise<ChargeAnswer> {
  try {
    return await endIntent(calls, await callStripe(() => calls.reserve()))
  } catch (error) {
    if (!(error instanceof KeyConflict)) throw error
  }
  const arrived = await findMade(parts, request, calls)
  if (arrived) return await endIntent(calls, arrived)
  try {
    return answerOf(await callStripe(() => calls.create(request)))
  } catch (error) {
    // Stripe failed without creating anything, and repeats that answer as long as it stores the
    // key.
    if (isReplayedFault(error)) return CLOSED
    throw error
  }
}

function isReplayedFault(error: unknown): boolean {
  const { cause } = error instanceof ProcessorUnreachable ? error : {}
  return (
    cause instanceof Stripe.errors.StripeAPIError &&
    cause.headers?.['idempotent-replayed'] === 'true'
  )
}

/**
 * Refusals after which nothing exists at Stripe: a declined or deleted card, or an invalid request
 * (`amount_too_small`).
 */
async function answerOfRefusal(parts: StripeParts, error: unknown): Promise<ChargeAnswer> {
  if (error instanceof Stripe.errors.StripeCardError) {
    return { status: 'declined', decline_code: declineOf(error) }
  }
  if (isRefusal(error) && (error.param === 'payment_method' || error.param === 'customer')) {
    return { status: 'declined', decline_code: 'lost_card' }
  }
  if (isRefusal(error)) {
    if (error.code !== TOO_SMALL) await reportRefusal(parts, 'a charge', error)
    return { status: 'refused', reason: error.code ?? error.message }
  }
  throw error
}

function answerOf(intent: Intent): ChargeAnswer {
  switch (intent.status) {
    case 'succeeded':
      return { status: 'succeeded', charge_id: intent.id }
    case 'requires_action': {
      const action_url = intent.next_action?.redirect_to_url?.url
      if (!action_url) throw new Error('Stripe requires an action of the buyer and returned no URL')
      return { status: 'action_required', action_url }
    }
    case 'requires_payment_method':
      // An intent that was never confirmed only takes a key that was closed.
      return isUnconfirmed(intent)
        ? CLOSED
        : { status: 'declined', decline_code: declineOf(errorOf(intent)) }
    case 'canceled':
      return CLOSED
    default:
      throw new ProcessorUnreachable(`Stripe is still processing: ${intent.status}`)
  }
}

/** Whether an intent only takes a key: no card was charged with it. */
function isUnconfirmed(intent: Intent): boolean {
  return intent.status === 'requires_payment_method' && !errorOf(intent)
}

function errorOf(intent: Intent) {
  return intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error
}
