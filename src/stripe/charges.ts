import { Stripe } from 'stripe'
import {
  type ChargeAnswer,
  type ChargeRequest,
  KeyConflict,
  ProcessorUnreachable,
} from '#domain/payments'
import { cents } from '#platform/money'
import { isToken } from './card.ts'
import { ask, isRefusal, reportRefusal, type StripeParts } from './client.ts'
import { declineOf } from './declines.ts'
import { type Intent, type IntentCalls, type IntentRequest, intentCalls } from './intents.ts'
import { find as findMade, make } from './once.ts'
import * as requests from './requests.ts'

const CLOSED = { status: 'closed' } as const
/** Stripe's least for a charge in US dollars. */
export const SMALLEST_CHARGE = cents(50)

// Known before anything is asked, so no fault of the account's settings.
const TOO_SMALL = 'amount_too_small'

/** Asks for money. */
export async function charge(
  parts: StripeParts,
  now: Date,
  { key, currency: _, ...body }: ChargeRequest,
): Promise<ChargeAnswer> {
  if (body.amount < 0) throw new RangeError('a charge takes no negative amount')
  // Kept before the settings named Stripe: it needs another card, as one that is gone does.
  if (!isToken(body.card_token)) return { status: 'declined', decline_code: 'lost_card' }
  const request = await requests.begin(parts.db, now, { key, kind: 'charge', body })
  if (request.closed_at) return CLOSED
  const calls = intentCalls(parts.stripe, key, body)
  try {
    return answerOf(await make(parts, request, calls))
  } catch (error) {
    if (!(error instanceof KeyConflict)) return await refused(parts, error)
    // Our record says the same, so the key was taken meanwhile to close it.
    const taken = await findMade(parts, request, calls)
    if (!taken) throw error
    return answerOf(taken)
  }
}

/** What became of a key. Stripe is only read: nothing is charged by looking. */
export async function find(parts: StripeParts, key: string): Promise<ChargeAnswer | undefined> {
  const request = await requests.find<IntentRequest>(parts.db, key)
  if (!request) return undefined
  if (request.closed_at || request.body === null) return CLOSED
  const calls = intentCalls(parts.stripe, key, request.body)
  try {
    const intent = await findMade(parts, request, calls)
    return intent && answerOf(intent)
  } catch (error) {
    return await refused(parts, error)
  }
}

/** Makes sure that nothing more can come of a key. */
export async function close(parts: StripeParts, now: Date, key: string): Promise<ChargeAnswer> {
  const request = await requests.closeUnsent<IntentRequest>(parts.db, now, key)
  if (request.closed_at || request.body === null) return CLOSED
  const calls = intentCalls(parts.stripe, key, request.body)
  const answer = await closeAsked(parts, request, calls)
  if (answer.status === 'closed' || answer.status === 'refused')
    await requests.close(parts.db, now, key)
  return answer
}

async function closeAsked(
  parts: StripeParts,
  request: requests.Request<IntentRequest>,
  calls: IntentCalls,
): Promise<ChargeAnswer> {
  try {
    const intent = await findMade(parts, request, calls)
    return intent ? await end(calls, intent) : await takeKey(parts, request, calls)
  } catch (error) {
    return await refused(parts, error)
  }
}

/** Cancels what waits for its buyer; what ended while it was canceled answers as it ended. */
async function end(calls: IntentCalls, intent: Intent): Promise<ChargeAnswer> {
  if (intent.status !== 'requires_action' && !isUnconfirmed(intent)) return answerOf(intent)
  try {
    return answerOf(await ask(() => calls.cancel(intent.id)))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return answerOf(await ask(() => calls.retrieve(intent.id)))
  }
}

/**
 * Closes a key that Stripe has nothing of. The request may be under way still, so its key is taken
 * by one that is never confirmed; if it arrived after all, Stripe says so and returns its answer.
 */
async function takeKey(
  parts: StripeParts,
  request: requests.Request<IntentRequest>,
  calls: IntentCalls,
): Promise<ChargeAnswer> {
  try {
    return await end(calls, await ask(() => calls.reserve()))
  } catch (error) {
    if (!(error instanceof KeyConflict)) throw error
  }
  const arrived = await findMade(parts, request, calls)
  if (arrived) return await end(calls, arrived)
  try {
    return answerOf(await ask(() => calls.create()))
  } catch (error) {
    // Stripe failed, made nothing, and answers that for as long as it keeps the key.
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
 * What Stripe refuses without making anything of it: a card that its bank declines or that is gone,
 * or the request itself (`amount_too_small`).
 */
async function refused(parts: StripeParts, error: unknown): Promise<ChargeAnswer> {
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
      if (!action_url) throw new Error('Stripe wants the buyer to act and does not say where')
      return { status: 'action_required', action_url }
    }
    case 'requires_payment_method':
      // An intent that was never confirmed only uses a key that was closed.
      return isUnconfirmed(intent)
        ? CLOSED
        : { status: 'declined', decline_code: declineOf(errorOf(intent)) }
    case 'canceled':
      return CLOSED
    default:
      throw new ProcessorUnreachable(`Stripe is still at it: ${intent.status}`)
  }
}

/** An intent that only uses a key: no card was tried with it. */
function isUnconfirmed(intent: Intent): boolean {
  return intent.status === 'requires_payment_method' && !errorOf(intent)
}

function errorOf(intent: Intent) {
  return intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error
}
