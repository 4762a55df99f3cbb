import { Stripe } from 'stripe'
import { KeyConflict, ProcessorRefused, ProcessorUnreachable } from '#domain/payments'
import { raiseAlarm } from '#platform/alarms'
import type { Clock } from '#platform/clock'
import { assertNoTransaction, type Database } from '#platform/db'
import type { Log } from '#platform/log'
import type { Random } from '#platform/random'

/** The Stripe account, from the settings. */
export interface StripeSettings {
  secret_key: string
  /** The signing secrets of the event endpoints: the account's own, and that of Connect. */
  webhook_secrets: string[]
  /** The URL of Stripe's API; undefined means Stripe's own. */
  api_base: string | undefined
}

/** What the adapter needs. */
export interface StripeParts {
  settings: StripeSettings
  stripe: Stripe
  db: Database
  clock: Clock
  random: Random
  log: Log
}

/** The URL of Stripe's API, where the settings name no other. */
export const STRIPE_URL = 'https://api.stripe.com'

// Longer than a bank takes, and shorter than a buyer waits.
const TIMEOUT_MS = 25_000

/**
 * Stripe's library. It only retries if a connection was closed, which is safe, because every write
 * has an idempotency key.
 */
export function openClient({ secret_key, api_base }: StripeSettings): Stripe {
  const base = new URL(api_base ?? STRIPE_URL)
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
 * Calls Stripe. Errors that leave the result unknown (network errors, server errors, a key in use,
 * rejected credentials) throw ProcessorUnreachable; a key that was used for another request throws
 * KeyConflict. Refusals are thrown unchanged, for the caller to handle; `reportingRefusals` reports
 * those that no caller handles.
 */
export async function callStripe<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  assertNoTransaction('Stripe was called')
  try {
    return await call()
  } catch (error) {
    throw portErrorOf(error)
  }
}

/** The payee's account was closed or rejected: no repetition of the request changes that. */
const REVOKED = 'account_invalid'

export type Refusal = InstanceType<typeof Stripe.errors.StripeInvalidRequestError>

/** Whether Stripe understood the request and refused it; nothing was created. */
export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Stripe.errors.StripeInvalidRequestError
}

function portErrorOf(error: unknown): unknown {
  const { errors } = Stripe
  if (!(error instanceof errors.StripeError)) return error
  if (error instanceof errors.StripeIdempotencyError) {
    const message = 'this idempotency key was used for a different request'
    return new KeyConflict(message, { cause: error })
  }
  const refusals = [errors.StripeCardError, errors.StripeInvalidRequestError]
  if (refusals.some((kind) => error instanceof kind)) return error
  if (error instanceof errors.StripePermissionError && error.code === REVOKED) return error
  return new ProcessorUnreachable(`Stripe did not answer: ${error.message}`, { cause: error })
}

/**
 * Runs an operation of a port. A refusal that the adapter does not handle is a problem with our
 * request or with the account's settings: it is logged, raises an alarm, and is thrown as an error
 * of the port.
 */
export async function reportingRefusals<Answer>(
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

/** Logs a refusal and raises an alarm for staff. */
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
      `Stripe refused one of our requests (${operation}): ${message} ` +
      'Run npm run stripe:check, and find the request in Stripe under Developers → Logs.',
  })
}
