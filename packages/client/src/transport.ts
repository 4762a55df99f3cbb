/** One call to the service: a timeout, safe retries, and errors. */
import {
  InvalidRequestError,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  UnreachableError,
} from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>
export type Call = {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: object
  /** True if repeating the request has no further effect. */
  repeatable: boolean
}
export type Answer = { status: number; retry_after: number; body: object }

const PAUSES_MS = [150, 600]

/**
 * Sends a call and returns its 2xx response. A repeatable call is retried after a network error or
 * a 5xx, three attempts in all; `timeout_ms` limits all of them together. Throws PurserError.
 */
export async function send(fetch: Fetch, timeout_ms: number, call: Call): Promise<Answer> {
  const signal = AbortSignal.timeout(timeout_ms)
  for (let sent = 0; ; sent++) {
    try {
      return await attempt(fetch, signal, call)
    } catch (error) {
      const pause = PAUSES_MS[sent]
      const again = call.repeatable && error instanceof UnreachableError && !signal.aborted
      if (!again || pause === undefined) throw error
      await sleep(pause)
    }
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

async function attempt(fetch: Fetch, signal: AbortSignal, call: Call): Promise<Answer> {
  let response: Response
  let text: string
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(call.body && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body && { body: JSON.stringify(call.body) }),
      // A redirect would send the credentials elsewhere, and the service never redirects.
      redirect: 'manual',
      signal,
    })
    text = await response.text()
  } catch (error) {
    const reason = signal.aborted ? 'no answer in time' : networkCode(error)
    throw new UnreachableError(`The service could not be reached (${reason}).`, {
      status: null,
      code: 'unreachable',
      request_id: null,
    })
  }
  return read(response, jsonObject(text))
}

function read(response: Response, body: Record<string, unknown> | null): Answer {
  const { status } = response
  const retry_after =
    seconds(response.headers.get('retry-after')) ?? seconds(body?.retry_after) ?? 1
  if (response.ok && body) return { status, retry_after, body }

  const request_id = string(body?.request_id) ?? response.headers.get('x-request-id')
  const message =
    string(body?.message) ?? `Not an answer of the service (status ${status}): check base_url.`
  const details = { status, code: string(body?.error) ?? 'unexpected_answer', request_id }
  if (status >= 500) throw new UnreachableError(message, { ...details, code: 'unreachable' })
  if (status === 429) {
    throw new RateLimitedError(message, { ...details, code: 'rate_limited', retry_after })
  }
  if (details.code === 'invalid_request') {
    const fields = Array.isArray(body?.fields) ? body.fields : []
    throw new InvalidRequestError(message, { ...details, fields })
  }
  if (details.code === 'service_not_enabled') throw new ServiceNotEnabledError(message, details)
  throw new PurserError(message, details)
}

/** The error's own code only: other fields may quote the request, and with it the secret. */
function networkCode(error: unknown): string {
  const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } }
  const name = String(cause?.code ?? code)
  return /^[A-Z][A-Z0-9_]+$/.test(name) ? name : 'network fault'
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

function string(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function seconds(value: unknown): number | null {
  const count = value === null || value === '' ? Number.NaN : Number(value)
  return Number.isFinite(count) && count >= 0 ? count : null
}
