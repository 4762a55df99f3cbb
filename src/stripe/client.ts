import { Stripe } from 'stripe'
import { KeyConflict, ProcessorRefused, ProcessorUnreachable } from '#domain/payments'
import { raiseAlarm } from '#platform/alarms'
import type { Clock } from '#platform/clock'
import { assertNoTransaction, type Database } from '#platform/db'
import type { Log } from '#platform/log'
import type { Random } from '#platform/random'

/** The account at Stripe, as the settings name it. */
export interface StripeSettings {
  secret_key: string
  /** Secrets of the endpoints for Stripe's events: the account's own, and that of Connect. */
  webhook_secrets: string[]
  /** Where Stripe's API is; undefined: where it really is. */
  api_base: string | undefined
}

/** What the adapter works with. */
export interface StripeParts {
  settings: StripeSettings
  stripe: Stripe
  db: Database
  clock: Clock
  random: Random
  log: Log
}

// Longer than a bank takes, and shorter than a buyer waits.
const TIMEOUT_MS = 25_000

/**
 * Stripe's own library. It never retries, except for a connection that was closed under
 * it; that is safe, as every request that writes has a key of ours.
 */
export function openClient({ secret_key, api_base }: StripeSettings): Stripe {
  const base = new URL(api_base ?? 'https://api.stripe.com')
  const protocol = base.protocol === 'http:' ? 'http' : 'https'
  return new Stripe(secret_key, {
    host: base.hostname,
    port: base.port || (protocol === 'http' ? 80 : 443),
    protocol,
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
  })
}

/**
 * Asks Stripe. An answer that says nothing about what was asked (a fault of the network or of
 * Stripe, a key that is in use at this moment, our credentials refused) is ProcessorUnreachable, a
 * key that said something else before KeyConflict; a refusal is thrown as Stripe words it, for the
 * caller to read. `guarded` catches those that no caller expected.
 */
export async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  assertNoTransaction('Stripe was asked')
  try {
    return await call()
  } catch (error) {
    throw translated(error)
  }
}

type Refusal = InstanceType<typeof Stripe.errors.StripeInvalidRequestError>

/** A request that Stripe understood and refused; nothing came of it. */
export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Stripe.errors.StripeInvalidRequestError
}

function translated(error: unknown): unknown {
  const { errors } = Stripe
  if (!(error instanceof errors.StripeError)) return error
  if (error instanceof errors.StripeIdempotencyError) {
    const message = 'this key was used for a request that said something else'
    return new KeyConflict(message, { cause: error })
  }
  const says = [errors.StripeCardError, errors.StripeInvalidRequestError]
  if (says.some((kind) => error instanceof kind)) return error
  return new ProcessorUnreachable(`Stripe did not answer: ${error.message}`, { cause: error })
}

/**
 * Runs an operation of a port. What Stripe refused and the adapter has no answer for is a fault of
 * our request or of the account's settings: it is logged, alarms staff, and is reported in the
 * port's own words, as a status of Stripe's says nothing to our caller.
 */
export async function guarded<Answer>(
  parts: Pick<StripeParts, 'db' | 'clock' | 'random' | 'log'>,
  operation: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    await reportRefusal(parts, operation, error)
    throw new ProcessorRefused(`Stripe refused ${operation}: ${error.message}`)
  }
}

/** Logs a refusal of a request of ours and alarms staff. */
export async function reportRefusal(
  { db, clock, random, log }: Pick<StripeParts, 'db' | 'clock' | 'random' | 'log'>,
  operation: string,
  error: Refusal | InstanceType<typeof Stripe.errors.StripeError>,
): Promise<void> {
  const { message, code, param, requestId: stripe_request_id } = error
  log.error({ operation, message, code, param, stripe_request_id }, 'Stripe refused our request')
  await raiseAlarm(db, random, clock.now(), {
    kind: 'processor_refused',
    subject: operation,
    message:
      `Stripe refused a request of ours (${operation}): ${message} ` +
      'Run npm run stripe:check, and look the request up in Stripe under Developers, Logs.',
  })
}
