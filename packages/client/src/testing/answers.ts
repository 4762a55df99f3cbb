/** How the service words its responses. */
import { base64url } from '../signed.ts'

/** The refusals that the double can give, with their statuses and messages. */
const REFUSALS = {
  invalid_request: [400, 'The request is invalid.'],
  invalid_client: [401, 'The client ID or the client secret is missing or incorrect.'],
  invalid_token: [401, 'The access token is missing, has expired or was revoked.'],
  insufficient_scope: [403, 'The access token lacks the required scope.'],
  service_not_enabled: [403, 'The hosted sign-in add-on is off. The seller can turn it on.'],
  unknown_key: [404, 'This license key was not issued for your app.'],
  unknown_order: [404, 'This order reference is not valid for your app or has expired.'],
  unknown_license: [404, 'Your app has no license with this ID.'],
  not_found: [404, 'No such endpoint, page or app.'],
  method_not_allowed: [405, 'This method is not allowed here. See the Allow header.'],
  license_canceled: [409, 'The license is canceled. Its key cannot be replaced.'],
  payload_too_large: [413, 'The request body is too large (limit 64 KB).'],
  unsupported_media_type: [415, 'Send Content-Type: application/json.'],
  rate_limited: [429, 'Too many requests. Try again in 1 second.'],
  internal_error: [500, 'Something went wrong on our side. Try again later.'],
} as const

export type TestRefusal = keyof typeof REFUSALS

/** What a refusal has besides its code: fields of its body, its headers, another message. */
type Details = { headers?: Record<string, string>; [field: string]: unknown }

/** A refusal of the service. */
export function refuse(code: TestRefusal, { headers: given, ...more }: Details = {}): Response {
  const [status, message] = REFUSALS[code]
  const request_id = `req_${base64url(crypto.getRandomValues(new Uint8Array(12)))}`
  const headers = new Headers({ ...given, 'x-request-id': request_id })
  if (more.retry_after !== undefined) headers.set('retry-after', String(more.retry_after))
  return json({ error: code, message, request_id, ...more }, { status, headers })
}

/** The refusal of a method that is not one of `allowed`. */
export function refuseMethod(allowed: readonly string[]): Response {
  const allow = allowed.join(', ')
  const message = `Use ${allow}. Other methods are not supported here.`
  return refuse('method_not_allowed', { message, headers: { allow } })
}

/** What pages of other origins ask before they read what is public. */
export function preflight(): Response {
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*',
    'access-control-max-age': '86400',
  }
  return new Response(null, { status: 204, headers })
}

/** Lets pages of all origins read a response, and its headers for retries and caching. */
export function openToPages({ headers }: Response): void {
  const read = 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-expose-headers', read)
}

/** A response that no cache may store. */
export function json(body: object, { status = 200, headers = {} }: ResponseInit = {}): Response {
  const response = Response.json(body, { status, headers })
  response.headers.set('cache-control', 'no-store')
  return response
}

/** A refusal of an OAuth endpoint (RFC 6749, section 5.2). */
export function refuseGrant(
  error: string,
  error_description: string,
  { status = 400, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return json({ error, error_description }, { status, headers })
}

/** A refusal that names how to authenticate (RFC 6750, section 3). */
export function refuseCaller(
  challenge: string,
  status: number,
  error: string,
  error_description: string,
  more = '',
): Response {
  const reason = `, error="${error}", error_description="${error_description}"${more}`
  const headers = { 'www-authenticate': challenge + reason }
  return refuseGrant(error, error_description, { status, headers })
}

/** The client id and secret of a request, form-encoded in HTTP Basic (RFC 6749, section 2.3.1). */
export function credentialsOf(request: Request): { id: string; secret: string } | null {
  const [, encoded] = /^Basic +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (!encoded) return null
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
  try {
    // A colon after the first one is a part of the secret (RFC 7617, section 2).
    const [id = '', ...secret] = atob(encoded).split(':')
    return { id: decode(id), secret: decode(secret.join(':')) }
  } catch {
    return null
  }
}
