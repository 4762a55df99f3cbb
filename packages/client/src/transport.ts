/** One call to the service: a timeout, safe retries that obey Retry-After, and errors. */
import {
  InsufficientScopeError,
  InvalidRequestError,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  UnreachableError,
} from './errors.ts'
import { createQueue } from './flight.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type Call = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON, or as a form. */
  body?: object | URLSearchParams
  /** True if repeating the request has no further effect. */
  repeatable: boolean
  /** How often a repeatable call is retried. Default 2. */
  retries?: number | undefined
  /** The rate limit that the call counts against: after a 429, all its calls wait. */
  limit?: string
}

/** A 2xx response; `retry_after` is in seconds. */
export type Answer = { status: number; retry_after: number; body: Record<string, unknown> }

export type Send = (call: Call) => Promise<Answer>

export type TransportOptions = {
  fetch: Fetch | undefined
  /** Limits a call with all its retries and waits. Default 10,000. */
  timeout_ms: number | undefined
  /** How many requests run at once. Default 20. */
  max_in_flight?: number | undefined
}

export const TIMEOUT_MS = 10_000

const BACKOFF_MS = [100, 400]

/**
 * Returns the function that sends calls. A repeatable call is retried after a network error, a 5xx
 * or a 429, three attempts in all, and never before its Retry-After. If that is after the timeout,
 * it throws at once. Throws PurserError.
 */
export function createTransport(options: TransportOptions): Send {
  const { timeout_ms = TIMEOUT_MS, max_in_flight = 20 } = options
  requireNumber('timeout_ms', timeout_ms, 1)
  requireNumber('max_in_flight', max_in_flight, 1)
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const enqueue = createQueue(max_in_flight, timeout_ms)
  /** When each rate limit that was exceeded accepts calls again, in milliseconds since 1970. */
  const limited_until = new Map<string, number>()

  /** Milliseconds until the limit of a call accepts it. */
  const waitOf = ({ limit = '' }: Call) => (limited_until.get(limit) ?? 0) - Date.now()

  return async function send(call) {
    const signal = AbortSignal.timeout(timeout_ms)
    const give_up_at = Date.now() + timeout_ms
    const retries = call.repeatable ? (call.retries ?? BACKOFF_MS.length) : 0
    for (let sent = 0; ; sent++) {
      const wait = waitOf(call)
      if (wait > 0) {
        if (retries === 0 || Date.now() + wait > give_up_at) throw limitedFor(wait)
        await sleep(jittered(wait, 0.1))
      }
      try {
        return await enqueue(signal, () => attempt(fetch, signal, call))
      } catch (error) {
        const problem = signal.aborted && !(error instanceof PurserError) ? late() : error
        const pause = pauseAfter(problem, sent)
        if (call.limit !== undefined && problem instanceof RateLimitedError) {
          limited_until.set(call.limit, Date.now() + problem.retry_after * 1000)
        }
        const is_last = sent >= retries || signal.aborted
        if (is_last || pause === null || Date.now() + pause > give_up_at) throw problem
        await sleep(pause)
      }
    }
  }
}

/** Milliseconds to wait before the next attempt; null after an error that a retry cannot change. */
function pauseAfter(error: unknown, sent: number): number | null {
  if (error instanceof RateLimitedError) return jittered(error.retry_after * 1000, 0.1)
  if (!(error instanceof UnreachableError)) return null
  return Math.max(jittered(BACKOFF_MS[sent] ?? 1000, 1), (error.retry_after ?? 0) * 1000)
}

/** A duration with up to `part` of it added, so that many callers do not retry at once. */
function jittered(milliseconds: number, part: number): number {
  return milliseconds * (1 + part * Math.random())
}

/** Throws TypeError unless an option is a number in its limits. */
export function requireNumber(
  name: string,
  value: number,
  least: number,
  most = Number.POSITIVE_INFINITY,
): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  const limits = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
  // A setting of the environment is a string, which looks like the number that it has to be.
  throw new TypeError(`${name} must be a number, ${limits}; it is ${value} (${typeof value})`)
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

async function attempt(fetch: Fetch, signal: AbortSignal, call: Call): Promise<Answer> {
  const { body } = call
  const is_form = body instanceof URLSearchParams
  let response: Response
  let text: string
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(body && {
          'content-type': `application/${is_form ? 'x-www-form-urlencoded' : 'json'}`,
        }),
        ...call.headers,
      },
      ...(body && { body: is_form ? body.toString() : JSON.stringify(body) }),
      // A redirect would send the credentials elsewhere, and the service never redirects.
      redirect: 'manual',
      ...(call.headers && uncached()),
      signal,
    })
    text = await response.text()
  } catch (error) {
    throw signal.aborted ? late() : unreachable(networkCode(error))
  }
  return read(response, jsonObject(text))
}

/**
 * Frameworks that replace fetch may cache what has credentials. Older edge runtimes refuse the
 * option, and have no such cache.
 */
function uncached(): RequestInit {
  return 'cache' in Request.prototype ? { cache: 'no-store' } : {}
}

function read(response: Response, body: Record<string, unknown> | null): Answer {
  const { status } = response
  const header = response.headers.get('retry-after')
  const named = seconds(header) ?? secondsUntil(header) ?? seconds(body?.retry_after)
  const retry_after = named ?? 1
  if (response.ok && body) return { status, retry_after, body }

  const request_id = string(body?.request_id) ?? response.headers.get('x-request-id')
  const message =
    string(body?.message) ?? string(body?.error_description) ?? unexpected(status).message
  const details = { status, code: string(body?.error) ?? 'unexpected_answer', request_id }
  if (status >= 500) {
    throw new UnreachableError(message, { ...details, code: 'unreachable', retry_after: named })
  }
  if (status === 429) {
    throw new RateLimitedError(message, { ...details, code: 'rate_limited', retry_after })
  }
  switch (details.code) {
    case 'invalid_request': {
      const fields = Array.isArray(body?.fields) ? body.fields : []
      throw new InvalidRequestError(message, { ...details, fields })
    }
    case 'insufficient_scope':
      throw new InsufficientScopeError(message, { ...details, scope: string(body?.scope) ?? '' })
    case 'service_not_enabled':
      throw new ServiceNotEnabledError(message, details)
    default:
      throw new PurserError(message, details)
  }
}

/** The error of a response that is not what the endpoint returns. */
export function unexpected(status: number): PurserError {
  return new PurserError(
    `The response is not from the service (status ${status}): check base_url.`,
    { status, code: 'unexpected_answer' },
  )
}

function unreachable(reason: string): UnreachableError {
  const message = `The service could not be reached (${reason}).`
  return new UnreachableError(message, { code: 'unreachable' })
}

/** The error of a call that took too long. */
export const late = () => unreachable('no answer in time')

function limitedFor(wait: number): RateLimitedError {
  const retry_after = Math.ceil(wait / 1000)
  return new RateLimitedError(`Too many requests. Try again in ${retry_after} s.`, {
    status: 429,
    code: 'rate_limited',
    retry_after,
  })
}

/** The error's own code only: other fields may quote the request, and with it the secret. */
function networkCode(error: unknown): string {
  const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } }
  const name = String(cause?.code ?? code)
  return /^[A-Z]\w{1,40}$/.test(name) ? name : 'network fault'
}

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** A non-empty string, or null. */
export function string(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function seconds(value: unknown): number | null {
  const count = value === null || value === '' ? Number.NaN : Number(value)
  return Number.isFinite(count) && count >= 0 ? count : null
}

/** The seconds until an HTTP date, which proxies use in Retry-After (RFC 9110, section 10.2.3). */
function secondsUntil(date: string | null): number | null {
  return seconds(Math.max(0, Date.parse(date ?? '') - Date.now()) / 1000)
}
